#!/usr/bin/python3
"""Puts the generated tables and sentences into the template: {{name}} becomes the contents of TABLES/name.md.

Usage: assemble.py TEMPLATE TABLES OUTPUT
"""
import re
import sys
from pathlib import Path


def main():
    template, tables, output = map(Path, sys.argv[1:])

    def table(match):
        return (tables / f"{match[1]}.md").read_text().rstrip("\n")

    text = re.sub(r"\{\{(\w+)\}\}", table, template.read_text())
    output.write_text(text)


if __name__ == "__main__":
    main()
