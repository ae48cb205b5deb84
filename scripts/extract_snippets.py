#!/usr/bin/python3
"""Writes the named code blocks of a Markdown file into a folder.

Usage: extract_snippets.py README.md FOLDER

A block has a name when the line before it is <!-- snippet: NAME -->; other blocks are left alone. Blocks marked cpp,
toml and text are written as they are. Of a block marked console only the commands are written, as a shell script: the lines
that start with "$ bridle", with their continuations (a line ending in a backslash goes on), and without the "$ ".
"""
import re
import sys
from pathlib import Path

MARKER = re.compile(r"^<!-- snippet: ([A-Za-z0-9_.-]+) -->$")
LANGUAGES = ("cpp", "toml", "text", "console")


def blocks(lines, source):
    """(name, language, lines) of every named block."""
    name = None  # of the marker on the line before
    i = 0
    while i < len(lines):
        line = lines[i].rstrip()
        if line.startswith("```"):
            language = line[3:].strip()
            end = next((j for j in range(i + 1, len(lines)) if lines[j].rstrip() == "```"), None)
            if end is None:
                sys.exit(f"{source}:{i + 1}: this block is never closed")
            if name and language not in LANGUAGES:
                sys.exit(f"{source}:{i + 1}: a snippet is marked {', '.join(LANGUAGES)}, not '{language}'")
            if name:
                yield name, language, lines[i + 1 : end]
            name = None
            i = end + 1
            continue
        if name:
            sys.exit(f"{source}:{i + 1}: a code block must follow the marker of snippet {name}")
        if match := MARKER.match(line):
            name = match[1]
        i += 1


def commands(lines):
    """The bridle commands of a console block."""
    going_on = False
    for line in lines:
        if going_on or line.startswith("$ bridle"):
            yield line if going_on else line[2:]
            going_on = line.rstrip().endswith("\\")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source, folder = Path(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    seen = set()
    for name, language, lines in blocks(source.read_text(encoding="utf-8").splitlines(), source):
        if name in seen:
            sys.exit(f"{source}: two snippets are named {name}")
        seen.add(name)
        if language == "console":
            name = Path(name).stem + ".console"
            lines = list(commands(lines))
        (folder / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        print(f"{name}: {len(lines)} lines")


if __name__ == "__main__":
    main()
