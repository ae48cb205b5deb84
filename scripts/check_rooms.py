#!/usr/bin/python3
"""Fails on a stray include: each room of bridle/ may include only the rooms that the table below allows, and
one file of it alone opens files for writing.

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
    "oracle": ["problem"],
    "scaling": ["problem"],
    "params": ["problem", "oracle", "scaling"],
    "algorithms": ["problem", "oracle", "scaling", "params"],
    "certify": ["problem"],
    "finish": ["problem"],
    "second": ["problem", "finish"],
    "diagnose": ["problem", "scaling", "params", "algorithms"],
    "run": ["problem", "oracle", "scaling", "params", "algorithms", "finish", "second", "diagnose", "certify"],
    "network": ["problem", "scaling", "params", "certify", "run"],
    "mpi": ["network"],
    "apps": ["problem", "io", "run", "certify", "params", "finish", "network"],
    "report": ["certify", "params", "run", "problem", "apps", "network"],
}
# The same inside apps, whose folders are rooms of their own: what several applications use is in data.
APPS_MAY_INCLUDE = {
    "data": [],
    "statement": ["data"],
    "fair": ["data"],
    "slicing": ["data", "statement"],
    "consensus": ["data", "statement"],
}
# These rooms need Eigen and Random123 only, so that a C++ project can embed the solver.
SOLVER = [
    "core", "problem", "oracle", "scaling", "params", "algorithms", "finish", "second", "diagnose", "certify", "run", "network"
]
SOLVER_THIRD_PARTY = ("Eigen/", "Random123/")
POSIX = ("fcntl.h", "malloc.h", "sched.h", "unistd.h", "sys/file.h", "sys/mman.h", "sys/resource.h", "sys/stat.h")
# Folders outside the library: any library room, but not each other, except that benchmarks may use what tests have made.
OUTSIDE = ["cli", "examples", "python", "mpi", "tests", "bench"]

SOURCES = {".hpp", ".cpp", ".h", ".cmake", ".py", ".sh"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
# One place writes files, whole or not at all; everything else of the library and the command goes through it.
OPENS_A_FILE = re.compile(r"\b(std::)?(ofstream|fstream)\b(?!>)|\bfopen\(|(?<![\w])::(open|creat|mkostemp|mkstemp)\(")
# The writer, the reader of pipes, and the lock; nobody else opens files by the system's own call.
OPENERS_OF_FILES = ("bridle/core/atomic_file.cpp", "bridle/core/input_file.cpp", "bridle/core/file_lock.cpp")
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


def stray(place, room, part, bracket, header):
    """Why a file in the folder `place` (and the library's `room`, if any, and that room's `part`) may not include the
    header, or None."""
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
        if room == "apps" and parts[1] == "apps" and parts[2] not in [part, *APPS_MAY_INCLUDE[part]]:
            return f"apps/{part} may not include apps/{parts[2]}"
        if place == "bridle" and not room and parts[1] not in SOLVER:
            return f"the umbrella header is the solver's and may not include {parts[1]}"
        return None
    if bracket == '"':
        if place == "bridle":
            return 'our includes are written "bridle/room/file.hpp"'
        if parts[0] in OUTSIDE and parts[0] != place and (place, parts[0]) != ("bench", "tests"):
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
        part = name.parts[2] if room == "apps" else None
        data = path.read_bytes()
        for number, line in enumerate(data.splitlines(), 1):
            if not line.isascii():
                yield f"{name}:{number}: not ASCII"
        if path.suffix not in (".hpp", ".cpp", ".h"):
            continue
        if room and room not in MAY_INCLUDE:
            yield f"{name}: there is no room {room} in the table of scripts/check_rooms.py"
            continue
        if part and part not in APPS_MAY_INCLUDE:
            yield f"{name}: there is no room apps/{part} in the table of scripts/check_rooms.py"
            continue
        text = data.decode("ascii", "replace")
        if path.suffix != ".cpp" and not re.search(r"^#pragma once$", text, re.MULTILINE):
            yield f"{name}: no #pragma once"
        if place in ("bridle", "cli") and name.as_posix() not in OPENERS_OF_FILES:
            for number, line in enumerate(text.splitlines(), 1):
                if OPENS_A_FILE.search(line):
                    yield f"{name}:{number}: files are written through bridle/core/atomic_file.hpp"
        for number, bracket, header in includes(text):
            if reason := stray(place, room, part, bracket, header):
                yield f"{name}:{number}: {reason}"


def self_test():
    once = "#pragma once\n"
    good = {
        "bridle/core/types.hpp": once + "#include <Eigen/Core>\n#include <vector>\n",
        "bridle/certify/kkt.hpp": once + '#include "bridle/core/types.hpp"\n#include "bridle/problem/problem.hpp"\n',
        "bridle/io/mps.cpp": '#include <zlib.h>\n#include <fstream>\n#include "bridle/io/mps.hpp"\nstd::ifstream file;\n',
        "bridle/core/atomic_file.cpp": "int f() { return ::open(path, 1); }\n",
        "bridle/apps/fair/fit.cpp": '#include "bridle/apps/data/target.hpp"\n#include "bridle/apps/fair/fit.hpp"\n',
        "bridle/bridle.hpp": once + '#include "bridle/run/solve.hpp"\n',
        "cli/main.cpp": '#include "bridle/io/mps.hpp"\n#include "cli/options.hpp"\n#include "options.hpp"\n',
        "bench/zoo/zoo.cpp": '#include "tests/support/infeasible_twin.hpp"\n',
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
        "cli/o.cpp": "#include <fstream>\nvoid f() { std::ofstream(path) << 1; }\n",
        "bridle/run/p.cpp": "int f() { return ::open(path, 1); }\n",
        "bridle/apps/fair/q.cpp": '#include "bridle/apps/statement/encoding.hpp"\n',
        "bridle/apps/statement/r.cpp": '#include "bridle/apps/fair/target.hpp"\n',
        "bridle/apps/data/s.cpp": '#include "bridle/apps/statement/toml_file.hpp"\n',
        "bridle/apps/attic/t.cpp": "int i;\n",
        "tests/run/u.cpp": '#include "bench/timer.hpp"\n',
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
