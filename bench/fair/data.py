"""Where the data is, and how bridle fair is called; shared by the questions of this folder."""
import json
import pathlib
import subprocess
import sys

SHARED = pathlib.Path(__file__).resolve().parents[3] / "shared" / "data"
COLUMNS = ("age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,sex,capital-gain,"
           "capital-loss,hours-per-week,native-country,income")
ADULT = SHARED / "adult" / "adult.data.gz"
ADULT_TEST = SHARED / "adult" / "adult.test.gz"
COMPAS = SHARED / "compas" / "compas-scores-two-years.csv.gz"
ADULT_ARGUMENTS = ["--columns", COLUMNS, "--target", "income", "--positive", ">50K", "--sensitive", "sex"]
# What COMPAS's authors computed, and what repeats other columns, is no feature.
COMPAS_ARGUMENTS = ["--target", "two_year_recid", "--sensitive", "race", "--ignore",
                    "decile_score,score_text,is_recid,age_cat"]


def command():
    if len(sys.argv) < 2:
        sys.exit(f"usage: {sys.argv[0]} BRIDLE")
    if not ADULT.exists():
        print(f"skipped: {ADULT} is not there")
        sys.exit(77)
    return sys.argv[1]


def fair(bridle, train, *arguments):
    """The figures of a run."""
    done = subprocess.run([bridle, "fair", train, *map(str, arguments), "--quiet", "--json", "-"], capture_output=True,
                          text=True)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    return json.loads(done.stdout)
