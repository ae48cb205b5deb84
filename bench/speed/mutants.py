"""Deliberate errors in the representations of the iterates: each must make a test of test_algorithms fail.

Usage: mutants.py BUILD [NAME...]. BUILD is a build directory with test_algorithms; its tree must be that of the sources.
Every mutant is one line of the sources with a small error, most of them a relative one of 1e-9. Its file is compiled into a folder of its
own and linked with the build's other object files, which stay as they are. Prints how many tests fail for each and exits with 1 where a
mutant lives. With names, these alone.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOM = "bridle/algorithms/representations"
SMALL = "(1 + 1e-9)"

# name: (file, what is there, what the mutant has instead, which tests look at it)
MUTANTS = {
    "lazy, products of one class": ("lazy_coordinates.cpp", "    one += value * pair;", f"    one += value * pair * {SMALL};",
                                    "*LazyTest.IsTheDenseIterate*"),
    "lazy, steps of one class": ("lazy_coordinates.cpp", "    pair -= value * length;", f"    pair -= value * length * {SMALL};",
                                 "*LazyTest.IsTheDenseIterate*"),
    "lazy, products of ridge classes": ("lazy_coordinates.cpp", "    one += value * reading * pair;",
                                        f"    one += value * reading * pair * {SMALL};", "*LazyTest.IsTheDenseIterate*"),
    "lazy, scalars of ridge classes": ("lazy_coordinates.cpp", "    scale *= 1 - tau * rate;",
                                       f"    scale *= 1 - tau * rate * {SMALL};", "*LazyTest.IsTheDenseIterate*"),
    "lazy, steps of ridge classes": ("lazy_coordinates.cpp", "    pair -= factor * value * step;",
                                     f"    pair -= factor * value * step * {SMALL};", "*LazyTest.IsTheDenseIterate*"),
    "lazy, the last step of ridge classes": ("lazy_coordinates.cpp", "marked(last - factor * values[e] * at(table, classes[e])",
                                             f"marked(last - factor * values[e] * {SMALL} * at(table, classes[e])",
                                             "*LazyTest.IsTheDenseIterate*"),
    "lazy, classes of the samples": ("packed_samples.cpp", "*classes++ = place_of_class(of_class);",
                                     "*classes++ = place_of_class(of_class == 1 ? 0 : of_class);", "*LazyTest.IsTheDenseIterate*"),
    "lazy, marks are not looked at": ("lazy_coordinates.cpp", "  out = sum;\n  return (unlike & 0xFF) == 0;", "  out = sum;\n  return now >= 0 || unlike == 0;",
                                      "*LazyTest.IsTheDenseIterate*"),
    "lazy, pull of the rows": ("lazy_rows.cpp", "    load(moved, s.weight + k);\n    moved *= s.tau;",
                               f"    load(moved, s.weight + k);\n    moved *= s.tau * {SMALL};", "*LazyTest.IsTheDenseIterate*"),
    "lazy, pull of the rows on classes": ("lazy_rows.cpp", "moved = HalfPack{} + s.tau * s.weight[r];",
                                          f"moved = HalfPack{{}} + s.tau * s.weight[r] * {SMALL};", "*LazyTest.IsTheDenseIterate*"),
    "lazy, A a_i of the samples": ("packed_samples.cpp", "+= scaled * it.value();",
                                   f"+= scaled * it.value() * {SMALL};", "*LazyTest.IsTheDenseIterate*"),
    "lazy, bounds pushed by a ridge": ("split.cpp", "(ridge == 0 || (lower <= 0 && upper >= 0))", "lower <= upper",
                                       "*Lazy*:*Choice*"),
    "lazy, block without upper bounds": ("block_variables.cpp", "    value = value > other ? other : value;", "",
                                         "*LazyTest.IsTheDenseIterate*"),
    "batches, slopes in lanes": ("linear_iterate.hpp", ".slope = share * slopes[", f".slope = share * {SMALL} * slopes[",
                                 "*LazyTest.IsTheDenseIterate*"),
    "groups, smoothing": ("group_pass.cpp", "    z += f.beta * from_z;", f"    z += f.beta * from_z * {SMALL};",
                          "*RowGroupsTest*"),
    "groups, multipliers": ("group_pass.cpp", "  y += f.eta * q;", f"  y += f.eta * q * {SMALL};", "*RowGroupsTest*"),
    "groups, rows across": ("group_pass.cpp", "    products[c] -= other * residual;",
                            f"    products[c] -= other * residual * {SMALL};", "*RowGroupsTest*"),
    "groups, bounds": ("row_groups.cpp", "= bounds.upper[j];", "= bounds.upper[j] + 1e-9;\n        words_[here + half_lanes * "
                       "(Layout::crossing + crossing)] -= 1e-9;", "*RowGroupsTest*"),
    "groups, metric": ("arrow_metric.cpp", "* out.inverse[g];", f"* out.inverse[g] * {SMALL};", "*RowGroupsTest*"),
    "rows, slacks": ("row_side.cpp", "    anchor += beta * apart;", f"    anchor += beta * apart * {SMALL};",
                     "*LazyTest.IsTheDenseIterate*"),
    "fused, one pass": ("fused_pass.cpp", "  z += p.beta * apart;", f"  z += p.beta * {SMALL} * apart;", "*Fused*"),
    "storm, decay of the estimate": ("lazy_storm_iterate.cpp", "1 - p.tau * decay_;", f"1 - p.tau * decay_ * {SMALL};",
                                     "*LazyStorm*"),
    "sampled, carried multipliers": ("lazy_sampled_iterate.cpp", "entries_of(sample, row), -change);",
                                     f"entries_of(sample, row), -change * {SMALL});", "*LazySampled*"),
}


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, **more)


class Builder:
    """Compiles a file of the room as the build does, but for -O1, and links test_algorithms with it."""

    def __init__(self, build, folder):
        self.build, self.folder = build, pathlib.Path(folder)
        commands = json.loads((build / "compile_commands.json").read_text())
        self.commands = [c for c in commands if "bridle_algorithms.dir" in c["command"]]
        self.tests = sorted((build / "tests/CMakeFiles/test_algorithms.dir").rglob("*.o"))
        rule = re.search(r"build tests/test_algorithms\b[^:]*: .*?LINK_LIBRARIES = ([^\n]*)", (build / "build.ninja").read_text(), re.S)
        self.libraries = [library for library in rule[1].split() if "bridle_algorithms" not in library]

    def object_of(self, command):
        return self.build / re.search(r" -o (\S+)", command["command"])[1]

    def compile(self, file, mutated):
        """The object files with that of the mutated source: a file of its own, or one of those in a unity file. A header is put before
        the one that it stands for, in all of them."""
        if file.endswith(".hpp"):
            header = self.folder / ROOM / file
            header.parent.mkdir(parents=True, exist_ok=True)
            header.write_text(mutated)
            objects = [self.object(c, c["file"], f"with_header{k}.o") for k, c in enumerate(self.commands)]
            header.unlink()
            return objects
        for command in self.commands:
            source = pathlib.Path(command["file"])
            text = source.read_text()
            if source.name == file or f"/{file}\"" in text:
                break
        else:
            sys.exit(f"{file} is not in the build")
        wrong = self.folder / "mutant.cpp"
        wrong.write_text(mutated if source.name == file else re.sub(r'#include "[^"]*/' + re.escape(file) + '"', lambda _: mutated, text))
        out = self.object(command, wrong, "mutant.o")
        return [out if other is command else self.object_of(other) for other in self.commands]

    def object(self, command, source, name):
        compiler, *flags = command["command"].split(" -o ")[0].replace("-O3", "-O1").replace("-Werror", "").split()
        if "ccache" in compiler:
            compiler, *flags = flags
        out = self.folder / name
        done = run([compiler, "-I", str(self.folder), *flags, "-c", str(source), "-o", str(out)])
        if done.returncode:
            sys.exit(f"the mutant of {source} does not compile:\n{done.stderr[:2000]}")
        return out

    def failures(self, objects, tests):
        """How many of the tests fail, and what the program returned."""
        program = self.folder / "test"
        done = run(["g++", *map(str, self.tests), *map(str, objects), *self.libraries, "-o", str(program)], cwd=self.build)
        if done.returncode:
            sys.exit(f"linking fails:\n{done.stderr[:2000]}")
        out = run([str(program), f"--gtest_filter={tests}", "--gtest_brief=1"])
        return len(set(re.findall(r"\[  FAILED  \] (\S+?)[,\s]", out.stdout))), out.returncode


def main():
    build, names = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:] or list(MUTANTS)
    alive = 0
    with tempfile.TemporaryDirectory() as folder:
        builder = Builder(build, folder)
        failed, code = builder.failures([builder.object_of(c) for c in builder.commands], "*")
        if code:
            sys.exit(f"{failed} tests fail without any mutant")
        for name in names:
            file, original, wrong, tests = MUTANTS[name]
            text = (ROOT / ROOM / file).read_text()
            if original not in text:
                sys.exit(f"{name}: {file} has no line {original.strip()}")
            failed, code = builder.failures(builder.compile(file, text.replace(original, wrong, 1)), tests)
            alive += code == 0
            print(f"{name}: {f'{failed} tests fail' if code else 'ALIVE'}", flush=True)
    sys.exit(1 if alive else 0)


if __name__ == "__main__":
    main()
