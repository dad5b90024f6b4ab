"""Where the documentation is published; notebooks link every estimator and every part of one to its page there."""

SITE = "https://hilbertine.readthedocs.io/en/latest"


class Linked:
    """A class with a page of its own in the reference: its HTML representation links to it."""

    _doc_link_module = "hilbertine"
    _doc_link_template = SITE + "/api/{name}.html"

    def _doc_link_url_param_generator(self) -> dict[str, str]:
        root, package, *_ = type(self).__module__.split(".")
        public = root if package == "estimators" else f"{root}.{package}"
        return {"name": f"{public}.{type(self).__name__}"}
