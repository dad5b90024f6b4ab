"""How the site is built: `make -C docs html`, offline, every warning an error."""

import re
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import api_pages
import docstrings_as_rst
import gallery_order

from hilbertine import __version__
from hilbertine.site import SITE

HERE = Path(__file__).parent
MATHJAX = Path(find_spec("sphinx-mathjax-offline").origin).parent / "static" / "mathjax"
# Where a page of the repository is on the site.
MOVED = {
    r"\.\./examples/(\w+)\.py": r"gallery/\1.rst",
    r"\.\./examples/GALLERY_HEADER\.rst": "gallery/index.rst",
    r"\.\./src/hilbertine/__init__\.py": "api/index.rst",
    r"\.\./README\.md": "index.md",
    r"\.\./CHANGELOG\.md": "changelog.md",
    r"\.\./CONTRIBUTING\.md": "contributing.md",
}

project = "hilbertine"
author = "The hilbertine developers"
copyright = author
release = version = __version__
extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
templates_path = ["_templates"]
exclude_patterns = ["_build", "**/GALLERY_HEADER.rst"]
# A name in single backticks is a link where the name has a page, and code elsewhere.
default_role = "py:obj"
smartquotes = False
toc_object_entries_show_parents = "hide"
suppress_warnings = ["config.cache"]

myst_enable_extensions = ["amsmath", "colon_fence", "dollarmath"]
myst_heading_anchors = 3
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
mathjax_path = "mathjax/tex-chtml.js"

autodoc_typehints = "none"
autodoc_member_order = "bysource"
autosummary_imported_members = True
autosummary_generate = api_pages.write(HERE / "api")
numpydoc_show_class_members = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "within_subsection_order": gallery_order.place,
    "image_scrapers": ("matplotlib", gallery_order.saved),
    "reset_argv": gallery_order.arguments,
    "doc_module": ("hilbertine",),
    "backreferences_dir": "api/examples",
    "remove_config_comments": True,
    "download_all_examples": False,
    "thumbnail_size": (480, 320),
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1e9,
    "write_computation_times": False,
    "abort_on_example_error": True,
}

html_theme = "pydata_sphinx_theme"
html_title = "hilbertine"
html_baseurl = SITE
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {"index": [], "theory": [], "tutorial": []}
html_theme_options = {
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}


def moved(app, name, source):
    """Links to files of the repository become links to their pages."""
    for pattern, target in MOVED.items():
        source[0] = re.sub(rf"\]\({pattern}\)", f"]({target})", source[0])
    # Symbols by their import path lead to their page in the reference.
    if Path(app.env.doc2path(name)).suffix == ".md":
        source[0] = re.sub(r"(?<![`\w])`hilbertine\.(\w+(?:\.\w+)*)`(?!`)", r"{py:obj}`\1 <hilbertine.\1>`", source[0])


def theirs(app, what, name, thing, skip, options):
    """Methods that come with scikit-learn's base classes are documented there."""
    return skip or not str(getattr(thing, "__module__", "hilbertine")).startswith("hilbertine") or None


def copy_mathjax(app, error):
    """Formulas are set without a connection."""
    if error is None and app.builder.format == "html":
        there = Path(app.outdir) / "_static" / "mathjax"
        for part in ("tex-chtml.js", "output/chtml/fonts"):
            (there / part).parent.mkdir(parents=True, exist_ok=True)
            copy = shutil.copytree if (MATHJAX / part).is_dir() else shutil.copy
            copy(MATHJAX / part, there / part, **({"dirs_exist_ok": True} if copy is shutil.copytree else {}))


def setup(app):
    app.connect("source-read", moved)
    # Before numpydoc, which reads what this has made safe.
    app.connect("autodoc-process-docstring", docstrings_as_rst.escape, priority=1)
    app.connect("autodoc-skip-member", theirs)
    app.connect("build-finished", copy_mathjax)
