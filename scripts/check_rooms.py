#!/usr/bin/python3
"""Fails on a stray include: each room of bridle/ may include only the rooms that the table below allows.

Usage: check_rooms.py [ROOT] | check_rooms.py --self-test
"""
import re
import sys
import tempfile
from pathlib import Path

# Who may include whom. Every room may include itself and core.
MAY_INCLUDE = {
    "core": [],
    "problem": [],
    "io": [],
    "scaling": ["problem"],
    "params": ["problem", "scaling"],
    "algorithms": ["problem", "scaling", "params"],
    "certify": ["problem"],
    "finish": ["problem"],
    "second": ["problem", "finish"],
    "diagnose": ["problem", "scaling", "params", "algorithms"],
    "run": ["problem", "scaling", "params", "algorithms", "finish", "diagnose", "certify"],
    "network": ["problem", "scaling", "params", "certify", "run"],
    "mpi": ["network"],
    "apps": ["problem", "io", "run", "certify", "params", "finish", "network"],
    "report": ["certify", "params", "run", "problem", "apps", "network"],
}
# These rooms need Eigen and Random123 only, so that a C++ project can embed the solver.
SOLVER = ["core", "problem", "scaling", "params", "algorithms", "finish", "second", "diagnose", "certify", "run", "network"]
SOLVER_THIRD_PARTY = ("Eigen/", "Random123/")
POSIX = ("fcntl.h", "sched.h", "unistd.h", "sys/mman.h")
# Folders outside the library: any library room, but not each other. (tests and bench are at home everywhere.)
OUTSIDE = ["cli", "examples", "python", "mpi", "tests", "bench"]

SOURCES = {".hpp", ".cpp", ".h", ".cmake", ".py", ".sh"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
STANDARD_HEADER = re.compile(r"^[a-z0-9_]+$")


def sources(root):
    for folder in ["bridle", *OUTSIDE, "cmake", "scripts"]:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and (path.suffix in SOURCES or path.name == "CMakeLists.txt"):
                yield path


def includes(text):
    """(line number, bracket, header) of every include."""
    for number, line in enumerate(text.splitlines(), 1):
        if match := INCLUDE.match(line):
            yield number, match[1], match[2]


def stray(place, room, bracket, header):
    """Why a file in the folder `place` (and the library's `room`, if any) may not include the header, or None."""
    parts = header.split("/")
    if parts[0] == "bridle":
        if len(parts) == 2:  # the umbrella header bridle/bridle.hpp
            return f"{room} may not include the umbrella header" if room else None
        if parts[1] not in MAY_INCLUDE:
            return f"there is no room {parts[1]}"
        if bracket == "<":
            return f'write "{header}", not <{header}>'
        if room and parts[1] not in [room, "core", *MAY_INCLUDE[room]]:
            return f"{room} may not include {parts[1]}"
        if place == "bridle" and not room and parts[1] not in SOLVER:
            return f"the umbrella header is the solver's and may not include {parts[1]}"
        return None
    if bracket == '"':
        if place == "bridle":
            return 'our includes are written "bridle/room/file.hpp"'
        if parts[0] in OUTSIDE and parts[0] != place and place not in ("tests", "bench"):
            return f"{place} may not include {parts[0]}"
        return None
    free = STANDARD_HEADER.match(header) or header in POSIX or header.startswith(SOLVER_THIRD_PARTY)
    if room in SOLVER and not free:
        return f"{room} is a solver room: not <{header}>, but the standard library, Eigen and Random123"
    return None


def findings(root):
    for path in sources(root):
        name = path.relative_to(root)
        place = name.parts[0]
        room = name.parts[1] if place == "bridle" and len(name.parts) > 2 else None
        data = path.read_bytes()
        for number, line in enumerate(data.splitlines(), 1):
            if not line.isascii():
                yield f"{name}:{number}: not ASCII"
        if path.suffix not in (".hpp", ".cpp", ".h"):
            continue
        if room and room not in MAY_INCLUDE:
            yield f"{name}: there is no room {room} in the table of scripts/check_rooms.py"
            continue
        text = data.decode("ascii", "replace")
        if path.suffix != ".cpp" and not re.search(r"^#pragma once$", text, re.MULTILINE):
            yield f"{name}: no #pragma once"
        for number, bracket, header in includes(text):
            if reason := stray(place, room, bracket, header):
                yield f"{name}:{number}: {reason}"


def self_test():
    once = "#pragma once\n"
    good = {
        "bridle/core/types.hpp": once + "#include <Eigen/Core>\n#include <vector>\n",
        "bridle/certify/kkt.hpp": once + '#include "bridle/core/types.hpp"\n#include "bridle/problem/problem.hpp"\n',
        "bridle/io/mps.cpp": '#include <zlib.h>\n#include "bridle/io/mps.hpp"\n',
        "bridle/bridle.hpp": once + '#include "bridle/run/solve.hpp"\n',
        "cli/main.cpp": '#include "bridle/io/mps.hpp"\n#include "cli/options.hpp"\n#include "options.hpp"\n',
        "tests/run/solve_test.cpp": '#include <gtest/gtest.h>\n#include "tests/tolerances.hpp"\n',
    }
    planted = {
        "bridle/certify/a.hpp": once + '#include "bridle/algorithms/stride.hpp"\n',
        "bridle/certify/b.cpp": '#include "bridle/scaling/scaling.hpp"\n',
        "bridle/certify/c.cpp": '  #  include "bridle/params/theory.hpp"\n',
        "bridle/problem/d.hpp": once + '#include "bridle/io/mps.hpp"\n',
        "bridle/core/e.hpp": once + "#include <fmt/core.h>\n",
        "bridle/run/f.cpp": "#include <zlib.h>\n",
        "bridle/problem/g.cpp": '#include "set.hpp"\n',
        "bridle/problem/h.cpp": "#include <bridle/core/types.hpp>\n",
        "bridle/problem/i.hpp": "#include <vector>\n",
        "bridle/run/j.hpp": once + "// caf\u00e9\n",
        "bridle/attic/k.hpp": once,
        "bridle/run/l.cpp": '#include "bridle/bridle.hpp"\n',
        "cli/m.cpp": '#include "bench/timer.hpp"\n',
        "bridle/n.hpp": once + '#include "bridle/report/text.hpp"\n',
    }
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)

        def write(files):
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text, encoding="utf-8")

        write(good)
        false_alarms = list(findings(root))
        write(planted)
        found = {line.split(":")[0] for line in findings(root)}
    missed = sorted(set(planted) - found)
    for line in false_alarms:
        print("false alarm:", line)
    for name in missed:
        print("not found:", name)
    print(f"self-test: {len(planted) - len(missed)} of {len(planted)} planted faults found")
    return not false_alarms and not missed


def main():
    if sys.argv[1:] == ["--self-test"]:
        return 0 if self_test() else 1
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    faults = list(findings(root))
    for line in faults:
        print(line)
    print(f"{len(faults)} faults in {len(list(sources(root)))} files")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
