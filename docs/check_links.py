"""Every link of the built site leads to a page, and to an anchor of it: `python check_links.py _build/html`.

Links to other sites are counted and written to `external_links.txt` beside the site, not followed: no connection is
needed.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The anchors of a page, and where it leads."""

    def __init__(self, path: Path):
        super().__init__()
        self.anchors, self.targets = set(), set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.anchors |= {found[key] for key in ("id", "name") if found.get(key)}
        if found.get("rel") != "canonical":
            self.targets |= {found[key] for key in ("href", "src") if found.get(key)}


def broken(site: Path) -> tuple[list[str], set[str]]:
    """What leads nowhere, as "page: target", and the links that leave the site."""
    pages = {path.resolve(): Page(path) for path in sorted(site.rglob("*.html")) if "_static" not in path.parts}
    lost, external = [], set()
    for path, page in pages.items():
        for target in sorted(page.targets):
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                external.add(target)
                continue
            there = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchors = pages[there].anchors if there in pages else {unquote(parts.fragment)}
            if not there.is_file() or (parts.fragment and unquote(parts.fragment) not in anchors):
                lost.append(f"{path.relative_to(site.resolve())}: {target}")
    return lost, external


def main(site: Path) -> int:
    lost, external = broken(site)
    external = {target for target in external if not target.startswith(("data:", "mailto:", "javascript:"))}
    (site.parent / "external_links.txt").write_text("\n".join(sorted(external)) + "\n", encoding="utf-8")
    print(f"{len(lost)} links lead nowhere; {len(external)} leave the site and were not followed")
    print("\n".join(lost))
    return int(bool(lost))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
