"""The Dockerfile, where there is no engine to build it: known instructions, stages that exist, files and packages that
exist, and shell commands that parse."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
KNOWN = {"FROM", "RUN", "COPY", "WORKDIR", "USER", "ENTRYPOINT", "CMD", "ENV", "ARG"}


def instructions(text):
    lines = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    for line in re.sub(r"\\\n\s*", "", lines).splitlines():
        if line.strip():
            yield line.split(maxsplit=1)


def faults():
    stages = set()
    for word, rest in instructions((ROOT / "Dockerfile").read_text()):
        if word not in KNOWN:
            yield f"unknown instruction {word}"
        if word == "FROM" and (stage := re.search(r" AS (\w+)$", rest)):
            stages.add(stage[1])
        if (source := re.match(r"--from=(\w+)", rest)) and source[1] not in stages:
            yield f"no stage is called {source[1]}"
        if word == "RUN":
            if subprocess.run(["sh", "-n", "-c", rest], check=False).returncode != 0:
                yield f"not a shell command: {rest}"
            for script in re.findall(r"\bscripts/[\w.]+", rest):
                if not (ROOT / script).exists():
                    yield f"there is no {script}"
        if word in ("ENTRYPOINT", "CMD") and not re.fullmatch(r'\["[^"]*"(, "[^"]*")*\]', rest):
            yield f"{word} is no list: {rest}"
    listed = re.findall(r"^(\S+) +# the (?:solver|command):", (ROOT / "scripts" / "packages.txt").read_text(), re.M)
    if len(listed) < 8:
        yield "scripts/packages.txt does not say what the solver and the command need"


found = list(faults())
print("\n".join(found) or "the Dockerfile is sound")
sys.exit(1 if found else 0)
