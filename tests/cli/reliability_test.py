"""What users and machines do to a command: full disks, pipes, names given twice, absurd sizes, cut networks."""
import gzip
import json
import os
import resource
import signal
import subprocess
import threading
import time

import command
from command import CSV, LP, QPS, QUADRATIC, toml

NOISY = {"small.qps": QPS, "p.toml": toml(QUADRATIC, noise="1.0", constraints='file = "small.qps"')}
ENDLESS = ["--no-second-order", "--samples", "1e13", "--tolerance", "0"]

# A - B - C in a line and D apart, which could host f if there were a way.
CUT = """[[node]]
name = "A"
[[node]]
name = "B"
capacity = 9
functions = ["f", "g"]
[[node]]
name = "C"
capacity = 9
functions = ["f", "g"]
[[node]]
name = "D"
capacity = 9
functions = ["f", "g"]
[[link]]
from = "A"
to = "B"
capacity = 3
both_ways = true
[[link]]
from = "B"
to = "C"
capacity = 3
both_ways = true
[[flow]]
from = "A"
to = "C"
rate = 2
chain = ["f", "g"]
"""
GRAPHML = """<graphml><graph edgedefault="undirected">
<node id="a"/><node id="b"/><node id="c"/>
<edge source="a" target="b"/><edge source="b" target="c"/>
</graph></graphml>
"""


class Slices(command.CommandTest):
    def slice(self, *arguments, codes=(0,)):
        done = self.run_command("slice", *arguments, "--quiet", "--json", "-", timeout=120)
        self.assertIn(done.returncode, codes, done.stderr)
        return json.loads(done.stdout)

    def test_host_without_a_way_to_it(self):
        self.write({"cut.toml": CUT})
        result = self.slice("cut.toml", "--time-limit", "5")
        self.assertEqual(result["status"], "feasible")
        self.assertAlmostEqual(result["cost"], 4)

    # A host that can be reached but not left.
    def test_one_way(self):
        dead_end = '[[link]]\nfrom = "B"\nto = "D"\ncapacity = 9\n'
        self.write({"cut.toml": CUT.replace("[[flow]]", dead_end + "[[flow]]")})
        self.assertAlmostEqual(self.slice("cut.toml")["cost"], 4)

    def test_rates_of_any_size(self):
        for unit in ("e12", "e-12", "e25"):
            text = CUT
            for key in ("capacity = 9", "capacity = 3", "rate = 2"):
                text = text.replace(key, key + unit)
            self.write({"cut.toml": text})
            result = self.slice("cut.toml")
            self.assertEqual(result["status"], "feasible", unit)
            self.assertAlmostEqual(result["cost"] / float("4" + unit), 1)
        self.write({"cut.toml": CUT.replace("rate = 2", "rate = 1e300")})
        self.assert_refused(self.run_command("slice", "cut.toml"), "the rate is 1e+300")
        self.write({"cut.toml": CUT.replace("capacity = 9", "capacity = 1e300")})
        self.assert_refused(self.run_command("slice", "cut.toml"), "1e+300")
        # One flow that nothing can carry beside one that fits.
        self.write({"cut.toml": CUT + '[[flow]]\nfrom = "A"\nto = "C"\nrate = 2e12\nchain = ["f"]\n'})
        self.assertEqual(self.run_command("slice", "cut.toml", timeout=60).returncode, 3)

    def test_repeated_id(self):
        self.write({"g.graphml": GRAPHML.replace('<node id="c"/>', '<node id="c"/><node id="a"/>')})
        self.assert_refused(self.run_command("slice", "g.graphml", "--flows", "2"), "two nodes have the id 'a'")


class Resources(command.CommandTest):
    def run_within(self, memory, *arguments):
        def limited():
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        if "sanitize" in command.BRIDLE:
            self.skipTest("an instrumented program takes all addresses there are")
        return subprocess.run([command.BRIDLE, *map(str, arguments)], cwd=self.folder, preexec_fn=limited, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=120)

    def test_column_of_a_slip(self):
        self.write({"data.svm": "+1 1:1 2:1\n-1 1:0.5 10000000:1\n", "p.toml": toml(data='"data.svm"', without=("target", "positive", "standardise"))})
        self.assert_refused(self.run_command("solve", "p.toml"), "data.svm:2", "10000000 columns", "4 values")

    def test_complete_graph(self):
        network = '[network]\ngraph = "complete"\nnodes = 20000\n'
        self.write({"data.csv": CSV, "p.toml": toml() + network})
        self.assert_refused(self.run_command("consensus", "p.toml"), "p.toml:", "nodes", "199990000 edges")

    # 600 kB that unpack to 600 MB, where there are 500.
    def test_packed_file_that_is_too_large(self):
        row = ("1," * 20).encode() + b"1\n"
        with gzip.open(self.folder / "data.csv.gz", "wb", compresslevel=1) as file:
            file.write(b",".join(b"c%d" % k for k in range(21)) + b"\n")
            for _ in range(600):
                file.write(row * (1000000 // len(row)))
        self.write({"p.toml": toml(data='"data.csv.gz"', target='"c0"', without=("positive",))})
        self.assert_refused(self.run_within(500 * 2**20, "solve", "p.toml"), "data.csv.gz", "memory")

    def test_wide_table(self):
        width = 200000
        header = ",".join(["target"] + ["a"] * width) + "\n"
        rows = "".join(f"{i % 2}," + ",".join(["1", str(i)] * (width // 2)) + "\n" for i in range(4))
        self.write({"data.csv": header + rows, "p.toml": toml(target='"target"', without=("positive",))})
        before = command.processor_seconds()
        done = self.run_command("solve", "p.toml", "--quiet", "--samples", "10", timeout=240)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertLess(command.processor_seconds() - before, 60)

    def test_no_room_for_threads(self):
        self.write({"cut.toml": CUT})
        done = self.run_command("slice", "cut.toml", "--threads", "1000000", "--runs", "1000", "--quiet")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_absurd_counts(self):
        self.write(NOISY)
        self.assert_refused(self.run_command("solve", "p.toml", "--batch", "9223372036854775808"), "--batch", "2147483647")
        result = self.solve("p.toml", "--samples", "1e20", "--seconds", "0.3", "--tolerance", "0", codes=(0, 1))
        self.assertGreater(result["iterations"], 0)


class Files(command.CommandTest):
    def test_standard_output_is_full(self):
        self.write({"p.lp": LP, "s.json": '{"x": [0.5, 1.5], "y": [1]}'})
        for arguments in (["solve", "p.lp"], ["certify", "p.lp", "s.json"], ["info"], ["--version"], ["solve", "--help"], ["demo"]):
            with open("/dev/full", "w") as full:
                done = subprocess.run([command.BRIDLE, *arguments], cwd=self.folder, stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual((done.returncode, done.stderr),
                             (2, "bridle: error: standard output: cannot write: No space left on device\n"), arguments)

    def test_names_given_twice(self):
        self.write({"p.lp": LP, "data.csv": CSV, "p.toml": toml()})
        os.symlink("p.lp", self.folder / "link")
        for arguments, parts in (
            (["p.lp", "--json", "out", "--log", "./out"], ["--json", "--log", "one of them"]),
            (["p.lp", "--json", "p.lp"], ["PROBLEM", "--json", "lost"]),
            (["p.lp", "--log", "link"], ["PROBLEM", "--log", "lost"]),
            (["p.toml", "--json", "data.csv"], ["data.csv", "also read"]),
            (["p.toml", "--log", "data.csv"], ["data.csv", "also read"]),
            (["p.toml", "--checkpoint", "data.csv"], ["data.csv", "no checkpoint"]),
        ):
            self.assert_refused(self.run_command("solve", *arguments), *parts)
        self.assertEqual((self.folder / "p.lp").read_text(), LP)
        self.assertEqual((self.folder / "data.csv").read_text(), CSV)
        self.assertEqual({p.name for p in self.folder.iterdir()}, {"p.lp", "data.csv", "p.toml", "link"})
        done = self.run_command("solve", "p.lp", "--quiet", "--json", "/dev/null", "--log", "/dev/null")
        self.assertEqual(done.returncode, 0, done.stderr)

    def feed(self, path, content):
        def write():
            with open(path, "wb") as pipe:
                pipe.write(content)
        os.mkfifo(path)
        thread = threading.Thread(target=write, daemon=True)
        thread.start()
        self.addCleanup(thread.join, 10)

    # Readers look at a file more than once; a pipe can be read once only.
    def test_pipes(self):
        self.write({"data.csv": CSV, "p.toml": toml()})
        expected = self.solve("p.toml", codes=(0, 1))
        self.feed(self.folder / "pipe.csv", CSV.encode())
        self.feed(self.folder / "pipe.toml", toml(data='"pipe.csv"').encode())
        done = self.run_command("solve", "pipe.toml", "--quiet", "--json", "-", timeout=60)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertEqual(json.loads(done.stdout)["x"], expected["x"])
        piped = f"cat p.toml | {command.BRIDLE} solve /dev/stdin --quiet --json -"
        self.write({"p.toml": toml(data=f'"{self.folder}/data.csv"')})
        done = subprocess.run(piped, shell=True, cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertEqual(json.loads(done.stdout)["x"], expected["x"])

    # What is wrong with a file that came through a pipe is told without reading the pipe again.
    def test_a_pipe_that_names_a_missing_file(self):
        self.feed(self.folder / "pipe.toml", toml(data='"nowhere.csv"').encode())
        done = self.run_command("solve", "pipe.toml", timeout=60)
        self.assert_refused(done, "nowhere.csv: cannot open", "pipe.toml:")

    def test_checkpoint_that_cannot_be_written(self):
        self.write(NOISY)
        (self.folder / "sub").mkdir()
        process = self.start("solve", "p.toml", *ENDLESS, "--seconds", "3", "--quiet", "--json", "out.json",
                             "--checkpoint", "sub/state", "--checkpoint-seconds", "0.01")
        limit = time.monotonic() + 60
        while not (self.folder / "sub/state").exists() and time.monotonic() < limit:
            time.sleep(0.01)
        (self.folder / "sub").rename(self.folder / "moved")
        _, errors = process.communicate(timeout=120)
        lines = errors.decode().splitlines()
        self.assertEqual(len(lines), 1, lines)
        self.assertIn("bridle: warning: sub/state: cannot write the checkpoint: No such file or directory", lines[0])
        self.assertIn(process.returncode, (0, 1))
        self.assertGreater(json.loads((self.folder / "out.json").read_text())["iterations"], 0)

    def test_checkpoint_that_cannot_be_read(self):
        self.write(NOISY)
        os.symlink("state", self.folder / "state")  # a ring of links: there, and not to be read, even by root
        done = self.run_command("solve", "p.toml", "--samples", "1000", "--checkpoint", "state", "--resume")
        self.assert_refused(done, "state: cannot open: Too many levels of symbolic links")
        self.assertTrue((self.folder / "state").is_symlink())

    def test_checkpoint_in_use(self):
        self.write(NOISY)
        process = self.start("solve", "p.toml", *ENDLESS, "--quiet", "--checkpoint", "state", "--checkpoint-seconds", "0.01")
        limit = time.monotonic() + 60
        while not (self.folder / "state").exists() and time.monotonic() < limit:
            time.sleep(0.01)
        done = self.run_command("solve", "p.toml", "--samples", "1000", "--checkpoint", "state", "--resume")
        self.assert_refused(done, "state: another run is using this checkpoint")
        process.kill()  # which leaves the lock's file, and no lock
        process.communicate()
        done = self.run_command("solve", "p.toml", "--samples", "1000", "--checkpoint", "state", "--quiet")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertFalse((self.folder / "state.lock").exists())

    # While it reads a pipe that gives nothing, nothing is installed yet that a run would heed.
    def test_terminated_before_the_run(self):
        self.write({"p.toml": toml(data='"pipe.csv"')})
        os.mkfifo(self.folder / "pipe.csv")
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            process = self.start("fair", "pipe.csv", "--target", "income", "--sensitive", "sex", "--bound", "0.05", "--json", "out.json",
                                 "--log", "log.csv", "--model", "model.json")
            time.sleep(0.3)
            process.send_signal(number)
            process.communicate(timeout=30)
            self.assertEqual(process.returncode, -number)
            self.assertEqual({p.name for p in self.folder.iterdir()}, {"p.toml", "pipe.csv"})

    # A second signal ends a run at once, and what it had begun to write is gone.
    def test_impatience(self):
        self.write(NOISY)
        process = self.start("solve", "p.toml", *ENDLESS, "--json", "out.json")
        time.sleep(0.3)
        deadline = time.monotonic() + 30
        while process.poll() is None and time.monotonic() < deadline:
            process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
        self.assertIn(process.returncode, (-signal.SIGTERM, 130))
        self.assertFalse(list(self.folder.glob("*.new")))


if __name__ == "__main__":
    command.main()
