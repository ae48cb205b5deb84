"""Every command of docs/first-hour.md is run, in its order, and ends as the page says."""
import os
import re
import shutil
import signal
import subprocess
import time

import command

PAGE = command.ROOT / "docs" / "first-hour.md"


def blocks():
    """The console blocks: lists of (command, lines shown after it)."""
    for text in re.findall(r"```console\n(.*?)```", PAGE.read_text(), re.S):
        steps = []
        for line in text.splitlines():
            if line.startswith("$ "):
                steps.append((line[2:], []))
            else:
                steps[-1][1].append(line)
        yield steps


class FirstHour(command.CommandTest):
    def setUp(self):
        super().setUp()
        shutil.copytree(command.ROOT / "examples", self.folder / "examples")
        folder = os.path.dirname(command.BRIDLE)
        self.environment = {**os.environ, "PATH": folder + os.pathsep + os.environ["PATH"]}

    def shell(self, line):
        return subprocess.run(["bash", "-c", line], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=300)

    def run_block(self, steps, codes=(0,)):
        for line, shown in steps:
            with self.subTest(line):
                done = self.shell(line)
                self.assertIn(done.returncode, codes, done.stdout + done.stderr)
                for expected in shown:
                    known = expected.removesuffix(" ...") if expected.endswith(": ...") else expected + "\n"
                    self.assertIn("\n" + known, "\n" + done.stdout)

    def test_bank(self):
        self.run_block(list(blocks())[0])
        self.assertIn("<html", (self.folder / "bank.html").read_text())
        self.assertGreater(len((self.folder / "decisions.csv").read_text().splitlines()), 300)

    def test_problem_file(self):
        self.run_block(list(blocks())[1])
        self.assertIn("<svg", (self.folder / "loans.svg").read_text())

    def test_network(self):
        self.run_block(list(blocks())[2])
        self.assertIn("<html", (self.folder / "towns.html").read_text())
        self.run_block(list(blocks())[3])

    # Less data and time: the page's figures are for a person, these for a test.
    def test_large_data(self):
        steps = [(re.sub(r"make_libsvm.py 2000", "make_libsvm.py 4", line).replace("--seconds 20", "--seconds 1.5").replace("--seconds 60", "--seconds 3")
                  .replace("INT 20", "INT 2"), shown) for line, shown in list(blocks())[4]]
        self.run_block(steps[:2])
        start = command.processor_seconds()
        self.run_block(steps[2:3], codes=(0, 1))
        self.assertLess(command.processor_seconds() - start, 60 if "sanitize" in command.BRIDLE else 10)
        self.run_block(steps[3:4], codes=(0, 1))
        self.run_block(steps[4:5])
        self.run_block(steps[5:6], codes=(0, 1))

    def test_interrupted_and_resumed(self):
        self.run_block([(re.sub(r"make_libsvm.py 2000", "make_libsvm.py 4", line), shown) for line, shown in list(blocks())[4]][:2])
        process = self.start("solve", "big.toml", "--no-second-order", "--samples", "1e11", "--tolerance", 0, "--checkpoint", "big.state",
                             "--checkpoint-seconds", 0.1, "--json", "big.json")
        while not (self.folder / "big.state").exists() and process.poll() is None:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        done = self.run_command("solve", "big.toml", "--no-second-order", "--samples", "3e6", "--tolerance", 1e-2, "--checkpoint", "big.state",
                                "--json", "big.json", "--resume")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertIn("resumed from the checkpoint", done.stdout)


if __name__ == "__main__":
    command.main()
