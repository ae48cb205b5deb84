"""Who started the processes of a run: mpirun, srun or nobody. Slurm is not needed, its variables are made up."""
import json
import os
import subprocess

import command
from command import CSV, toml
from ranks import ENVIRONMENT, RanksTest

LAUNCHERS = ("OMPI_COMM_WORLD_", "PMI_", "PMIX_", "SLURM_")


class Launch(RanksTest):
    def started_by(self, launcher, *arguments):
        """A run of one process whose environment says how it was started."""
        environment = {name: value for name, value in ENVIRONMENT.items() if not name.startswith(LAUNCHERS)}
        return subprocess.run([command.BRIDLE, *map(str, arguments)], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=300, env={**environment, **launcher})

    def test_processes_that_mpi_does_not_connect_are_no_runs_of_their_own(self):
        self.write({"data.csv": CSV, "p.toml": toml()})
        for size, rank, advice in (("SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "srun --mpi=pmix"), ("PMI_SIZE", "PMI_RANK", "use the mpirun of"),
                                   ("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "use the mpirun of")):
            for command_line in (["solve", "p.toml", "--workers", 2], ["solve", "p.toml"], ["consensus", "p.toml"]):
                with self.subTest(size=size, command=command_line):
                    options = [*command_line, "--json", "out.json", "--checkpoint", "state"]
                    self.assert_refused(self.started_by({size: "2", rank: "0"}, *options), "started 2 processes", advice,
                                        "OMPI_COMM_WORLD_SIZE=1")
                    other = self.started_by({size: "2", rank: "1"}, *options)  # the first of them tells
                    self.assertEqual((other.returncode, other.stdout, other.stderr), (0, "", ""))
                    self.assertEqual(sorted(os.listdir(self.folder)), ["data.csv", "p.toml"])

    def test_one_process_is_one_process(self):
        self.write({"data.csv": CSV, "p.toml": toml()})
        batch_script = {"SLURM_NTASKS": "4", "SLURM_NPROCS": "4", "SLURM_PROCID": "0", "SLURM_CPUS_PER_TASK": "2"}
        results = []
        for launcher in ({}, batch_script, {"SLURM_STEP_NUM_TASKS": "1", "SLURM_PROCID": "0"}, {"PMI_SIZE": "1", "PMI_RANK": "0"},
                         {"SLURM_STEP_NUM_TASKS": "2", "SLURM_PROCID": "1", "OMPI_COMM_WORLD_SIZE": "1"},
                         {"SLURM_STEP_NUM_TASKS": "2", "SLURM_PROCID": "1", "PMI_SIZE": "1", "PMI_RANK": "0"}):
            with self.subTest(launcher=launcher):
                done = self.started_by(launcher, "solve", "p.toml", "--quiet", "--json", "-", "--workers", 2)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                result = json.loads(done.stdout)
                self.assertNotIn("ranks", result)
                results.append(result["x"])
        for x in results:
            self.assertEqual(x, results[0])

    def test_tasks_of_srun_all_tell_of_errors_before_they_are_ranks(self):
        """They may be runs of their own: those of a command that knows no ranks, or whose options nobody understands."""
        task = {"SLURM_STEP_NUM_TASKS": "2", "SLURM_PROCID": "1"}
        self.assert_refused(self.started_by(task, "fair", "nowhere.csv"), "--target")
        self.assert_refused(self.started_by(task, "solve", "p.toml", "--nonsense"), "--nonsense")


if __name__ == "__main__":
    command.main()
