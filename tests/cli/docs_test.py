"""The documents keep up: links lead somewhere, every option and every loss is described, the text is ASCII."""
import re

import command

PAGES = [p for p in [*command.ROOT.glob("*.md"), *command.ROOT.glob("docs/**/*.md")]]


class Documents(command.CommandTest):
    def test_links(self):
        for page in PAGES:
            for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
                if "://" in target:
                    continue
                path, _, heading = target.partition("#")
                place = (page.parent / path) if path else page
                with self.subTest(page=page.name, target=target):
                    self.assertTrue(place.exists())
                    if heading and place.suffix == ".md":
                        titles = re.findall(r"^#+ (.*)$", place.read_text(encoding="utf-8"), re.M)
                        slugs = [re.sub(r"[^a-z0-9 -]", "", t.lower()).replace(" ", "-") for t in titles]
                        self.assertIn(heading, slugs)

    def test_options(self):
        page = (command.ROOT / "docs" / "command.md").read_text()
        for name in ("solve", "certify"):
            for option in re.findall(r"(?<![\w-])--[a-z-]+", self.run_command(name, "--help").stdout):
                with self.subTest(command=name, option=option):
                    self.assertIn(option, page)

    def test_losses(self):
        page = (command.ROOT / "docs" / "problem-files.md").read_text()
        for line in self.run_command("info").stdout.split("losses\n")[1].splitlines():
            self.assertIn(f"`{line.split()[0]}`", page)

    def test_plain_text(self):
        for page in PAGES:
            with self.subTest(page.name):
                self.assertTrue(page.read_text(encoding="utf-8").isascii())


if __name__ == "__main__":
    command.main()
