#!/usr/bin/env python3
"""What scripts/site needs besides mkdocs.

    site_pages.py gallery ROOT PAGES   writes the gallery: every plot of docs/ with the page that explains it, every
                                       example with its text; points links that leave docs/ to the file's name
    site_pages.py links HTML           every link of every page leads to a page, a picture or a heading that is there,
                                       nothing is fetched from elsewhere, and the menu (mkdocs.yml beside HTML) has
                                       every page
"""
import html.parser
import pathlib
import re
import sys
import urllib.parse


def gallery(root, pages):
    out = ["# Gallery", "", "Every picture is printed by a command in the repository; its page says which.", "", '<div class="gallery" markdown="1">', ""]
    for page in sorted((root / "docs").rglob("*.md")):
        title = re.match(r"# (.*)", page.read_text())[1]
        for text, picture in re.findall(r"!\[([^\]]*)\]\(([^)]+\.svg)\)", page.read_text()):
            place = (page.parent / picture).resolve().relative_to(root / "docs")
            out += [f'<div markdown="1">\n![{text}]({place})\n\n{text or "A plot"}: [{title}]({page.relative_to(root / "docs")})\n</div>\n']
    out += ["</div>", "", "## Examples", ""]
    for example in sorted((root / "examples").glob("*")):
        text = example.read_text()
        if example.name == "CMakeLists.txt" or len(text) > 6000:
            continue
        command = {".toml": "slice" if "[[node]]" in text else "consensus" if "[network]" in text else "solve", ".lp": "solve"}.get(example.suffix)
        out += [f"### {example.name}", ""]
        out += [f"    bridle {command} examples/{example.name}", ""] if command else []
        out += [f"```{example.suffix[1:]}", text.rstrip(), "```", ""]
    (pages / "gallery.md").write_text("\n".join(out))
    # Files beside docs/ are no part of the site.
    for page in pages.rglob("*.md"):
        text = page.read_text()
        fixed = re.sub(r"\[([^\]]+)\]\((?:\.\./)+(?:README|CONTRIBUTING|CHANGELOG|bridle|examples|bench|tests|scripts)\b[^)]*\)", r"\1", text)
        if fixed != text:
            page.write_text(fixed)


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.fetched, self.anchors = [], [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors.update(v for k, v in values.items() if k in ("id", "name") and v)
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        source = values.get("src") or (values.get("href") if tag == "link" and values.get("rel") != "canonical" else None)
        if source:
            self.fetched.append(source)


def broken_links(folder):
    pages = {path: Page(path) for path in folder.rglob("*.html")}
    for path, page in pages.items():
        if path.name == "404.html":  # its links start at the server's root
            continue
        for link in page.links + page.fetched:
            if re.match(r"(data|mailto|javascript):", link):
                continue
            if "://" in link or link.startswith("//"):
                if link in page.fetched:
                    yield f"{path.relative_to(folder)}: fetches {link}"
                continue
            target, _, anchor = link.partition("#")
            place = (path.parent / urllib.parse.unquote(target.partition("?")[0])).resolve() if target else path
            if place.is_dir():
                place /= "index.html"
            if not place.exists():
                yield f"{path.relative_to(folder)}: {link} leads nowhere"
            elif anchor and place in pages and urllib.parse.unquote(anchor) not in pages[place].anchors:
                yield f"{path.relative_to(folder)}: {link} has no such heading"


def pages_without_a_place(folder):
    """Pages that no line of the menu leads to: mkdocs makes them all the same, but nobody finds them."""
    menu = set(re.findall(r"([\w/.-]+\.md)$", (folder / "mkdocs.yml").read_text().partition("\nnav:\n")[2], re.M))
    for page in sorted((folder / "pages").rglob("*.md")):
        name = str(page.relative_to(folder / "pages"))
        if name not in menu:
            yield f"{name}: is not in the menu of mkdocs.yml"


def main():
    if sys.argv[1:2] == ["gallery"]:
        gallery(pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3]).resolve())
        return 0
    folder = pathlib.Path(sys.argv[2]).resolve()
    found = list(broken_links(folder)) + list(pages_without_a_place(folder.parent))
    print("\n".join(found) or f"{len(list(folder.rglob('*.html')))} pages, every link leads somewhere, every page is in the menu")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
