"""bridle solve under mpirun: ranks that are lost or silent, what others make of their checkpoint, errors on one rank."""
import os
import pathlib
import signal
import subprocess
import time

import command
from command import CSV, toml
from ranks import ENVIRONMENT, RanksTest


class Faults(RanksTest):
    def disturbed(self, signal_number, *options):
        """A run of three ranks whose rank 1 gets a signal after the first checkpoint: its exit code, what it said, the checkpoint."""
        (self.folder / "state").unlink(missing_ok=True)
        process = self.start_mpirun(3, "solve", "p.toml", "--quiet", "--json", "out.json", *options, *self.FILES)
        deadline = time.monotonic() + 300
        while not (self.folder / "state").exists():
            self.assertIsNone(process.poll(), "the run ended before it could be disturbed")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.005)
        os.kill(self.process_of(1), signal_number)
        errors = process.communicate(timeout=300)[1]
        self.assertFalse((self.folder / "out.json").exists(), "the run ended before it could be disturbed")
        return process.returncode, errors, (self.folder / "state").read_bytes()

    def test_workers_resumed_by_other_ranks(self):
        """A run that lost a rank, taken up by fewer ranks and by one process: the bits of an undisturbed one."""
        self.write({"data.csv": CSV, "p.toml": toml()})
        options = ["--samples", 300000, "--tolerance", "0", "--no-second-order", "--workers", 4]
        undisturbed = self.solved(0, *options)
        saved = self.disturbed(signal.SIGKILL, *options)[2]
        for ranks in (2, 0, 4):
            (self.folder / "state").write_bytes(saved)
            with self.subTest(ranks=ranks):
                self.assertEqual(self.solved(ranks, *options, *self.FILES, "--resume"), undisturbed)

    def test_second_order_steps_resumed_by_other_ranks(self):
        """The same where second-order steps follow the loop, and take most of the time."""
        lines = (f"{1 if i * i % 7 < 3 else -1} " + " ".join(f"{j}:{(i * j) % 11 / 7:.3f}" for j in range(1 + i % 3, 180, 3))
                 for i in range(20000))
        self.write({"d.libsvm": "\n".join(lines) + "\n",
                    "p.toml": toml(data='"d.libsvm"', loss='"logistic-difference"', ridge="1e-3",
                                   without=("target", "positive", "standardise"))})
        options = ["--samples", 400000, "--tolerance", "0", "--workers", 4]
        undisturbed = self.solved(0, *options)
        self.assertGreater(int(undisturbed["second_order"]["iterations"]), 0)
        saved = self.disturbed(signal.SIGKILL, *options)[2]
        for ranks in (2, 0, 4):
            (self.folder / "state").write_bytes(saved)
            with self.subTest(ranks=ranks):
                self.assertEqual(self.solved(ranks, *options, *self.FILES, "--resume"), undisturbed)

    def test_a_silent_rank(self):
        """A rank that is stopped and not dead ends the run within --patience; others take it up."""
        self.write({"data.csv": CSV, "p.toml": toml()})
        options = ["--samples", 300000, "--tolerance", "0", "--no-second-order", "--workers", 4]
        undisturbed = self.solved(0, *options)
        code, errors, _ = self.disturbed(signal.SIGSTOP, *options, "--patience", 5)
        self.assertEqual(code, 5, errors)
        self.assertIn("has not answered for 5 s", errors)
        self.assertIn("--resume goes on from state", errors)
        self.assertEqual(self.solved(2, *options, *self.FILES, "--resume"), undisturbed)

    def test_an_error_on_one_rank_ends_all(self):
        # No memory for a point, on rank 1 alone and in the middle of the work: no other rank can know of it.
        library = pathlib.Path(command.BRIDLE).parents[1] / "tests" / "faults" / "libfail_at.so"
        if not library.exists():
            self.skipTest("the library of faults is not built with sanitizers")
        columns = 4001  # 8 * 4001 bytes are nothing that MPI would ask for
        lines = (" ".join([str(i % 2 * 2 - 1), *(f"{j}:1" for j in range(1 + i, columns + 1, 40))]) for i in range(40))
        self.write({"d.libsvm": "\n".join(lines) + f"\n1 {columns}:1\n",
                    "p.toml": toml(data='"d.libsvm"', without=("target", "positive", "standardise"))})
        rank = ["-n", "1", command.BRIDLE, "solve", "p.toml", "--quiet", "--samples", "1000", "--exact-batches"]
        fault = ["env", f"LD_PRELOAD={library}", "FAULT_KIND=malloc", f"FAULT_BYTES={8 * columns}"]
        for number in (1, 100):
            with self.subTest(allocation=number):
                other = ["-n", "1", *fault, f"FAULT_AT={number}", *rank[2:]]
                done = subprocess.run(["mpirun", *map(str, rank), ":", *map(str, other)], stdin=subprocess.DEVNULL,
                                      cwd=self.folder, capture_output=True, text=True, timeout=300, env=ENVIRONMENT)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("bridle: error: rank 1: std::bad_alloc", done.stderr)


if __name__ == "__main__":
    command.main()
