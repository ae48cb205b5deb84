"""A run killed at any moment and resumed ends bit-identical to an undisturbed one; bad checkpoints are refused."""
import json
import random
import signal
import time

import command
from command import CSV, LP, QPS, QUADRATIC, toml

NOISY = {"small.qps": QPS, "p.toml": toml(QUADRATIC, noise="1.0", constraints='file = "small.qps"')}
MODEL = {"data.csv": CSV, "p.toml": toml(constraints="covariance = { sex = 0.05 }")}
# What must agree to the last bit; times may differ.
EXACT = ("status", "x", "y", "objective", "error", "iterations", "samples", "certificate_samples", "events", "parameters")


def exact(text):
    """The part of a result that must not depend on when a run was killed, numbers as they are written."""
    result = json.loads(text, parse_float=str, parse_int=str)
    return {key: result[key] for key in EXACT}


class Killed(command.CommandTest):
    def arguments(self, samples, *more):
        return ["solve", "p.toml", "--no-second-order", "--samples", samples, "--tolerance", "0", "--quiet", "--json", "out.json", *more]

    def undisturbed(self, samples, *more):
        done = self.run_command(*self.arguments(samples, *more))
        self.assertIn(done.returncode, (0, 1), done.stderr)
        path = self.folder / "out.json"
        text = path.read_text()
        path.unlink()
        return exact(text)

    def killed_and_resumed(self, samples, kills, generator, *more):
        """Runs to the end, killed `kills` times on the way after a random time each."""
        resume = ["--checkpoint", "state", "--checkpoint-seconds", "0.02", "--resume", *more]
        landed = 0
        for _ in range(kills):
            process = self.start(*self.arguments(samples, *resume))
            time.sleep(generator.uniform(0.02, 0.5))
            landed += process.poll() is None
            process.send_signal(signal.SIGKILL)
            process.communicate()
        done = self.run_command(*self.arguments(samples, *resume))
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertGreater(landed, 0, "no kill hit the run")
        return exact((self.folder / "out.json").read_text())

    def calibrated(self):
        """Samples that take about two seconds here."""
        samples = 20000
        while True:
            start = time.monotonic()
            self.undisturbed(samples)
            seconds = time.monotonic() - start
            if seconds > 0.2:
                return int(samples * 2 / seconds)
            samples *= 4

    def test_stream(self):
        self.write(NOISY)
        samples = self.calibrated()
        self.assertEqual(self.killed_and_resumed(samples, 6, random.Random(1)), self.undisturbed(samples))

    def test_finite_sum(self):
        self.write(MODEL)
        samples = self.calibrated()
        self.assertEqual(self.killed_and_resumed(samples, 6, random.Random(2)), self.undisturbed(samples))

    def test_interrupted_and_resumed(self):
        self.write(NOISY)
        samples = self.calibrated()
        keep = ["--checkpoint", "state", "--checkpoint-seconds", "0.02"]
        process = self.start(*self.arguments(samples, *keep))
        while not (self.folder / "state").exists() and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        process.communicate()
        self.assertEqual(process.returncode, 130)
        done = self.run_command(*self.arguments(samples, *keep, "--resume"))
        self.assertIn(done.returncode, (0, 1), done.stderr)
        resumed = exact((self.folder / "out.json").read_text())
        self.assertEqual(resumed, self.undisturbed(samples))

    # Resuming needs no file to be there, saving changes nothing, and a finished run can be resumed.
    def test_fresh_and_finished(self):
        self.write(NOISY)
        plain = self.undisturbed(50000)
        more = ["--checkpoint", "state", "--checkpoint-seconds", "0", "--resume"]
        self.assertEqual(self.undisturbed(50000, *more), plain)
        self.assertTrue((self.folder / "state").exists())
        self.assertEqual(list(self.folder.glob("*.new")), [])
        self.assertEqual(self.undisturbed(50000, *more), plain)


class Refused(command.CommandTest):
    RUN = ["solve", "p.toml", "--samples", "20000", "--tolerance", "0", "--json", "out.json", "--checkpoint", "state"]

    def setUp(self):
        super().setUp()
        self.write(MODEL)
        done = self.run_command(*self.RUN, "--checkpoint-seconds", "0")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.state = (self.folder / "state").read_bytes()
        (self.folder / "out.json").unlink()

    def refuse(self, run, *parts):
        self.assert_refused(self.run_command(*run, "--resume"), "state", *parts)
        self.assertFalse(list(self.folder.glob("out.json*")))

    def test_damaged(self):
        generator = random.Random(3)
        places = [0, 5, 19, 20, 28, len(self.state) - 1] + [generator.randrange(len(self.state)) for _ in range(10)]
        for place in places:
            with self.subTest(place=place):
                damaged = bytearray(self.state)
                damaged[place] ^= 1 << generator.randrange(8)
                self.write({"state": bytes(damaged)})
                self.refuse(self.RUN)
        for size in (0, 1, 10, 30, len(self.state) // 2, len(self.state) - 1):
            with self.subTest(size=size):
                self.write({"state": self.state[:size]})
                self.refuse(self.RUN)
        for title, content in {"longer": self.state + b"x", "text": b"hello\n", "zeros": bytes(5000)}.items():
            with self.subTest(title):
                self.write({"state": content})
                self.refuse(self.RUN)

    def test_foreign(self):
        self.write({"other.toml": toml(constraints="covariance = { sex = 0.06 }"),
                    "changed.toml": toml(constraints="covariance = { sex = 0.05 }", ridge="0.2"),
                    "small.toml": toml(), "p.lp": LP})
        runs = {
            "seed": [*self.RUN, "--seed", "2"],
            "batch": [*self.RUN, "--batch", "2"],
            "rows": [w.replace("p.toml", "other.toml") for w in self.RUN],
            "objective": [w.replace("p.toml", "changed.toml") for w in self.RUN],
            "size": [w.replace("p.toml", "small.toml") for w in self.RUN],
            "problem": [w.replace("p.toml", "p.lp") for w in self.RUN],
        }
        for title, run in runs.items():
            with self.subTest(title):
                self.refuse(run, "belongs to another problem or other options")

    def test_a_larger_budget_goes_on(self):
        run = [*self.RUN, "--no-second-order"]  # whose steps would end it before the budget does
        self.assertEqual(self.run_command(*run).returncode, 1)
        larger = [w.replace("20000", "60000") for w in run]
        done = self.run_command(*larger, "--resume")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("resumed from the checkpoint", done.stdout)
        result = json.loads((self.folder / "out.json").read_text())
        self.assertGreater(result["samples"], 20000)
        self.certify("p.toml", result, "--tolerance", 1e-2)

    def test_changed_data(self):
        rows = CSV.splitlines()
        rows[5] = rows[5].replace(rows[5].split(",")[0], "99", 1)
        self.write({"data.csv": "\n".join(rows) + "\n"})
        self.refuse(self.RUN, "belongs to another problem")


if __name__ == "__main__":
    command.main()
