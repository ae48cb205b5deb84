"""Puts the figures into the text: assemble.py TEMPLATE FOLDER OUTPUT. A line `{{name}}` becomes the file FOLDER/name."""
import pathlib
import re
import sys

template, folder, output = map(pathlib.Path, sys.argv[1:])
text = re.sub(r"^\{\{(\w+)\}\}$", lambda m: (folder / m[1]).read_text().strip("\n"), template.read_text(), flags=re.MULTILINE)
output.write_text(text)
