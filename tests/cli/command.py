"""What the tests of the command share: they run it in a fresh folder and look at what it says and leaves.

A test file is called as FILE.py BRIDLE [unittest arguments]; it exits with 77 when every test was skipped.
"""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "judge"))
import judge as second_judge  # noqa: E402
SHARED = ROOT.parent / "shared" / "data"
BRIDLE = None  # the command's path, set by main()

# Sixteen people; income grows with hours. The last column is what a covariance row is about.
CSV = "age,hours,income,sex\n" + "".join(
    f"{25 + 3 * i % 31},{30 + 2 * i},{'high' if i % 5 > 1 else 'low'},{'f' if i % 3 else 'm'}\n" for i in range(16)
)
LIBSVM = "".join(f"{'+1' if i % 3 else '-1'} 1:{i * 0.1:.1f} 3:{1 - i * 0.05:.2f}\n" for i in range(20))

# minimise (x - 1)^2 + (y - 2)^2 with x + y <= 2, within [0, 3]^2: x = 0.5, y = 1.5, objective 0.5, multiplier 1
LP = """Minimize
  obj: - 2 x - 4 y + [ 2 x^2 + 2 y^2 ] / 2 + 5
Subject To
  budget: x + y <= 2
Bounds
  0 <= x <= 3
  0 <= y <= 3
End
"""
MPS = """NAME          SMALL
ROWS
 N  obj
 L  budget
COLUMNS
    x         obj       -2   budget    1
    y         obj       -4   budget    1
RHS
    rhs       budget    2   obj    -5
BOUNDS
 UP bnd       x         3
 UP bnd       y         3
ENDATA
"""
QPS = MPS.replace("ENDATA", "QUADOBJ\n    x         x         2\n    y         y         2\nENDATA")

MODEL = {
    "kind": '"linear-model"',
    "data": '"data.csv"',
    "target": '"income"',
    "positive": '"high"',
    "loss": '"logistic"',
    "standardise": "true",
    "ridge": "0.1",
}
QUADRATIC = {"kind": '"quadratic"', "file": '"small.qps"'}


def toml(objective=None, variables=None, constraints=None, without=(), **changes):
    """A problem file: the keys of MODEL (or `objective`) with changes; values are TOML text."""
    keys = {**(MODEL if objective is None else objective), **changes}
    text = "[objective]\n" + "".join(f"{k} = {v}\n" for k, v in keys.items() if k not in without)
    if variables is not None:
        text += "\n[variables]\n" + variables + "\n"
    if constraints is not None:
        text += "\n[constraints]\n" + constraints + "\n"
    return text


def processor_seconds():
    """Of all commands run so far: no other program's work counts, as it would by the clock."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def processor_seconds_of(process):
    """Of a command that is still running."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class CommandTest(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="bridle-test-")
        self.addCleanup(self._folder.cleanup)
        self.folder = pathlib.Path(self._folder.name)

    def write(self, files):
        for name, content in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def clear(self):
        for path in sorted(self.folder.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()

    def start(self, *arguments, **options):
        process = subprocess.Popen([BRIDLE, *map(str, arguments)], cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        process.kill()
        process.communicate()

    def run_command(self, *arguments, timeout=None):
        timeout = timeout or (900 if "sanitize" in BRIDLE else 300)  # instrumented programs take ten times as long
        return subprocess.run([BRIDLE, *map(str, arguments)], cwd=self.folder, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors="replace", timeout=timeout)

    def solve(self, problem, *arguments, codes=(0,)):
        """The JSON of a run that ends with one of the exit codes."""
        done = self.run_command("solve", problem, "--quiet", "--json", "-", *arguments)
        self.assertIn(done.returncode, codes, done.stderr)
        self.assertEqual(done.stderr, "")
        result = json.loads(done.stdout)
        self.judge_again(problem, result, "--absolute" in arguments)
        return result

    def judge_again(self, problem, result, absolute=False):
        """The second judge, who shares no code with the first, is of the same opinion."""
        figures = second_judge.judge(str(self.folder / problem), result, result["tolerance"], absolute)
        found = second_judge.agrees_with(result, figures, result["tolerance"])
        self.assertEqual(found, [])

    def certify(self, problem, result, *arguments, code=0):
        """The judge's word on a result; every end-to-end test ends here."""
        self.write({"judged.json": json.dumps(result)})
        done = self.run_command("certify", problem, "judged.json", "--json", "-", *arguments)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def assert_refused(self, done, *parts):
        """Exit code 2, one line on stderr that has the parts, nothing that looks like a result."""
        self.assertEqual(done.returncode, 2, f"stdout: {done.stdout}\nstderr: {done.stderr}")
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertTrue(lines[0].startswith("bridle: error: "), lines[0])
        for part in parts:
            self.assertIn(part, lines[0])
        for word in ("certificate", "stationar", '"x"'):
            self.assertNotIn(word, done.stdout)


def main():
    global BRIDLE
    if len(sys.argv) < 2:
        sys.exit(f"usage: {sys.argv[0]} BRIDLE [unittest arguments]")
    BRIDLE = str(pathlib.Path(sys.argv.pop(1)).resolve())
    program = unittest.main(module="__main__", exit=False)
    result = program.result
    if result.wasSuccessful() and result.testsRun and len(result.skipped) == result.testsRun:
        for _, reason in result.skipped:
            print("skipped:", reason)
        sys.exit(77)
    sys.exit(0 if result.wasSuccessful() else 1)
