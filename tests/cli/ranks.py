"""What the tests under mpirun share."""
import gzip
import json
import os
import pathlib
import shutil
import subprocess
import unittest

import command
from command import toml

# Containers run as root and have few cores; leaks inside MPI itself are none of ours.
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
               "OMPI_MCA_odls_base_sigkill_timeout": "0",  # else mpirun takes 2 s more to end where exit codes are not 0
               "ASAN_OPTIONS": "detect_leaks=0"}
# What a clock or the number of ranks may change.
FREE = ("seconds", "load_seconds", "solve_seconds", "certify_seconds", "step_nanoseconds", "ranks", "rank_messages",
        "rank_bytes")


def exact(text):
    result = json.loads(text, parse_float=str)
    for spent in result.get("phases", {}).values():
        del spent["seconds"]
    result.get("second_order", {}).pop("seconds", None)
    return {key: value for key, value in result.items() if key not in FREE}


@unittest.skipUnless(shutil.which("mpirun"), "mpirun is not there")
class RanksTest(command.CommandTest):
    FILES = ("--checkpoint", "state", "--checkpoint-seconds", "0")

    def mpirun(self, ranks, *arguments):
        return subprocess.run(["mpirun", "-n", str(ranks), command.BRIDLE, *map(str, arguments)], cwd=self.folder,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600,
                              env=ENVIRONMENT)

    def solved(self, ranks, *arguments, code=1):
        """The result of a run, without what a clock may change."""
        options = ["solve", "p.toml", "--quiet", "--json", "out.json", *arguments]
        done = self.mpirun(ranks, *options) if ranks else self.run_command(*options)
        self.assertEqual(done.returncode, code, done.stderr)
        text = (self.folder / "out.json").read_text()
        (self.folder / "out.json").unlink()
        return exact(text)

    def start_mpirun(self, ranks, *arguments):
        process = subprocess.Popen(["mpirun", "-n", str(ranks), command.BRIDLE, *map(str, arguments)],
                                   cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
        self.addCleanup(self.end, process)
        return process

    def process_of(self, rank):
        """The process id of a rank that runs in this test's folder."""
        for entry in pathlib.Path("/proc").iterdir():
            try:
                here = entry.name.isdigit() and os.readlink(entry / "cwd") == str(self.folder.resolve())
                if here and f"OMPI_COMM_WORLD_RANK={rank}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                    return int(entry.name)
            except OSError:
                continue
        self.fail(f"rank {rank} does not run")

    def on_two_machines(self, files, text, name, *arguments, code=0):
        """Each has half of the data files and no others."""
        for k, file in enumerate(files):
            self.write({f"machine{k // 2}/{file}": files[file], f"machine{k // 2}/c.toml": text})
        options = [name, "c.toml", "--quiet", "--json", "out.json", *arguments]
        one = ["-n", "1", "--wdir", self.folder / "machine0", command.BRIDLE, *options]
        two = ["-n", "1", "--wdir", self.folder / "machine1", command.BRIDLE, *options]
        done = subprocess.run(["mpirun", *map(str, one), ":", *map(str, two)], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=600, env=ENVIRONMENT)
        self.assertEqual(done.returncode, code, done.stderr)
        return (self.folder / "machine0" / "out.json").read_text()

    def problems_in_files(self):
        # Category 'x' and the class 'low' are in some of the files only: the ranks must agree on them.
        rows = [f"{20 + 7 * i % 41},{'xyz'[min(i // 9, 2)]},{'high' if i % 5 > 1 and i > 5 else 'low'}\n"
                for i in range(24)]
        cuts = (0, 5, 6, 15, 24)
        parts = {f"part{k}.csv": "age,town,income\n" + "".join(rows[cuts[k]:cuts[k + 1]]) for k in range(4)}
        sparse = {f"part{k}.libsvm": f"{k % 2 * 2 - 1} 1:{k + 1} {k + 2}:-0.5\n" * (k + 2) for k in range(4)}
        packed = {f"{name}.gz": gzip.compress(text.encode()) for name, text in parts.items()}
        for files, without in ((parts, ()), (packed, ()), (sparse, ("target", "positive", "standardise"))):
            names = ", ".join(f'"{name}"' for name in files)
            yield files, toml(data=f"[{names}]", without=without)

    def assert_told_once(self, done, part):
        self.assertEqual(done.returncode, 2, done.stderr)
        lines = [line for line in done.stderr.splitlines() if line.startswith("bridle")]
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertIn(part, lines[0])
