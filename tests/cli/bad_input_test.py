"""Bad input of every kind gets one line with file, line and rule, exit code 2, and leaves no file behind."""
import gzip
import random

import bad_inputs
import command
from command import CSV, LP, QPS, toml

BAND = 'lp = """\nSubject To\n  band: -1 <= age - hours <= 1\nEnd"""'


class BadInput(command.CommandTest):
    def refuse(self, files, arguments, parts):
        self.clear()
        self.write(files)
        before = {p: p.is_file() and p.read_bytes() for p in self.folder.rglob("*")}
        done = self.run_command(*arguments)
        self.assert_refused(done, *parts)
        after = {p: p.is_file() and p.read_bytes() for p in self.folder.rglob("*")}
        self.assertEqual(before, after, "files appeared or changed")

    def refuse_all(self, table, name="p.toml"):
        for title, (files, parts) in table.items():
            given = next((f for f in files if f.startswith("p.")), name).split("/")[0]
            if title == "missing" and table is bad_inputs.DIRECT:
                given = "p.lp"
            with self.subTest(title):
                self.refuse(files, ["solve", given, "--samples", "100", "--json", "out.json", "--log", "log.csv"], parts)

    def test_data(self):
        self.refuse_all(bad_inputs.DATA)

    def test_sparse_data(self):
        self.refuse_all(bad_inputs.SPARSE)

    def test_problem_file(self):
        self.refuse_all(bad_inputs.STATEMENT)

    def test_variables(self):
        self.refuse_all(bad_inputs.VARIABLES)

    def test_rows_as_text(self):
        self.refuse_all(bad_inputs.TEXT_ROWS)

    def test_balls(self):
        self.refuse_all(bad_inputs.BALLS)

    def test_rates(self):
        self.refuse_all(bad_inputs.RATES)

    def test_rows_from_a_file(self):
        self.refuse_all(bad_inputs.FILE_ROWS)

    def test_program_files(self):
        self.refuse_all(bad_inputs.DIRECT)

    def test_options(self):
        sound = {"data.csv": CSV, "small.qps": QPS, "p.toml": toml()}
        for title, (arguments, files, parts) in bad_inputs.OPTIONS.items():
            with self.subTest(title):
                budget = [] if {"--samples", "--epochs"} & set(arguments) else ["--samples", "100"]
                outputs = [] if "--json" in arguments else ["--json", "out.json"]
                self.refuse({**sound, **files}, ["solve", "p.toml", *budget, *outputs, *arguments], parts)

    def test_solutions(self):
        for title, (solution, parts) in bad_inputs.CERTIFY.items():
            with self.subTest(title):
                files = {"p.lp": LP} if solution is None else {"p.lp": LP, "s.json": solution}
                self.refuse(files, ["certify", "p.lp", "s.json", "--json", "out.json"], parts)

    def test_commands(self):
        for arguments, part in (([], "a command is needed"), (["slove"], "did you mean 'solve'?"),
                                (["solve"], "PROBLEM"), (["certify", "p.lp"], "SOLUTION")):
            with self.subTest(arguments):
                self.refuse({"p.lp": LP}, arguments, [part])


class DamagedFiles(command.CommandTest):
    def solve_quickly(self, name):
        return self.run_command("solve", name, "--samples", "50", "--json", "out.json", timeout=60)

    def test_truncated_gzip(self):
        for name, content, problem_text in (("data.csv.gz", CSV, toml(data='"data.csv.gz"')), ("p.lp.gz", LP, None)):
            packed = gzip.compress(content.encode(), mtime=0)
            given = "p.toml" if problem_text else name
            for cut in sorted({0, 1, 2, 5, 10, 11, 18, len(packed) // 2, len(packed) - 8, len(packed) - 4, len(packed) - 1}):
                with self.subTest(file=name, cut=cut):
                    self.clear()
                    self.write({name: packed[:cut], **({"p.toml": problem_text} if problem_text else {})})
                    self.assert_refused(self.solve_quickly(given), name)
                    self.assertFalse(list(self.folder.glob("out.json*")))

    def test_damaged_gzip(self):
        packed = bytearray(gzip.compress(CSV.encode(), mtime=0))
        for place in (12, len(packed) // 2, len(packed) - 6, len(packed) - 2):
            with self.subTest(place):
                damaged = packed.copy()
                damaged[place] ^= 0x55
                self.write({"data.csv.gz": bytes(damaged), "p.toml": toml(data='"data.csv.gz"')})
                self.assert_refused(self.solve_quickly("p.toml"), "data.csv.gz")

    def test_named_gz_but_plain(self):
        self.write({"data.csv.gz": CSV, "p.toml": toml(data='"data.csv.gz"')})
        self.assert_refused(self.solve_quickly("p.toml"), "data.csv.gz", "does not hold gzip data")

    # Random damage: whatever a file holds, the command ends by itself with an exit code of its own.
    def test_random_damage(self):
        sound = {"data.csv": CSV, "small.qps": QPS, "p.lp": LP, "p.mps": QPS,
                 "p.toml": toml(constraints="covariance = { sex = 0.1 }\n" + BAND)}
        generator = random.Random(7)
        for trial in range(160):
            name = ("data.csv", "p.lp", "p.mps", "p.toml")[trial % 4]
            content = bytearray(sound[name].encode())
            for _ in range(generator.choice((1, 1, 2, 5))):
                place = generator.randrange(len(content))
                kind = generator.randrange(4)
                if kind == 0:
                    content[place] = generator.randrange(256)
                elif kind == 1:
                    del content[place : place + generator.choice((1, 5, 40))]
                elif kind == 2:
                    content[place:place] = generator.choice((b"-", b"1e400 ", b"\n", b'"', b"<=", b"\xff\xfe", b"9" * 60))
                else:
                    content[place:place] = content[place : place + 30]
                content = content or bytearray(b"x")
            with self.subTest(trial=trial, file=name):
                self.clear()
                self.write({**sound, name: bytes(content)})
                done = self.solve_quickly("p.toml" if name == "data.csv" else name)
                self.assertIn(done.returncode, (0, 1, 2, 3, 4), f"{done.stderr}\n{bytes(content)!r}")
                self.assertEqual(done.returncode == 2, done.stderr.startswith("bridle: error: "), done.stderr)
                self.assertLessEqual(len(done.stderr.splitlines()), 1, done.stderr)


if __name__ == "__main__":
    command.main()
