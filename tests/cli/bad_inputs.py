"""The table of bad inputs: files, and what the one line about them must hold (file, line, rule)."""
from command import CSV, LIBSVM, LP, MPS, QPS, QUADRATIC, toml

ROWS = CSV.splitlines()


def with_row(number, row):
    """The CSV with line `number` (the header is 1) replaced."""
    return "\n".join(ROWS[: number - 1] + [row] + ROWS[number:]) + "\n"


def data(content, *parts, name="data.csv", **changes):
    """A fault of the data file."""
    return {name: content, "p.toml": toml(data=f'"{name}"', **changes)}, parts


def problem(text, *parts, **files):
    """A fault of the problem file, with all the files it may name sound unless given."""
    sound = {"data.csv": CSV, "small.qps": QPS, "small.lp": LP, "rows.mps": ROWS_MPS, "p.toml": text}
    return {**sound, **{k.replace("_", "."): v for k, v in files.items()}}, parts


def rows(lp, *parts):
    """A fault of the LP text; its lines count as those of the problem file."""
    return problem(toml(constraints=f'lp = """\n{lp}"""'), *parts)


ROWS_MPS = """NAME
ROWS
 N  none
 L  budget
COLUMNS
    age       budget    1
    hours     budget    1
RHS
    rhs       budget    4
ENDATA
"""


def mps(text, *parts):
    """A fault of the file that [constraints] names."""
    return problem(toml(constraints='file = "rows.mps"'), *parts, rows_mps=text)


DATA = {
    "missing file": ({"p.toml": toml()}, ("data.csv", "cannot open", "No such file")),
    "a folder": ({"data.csv/x": "", "p.toml": toml()}, ("data.csv", "is a directory")),
    "empty": data("", "data.csv: ", "empty"),
    "blank lines only": data("\n\n \n", "data.csv: ", "empty"),
    "header only": data(ROWS[0] + "\n", "data.csv: ", "no data rows"),
    "a field too few": data(with_row(5, "30,40,low"), "data.csv:5: ", "3 fields, but the header has 4"),
    "a field too many": data(with_row(9, "30,40,low,m,7"), "data.csv:9: ", "5 fields, but the header has 4"),
    "NaN": data(with_row(4, "nan,40,low,m"), "data.csv:4: ", "'age'", "not a finite number"),
    "inf": data(with_row(6, "30,-inf,low,m"), "data.csv:6: ", "'hours'", "not a finite number"),
    "overflow": data(with_row(6, "30,1e999,low,m"), "data.csv:6: ", "'hours'", "not a finite number"),
    "text in a numeric column": data(with_row(7, "thirty,40,low,m"), "data.csv:7: ", "'age' is numeric", "'thirty'"),
    "only missing values": data("age,hours,income,sex\n?,1,low,m\n3,,high,f\n", "data.csv: ", "missing value", "2 rows"),
    "missing value as an error": data(with_row(8, "?,40,low,m"), "data.csv:8: ", "'age'", "missing", missing='"error"'),
    "one class": data("age,hours,income,sex\n3,4,high,f\n5,6,high,m\n", "data.csv: ", "'income' has one class only"),
    "one class of numbers": data("age,income\n3,1\n5,1\n", "data.csv: ", "'income' has one class only",
                                 without=["positive"]),
    "three classes of numbers": data("age,income\n3,1\n5,2\n6,3\n", "'income' has 3 values", "positive",
                                     without=["positive"]),
    "number not among the classes": data("age,income\n3,1\n5,2\n", "no row has target 'income' = 7", positive="7"),
    "text positive of a numeric target": data("age,income\n3,1\n5,2\n", "'income' is numeric", "'high'"),
    "text target without positive": data(CSV, "'income' is text", "positive", without=["positive"]),
    "positive absent": data(CSV, "no row has target 'income' = 'hihg'", "did you mean 'high'?", positive='"hihg"'),
    "unknown target": data(CSV, "no column is named 'incone'", "did you mean 'income'?", target='"incone"'),
    "text target of a regression": data(CSV, "'income' is text", "squared is for numbers", loss='"squared"'),
    "no features": data("income\nhigh\nlow\n", "data.csv: ", "no feature columns"),
    "no header": data("1,2\n3,4\n", "data.csv:1: ", "not column names", "columns"),
    "a quote never closed": data(with_row(5, '30,40,"low,m'), "data.csv:5: ", "never closed"),
    "text after a quote": data(with_row(5, '30,40,"low"er,m'), "data.csv:5: ", "closing quote"),
    "names for fewer columns": data(CSV, "data.csv:1: ", "4 fields, but the columns named are 3",
                                    columns='["age", "hours", "income"]'),
    "a column named twice": data(CSV, "'age' is listed twice", columns='["age", "age", "income", "sex"]'),
    "unknown column ignored": data(CSV, "ignore", "'saex'", "did you mean 'sex'?", ignore='["saex"]'),
    "unknown categorical column": data(CSV, "categorical", "'agee'", "did you mean 'age'?", categorical='["agee"]'),
    "binary": data(bytes(range(256)) * 4, "data.csv:1: ", "NUL byte"),
    "UTF-16": data(CSV.encode("utf-16"), "data.csv:1: ", "NUL byte", "UTF-16"),
    "constant sensitive column": data(CSV.replace(",m\n", ",f\n"), "sensitive column 'sex' is constant",
                                      constraints="covariance = { sex = 0.1 }"),
    "unknown sensitive column": data(CSV, "no column is named 'sxe'", "did you mean 'sex'?",
                                     constraints="covariance = { sxe = 0.1 }"),
}

LIBSVM_KEYS = {"without": ["target", "positive", "standardise"], "name": "data.txt", "format": '"libsvm"'}
SPARSE = {
    "index 0": data(LIBSVM + "1 0:3\n", "data.txt:21: ", "'0:3'", "indices start at 1", **LIBSVM_KEYS),
    "falling indices": data(LIBSVM + "1 4:3 2:1\n", "data.txt:21: ", "increase", "2 follows 4", **LIBSVM_KEYS),
    "no colon": data(LIBSVM + "1 4\n", "data.txt:21: ", "'4'", "index:value", **LIBSVM_KEYS),
    "NaN": data(LIBSVM + "1 4:nan\n", "data.txt:21: ", "'4:nan'", "finite", **LIBSVM_KEYS),
    "text label": data(LIBSVM + "yes 4:1\n", "data.txt:21: ", "label 'yes'", **LIBSVM_KEYS),
    "one class": data("1 1:2\n1 2:3\n", "data.txt: ", "one class", **LIBSVM_KEYS),
    "three labels": data("1 1:2\n2 2:3\n3 1:1\n", "data.txt: ", "3 values", **LIBSVM_KEYS),
    "no data": data("# nothing\n\n", "data.txt: ", "no data lines", **LIBSVM_KEYS),
    "CSV read as LIBSVM": data(CSV, "data.txt:1: ", "label", **LIBSVM_KEYS),
    "a key of CSV data": data(LIBSVM, "p.toml:4: ", "target belongs to CSV data", without=["positive", "standardise"],
                              name="data.txt", format='"libsvm"'),
}

STATEMENT = {
    "missing file": ({}, ("p.toml", "cannot open", "No such file")),
    "a folder": ({"p.toml/x": ""}, ("p.toml", "is a directory")),
    "empty": ({"p.toml": ""}, ("p.toml: ", "[objective] is missing")),
    "binary": ({"p.toml": bytes(range(256))}, ("p.toml:1: ", "NUL byte")),
    "broken TOML": problem("[objective]\nkind = \n", "p.toml:2: "),
    "a bracket never closed": problem("[objective\nkind = 3\n", "p.toml:1: "),
    "a key twice": problem(toml() + 'loss = "logistic"\n', "p.toml:9: "),
    "unknown section": problem(toml() + "\n[constraint]\n", "p.toml:10: ", "'constraint'", "did you mean 'constraints'?"),
    "a section that is none": problem("objective = 3\n", "p.toml:1: ", "must be a section [objective]"),
    "unknown key": problem(toml(standardize="true"), "p.toml:9: ", "unknown key 'standardize' in [objective]",
                           "did you mean 'standardise'?"),
    "unknown key of variables": problem(toml(variables='bound = { "*" = [0, 1] }'), "p.toml:11: ", "'bound'",
                                        "did you mean 'bounds'?"),
    "unknown key of constraints": problem(toml(constraints='lpp = ""'), "p.toml:11: ", "did you mean 'lp'?"),
    "unknown key of simplex": problem(toml(variables='simplex = { variables = ["*"], sum = 2 }'), "p.toml:11: ",
                                      "unknown key 'sum'"),
    "no kind": problem(toml(without=["kind"]), "p.toml:1: ", "needs the key 'kind'"),
    "unknown kind": problem(toml(kind='"linear"'), "p.toml:2: ", "'linear' is unknown", "'linear-model'"),
    "a needed key with a slip": problem(toml(without=["loss"], lose='"logistic"'), "p.toml:8: ", "unknown key 'lose'",
                                        "did you mean 'loss'?"),
    "no data": problem(toml(without=["data"]), "p.toml:1: ", "needs the key 'data'"),
    "no loss": problem(toml(without=["loss"]), "p.toml:1: ", "needs the key 'loss'"),
    "no target": problem(toml(without=["target"]), "p.toml:1: ", "needs the key 'target'"),
    "unknown loss": problem(toml(loss='"logistics"'), "p.toml:6: ", "'logistics' is unknown", "did you mean 'logistic'?"),
    "unknown format": problem(toml(format='"parquet"'), "p.toml:9: ", "format", '"csv" or "libsvm"'),
    "unknown missing": problem(toml(missing='"keep"'), "p.toml:9: ", "missing", '"drop" or "error"'),
    "long separator": problem(toml(separator='"::"'), "p.toml:9: ", "separator must be one character"),
    "a shift of another loss": problem(toml(shift="2"), "p.toml:9: ", "shift belongs to the loss logistic-difference"),
    "a width of another loss": problem(toml(width="2"), "p.toml:9: ", "width belongs to the losses huber and tukey"),
    "width 0": problem(toml(loss='"huber"', width="0", target='"age"'), "width", "must be finite and > 0"),
    "negative ridge": problem(toml(ridge="-1"), "p.toml:8: ", "ridge must be finite and >= 0"),
    "infinite ridge": problem(toml(ridge="inf"), "p.toml:8: ", "ridge must be finite and >= 0"),
    "NaN": problem(toml(ridge="nan"), "p.toml:8: ", "ridge must be a number"),
    "text for a number": problem(toml(ridge='"big"'), "p.toml:8: ", "ridge must be a number"),
    "number for text": problem(toml(target="3"), "p.toml:4: ", "target must be a string"),
    "number for a flag": problem(toml(standardise="1"), "p.toml:7: ", "standardise must be true or false"),
    "text for a list": problem(toml(ignore='"sex"'), "p.toml:9: ", "ignore must be a list of strings"),
    "numbers in a list": problem(toml(ignore="[1]"), "p.toml:9: ", "ignore must be a list of strings"),
    "quadratic without file": problem(toml({"kind": '"quadratic"'}), "p.toml:1: ", "needs the key 'file'"),
    "negative noise": problem(toml(QUADRATIC, noise="-1"), "p.toml:4: ", "noise must be finite and >= 0"),
    "data of a quadratic": problem(toml(QUADRATIC, loss='"logistic"'), "p.toml:4: ", "unknown key 'loss'"),
    "covariance of a quadratic": problem(toml(QUADRATIC, constraints="covariance = { sex = 1 }"), "p.toml",
                                         "covariance constraints need a linear model over CSV data"),
    "covariance of no table": problem(toml(constraints="covariance = 1"), "p.toml:11: ", "must be a table"),
    "negative covariance": problem(toml(constraints="covariance = { sex = -1 }"), "p.toml:11: ", ">= 0"),
    "covariance as text": problem(toml(constraints='covariance = { sex = "low" }'), "p.toml:11: ", "must be a number"),
}

VARIABLES = {
    "l > u": problem(toml(variables='bounds = { "age" = [2, 1] }'), "p.toml:11: ", "'age'", "lower 2 > upper 1"),
    "bounds that leave nothing": problem(toml(variables='bounds = { "age" = [inf, inf] }'), "p.toml:11: ", "leave no number"),
    "unknown name": problem(toml(variables='bounds = { "agee" = [0, 1] }'), "p.toml:11: ", "'agee' matches no variable",
                            "did you mean 'age'?"),
    "unknown pattern": problem(toml(variables='bounds = { "share_*" = [0, 1] }'), "p.toml:11: ", "'share_*'"),
    "one bound": problem(toml(variables='bounds = { "age" = [1] }'), "p.toml:11: ", "[lower, upper]"),
    "no pair": problem(toml(variables='bounds = { "age" = 1 }'), "p.toml:11: ", "[lower, upper]"),
    "text bound": problem(toml(variables='bounds = { "age" = ["a", 1] }'), "p.toml:11: ", "must be a number"),
    "NaN bound": problem(toml(variables='bounds = { "age" = [nan, 1] }'), "p.toml:11: ", "must be a number"),
    "bounds of no table": problem(toml(variables="bounds = [0, 1]"), "p.toml:11: ", "must be a table"),
    "simplex of unknown names": problem(toml(variables='simplex = ["share_*"]'), "p.toml:11: ", "'share_*'"),
    "simplex of no list": problem(toml(variables='simplex = "age"'), "p.toml:11: ", "must be a list"),
    "simplex of numbers": problem(toml(variables="simplex = [1]"), "p.toml:11: ", "must be a list"),
    "simplex without variables": problem(toml(variables="simplex = { total = 2 }"), "p.toml:11: ", "needs variables"),
    "empty simplex": problem(toml(variables="simplex = []"), "p.toml:11: ", "names no variable"),
    "negative total": problem(toml(variables='simplex = { variables = ["age"], total = -1 }'), "p.toml:11: ",
                              "total must be finite and > 0"),
    "negative radius": problem(toml(variables='l1_ball = { variables = ["age"], radius = -1 }'), "p.toml:11: ",
                               "radius must be finite and > 0"),
    "ball and bounds": problem(toml(variables='l1_ball = ["age", "hours"]\nbounds = { "age" = [0.2, 1] }'),
                               "p.toml:11: ", "'age'", "which has bounds"),
    "two sets": problem(toml(variables='simplex = ["age", "hours"]\nordered = ["age", "hours"]'), "p.toml:12: ",
                        "'age'", "in another set"),
}

TEXT_ROWS = {
    "l > u": rows("Subject To\n  band: 3 <= age <= 1\nEnd", "p.toml:13: ", "row 'band'", "3 is above the upper bound 1"),
    "bounds l > u": rows("Subject To\n r: age <= 1\nBounds\n 3 <= hours <= 1\nEnd", "p.toml:15: ", "'hours'",
                         "3 is above the upper bound 1"),
    "unknown variable": rows("Subject To\n  a: age <= 1\n  b: hors <= 1\nEnd", "p.toml:14: ",
                             "'hors' is not in the objective", "did you mean 'hours'?"),
    "garbage": rows("Subject To\n  a: age <= ] 3\nEnd", "p.toml:13: "),
    "no relation": rows("Subject To\n  a: age + 3\nEnd", "p.toml:", "expected '<='"),
    "no End": rows("Subject To\n  a: age <= 3\n", "p.toml:", "'End' is missing"),
    "no section": rows("age <= 3\n", "p.toml:12: ", "expected a section"),
    "a name twice": rows("Subject To\n a: age <= 3\n a: hours <= 3\nEnd", "p.toml:14: ", "a second row is named 'a'"),
    "quadratic row": rows("Subject To\n a: [ age ^ 2 ] / 3 <= 3\nEnd", "p.toml:13: ", "quadratic part of a row"),
    "cubic row": rows("Subject To\n a: [ age ^ 3 ] <= 3\nEnd", "p.toml:13: ", "only the power 2"),
    "squares outside brackets": rows("Subject To\n a: age ^ 2 <= 3\nEnd", "p.toml:13: ", "written '[ x^2"),
    "unknown variable in a square": rows("Subject To\n  a: [ age^2 + hors^2 ] <= 1\nEnd", "p.toml:13: ",
                                         "'hors' is not in the objective", "did you mean 'hours'?"),
    "NaN": rows("Subject To\n a: nan age <= 3\nEnd", "p.toml:13: "),
    "infinite coefficient": rows("Subject To\n a: 1e999 age <= 3\nEnd", "p.toml:13: ", "not finite"),
    "no variable": rows("Subject To\n a: 2 <= 3\nEnd", "p.toml:13: ", "no variable"),
    "empty": rows("", "p.toml:", "'End' is missing"),
    "rates of the target": problem(toml() + '[[constraints.rate]]\ngroups = "income"\ngap = 0.1\n', "p.toml:",
                                   "groups 'income' is the target itself"),
    "bounds that contradict the file's": problem(
        toml(QUADRATIC, constraints='lp = """\nSubject To\n b: x + y >= 0\nBounds\n x >= 5\nEnd"""'),
        "p.toml:8: ", "'x' is left with lower bound 5 above upper bound 3"),
}



def ball(text, *parts):
    """A fault of a ball; its table begins in line 12, its keys in line 13."""
    return problem(toml(constraints="") + "[[constraints.ball]]\n" + text + "\n", *parts)


BALLS = {
    "no radius": ball("centre = 1", "p.toml:12: ", "needs the key 'radius'"),
    "radius 0": ball("radius = 0", "p.toml:13: ", "must be finite and > 0"),
    "radius inf": ball("radius = inf", "p.toml:13: ", "must be finite and > 0"),
    "radius of text": ball('radius = "1"', "p.toml:13: ", "must be a number"),
    "unknown variable": ball('radius = 1\nvariables = ["hors"]', "p.toml:14: ", "'hors' matches no variable",
                             "did you mean 'hours'?"),
    "no variables": ball("radius = 1\nvariables = []", "p.toml:14: ", "names no variable"),
    "centre too long": ball('radius = 1\nvariables = ["age"]\ncentre = [1, 2]', "p.toml:15: ", "2 numbers for 1 variables"),
    "centre inf": ball("radius = 1\ncentre = inf", "p.toml:14: ", "must be finite"),
    "unknown key": ball("radius = 1\ncenter = 1", "p.toml:14: ", "unknown key 'center'", "did you mean 'centre'?"),
    "a name twice": ball('radius = 1\nname = "a"\n[[constraints.ball]]\nradius = 1\nname = "a"', "p.toml:15: ",
                         "'a' is used twice"),
    "no table": problem(toml(constraints="ball = 3"), "p.toml:11: ", "[[constraints.ball]]"),
}


def rate(text, *parts):
    """A fault of a rate; its table begins in line 12, its keys in line 13."""
    return problem(toml(constraints="") + "[[constraints.rate]]\n" + text + "\n", *parts)


RATES = {
    "no groups": rate("gap = 0.1", "p.toml:12: ", "needs the key 'groups'"),
    "no gap": rate('groups = "sex"', "p.toml:12: ", "needs the key 'gap'"),
    "gap of more than 1": rate('groups = "sex"\ngap = 2', "p.toml:14: ", "between 0 and 1"),
    "unknown condition": rate('groups = "sex"\ngap = 0.1\ncondition = "some"', "p.toml:15: ", "must be \"all\""),
    "slope 0": rate('groups = "sex"\ngap = 0.1\nslope = 0', "p.toml:15: ", "must be finite and > 0"),
    "unknown column": rate('groups = "sx"\ngap = 0.1', "'sx'"),
    "unknown key": rate('groups = "sex"\ngap = 0.1\nslop = 1', "p.toml:15: ", "unknown key 'slop'", "did you mean 'slope'?"),
    "many values": rate('groups = "age"\ngap = 0.1', "p.toml:12: ", "column 'age' has", "between 2 and 10"),
    "no data": problem(toml(QUADRATIC, constraints="") + '[[constraints.rate]]\ngroups = "sex"\ngap = 0.1\n',
                       "p.toml:", "need a linear model over CSV data"),
    "no table": problem(toml(constraints="rate = 3"), "p.toml:11: ", "[[constraints.rate]]"),
}

FILE_ROWS = {
    "missing": problem(toml(constraints='file = "none.mps"'), "none.mps: ", "No such file"),
    "a folder": problem(toml(constraints='file = "folder.mps"'), "folder.mps: ", "is a directory", **{"folder.mps/x": ""}),
    "another extension": problem(toml(constraints='file = "data.csv"'), "data.csv: ", ".lp, .mps or .qps"),
    "unknown variable": mps(ROWS_MPS.replace("hours", "hors"), "rows.mps:7: ", "'hors' is not in the objective",
                            "did you mean 'hours'?"),
    "unknown row": mps(ROWS_MPS.replace("hours     budget", "hours     budgt"), "rows.mps:7: ", "no row is named 'budgt'",
                       "did you mean 'budget'?"),
    "unknown bound": mps(ROWS_MPS.replace("ENDATA", "BOUNDS\n UP bnd ages 3\nENDATA"), "rows.mps:11: ",
                         "no column is named 'ages'", "did you mean 'age'?"),
    "bounds l > u": mps(ROWS_MPS.replace("ENDATA", "BOUNDS\n LO bnd age 5\n UP bnd age 3\nENDATA"), "rows.mps:12: ",
                        "'age'", "5 is above the upper bound 3"),
    "unknown bound type": mps(ROWS_MPS.replace("ENDATA", "BOUNDS\n XX bnd age 3\nENDATA"), "rows.mps:11: ", "'XX'"),
    "garbage": mps(ROWS_MPS.replace("    rhs", "@!%$ rhs x y z w"), "rows.mps:9: "),
    "text for a number": mps(ROWS_MPS.replace("budget    4", "budget    four"), "rows.mps:9: ", "'four' is not a number"),
    "NaN": mps(ROWS_MPS.replace("budget    4", "budget    nan"), "rows.mps:9: ", "'nan' is not a number"),
    "unknown section": mps(ROWS_MPS.replace("RHS\n", "RHSS\n"), "rows.mps:8: ", "'RHSS'", "did you mean 'RHS'?"),
    "cut off": mps(ROWS_MPS.replace("ENDATA\n", ""), "rows.mps: ", "ENDATA is missing"),
    "empty": mps("", "rows.mps: ", "no MPS sections"),
    "binary": mps(bytes(range(255, -1, -1)), "rows.mps:", "NUL byte"),
    "a row named twice": problem(
        toml(constraints='file = "rows.mps"\nlp = """\nSubject To\n budget: age <= 1\nEnd"""'),
        "p.toml: ", "'budget' is used twice"),
}

DIRECT = {
    "LP with garbage": ({"p.lp": LP.replace("<= 2", "<< 2 >>")}, ("p.lp:4: ",)),
    "LP with l > u": ({"p.lp": LP.replace("0 <= x <= 3", "4 <= x <= 3")}, ("p.lp:6: ", "'x'")),
    "MPS with garbage": ({"p.mps": MPS.replace(" L  budget", " Q  budget")}, ("p.mps:4: ", "'Q'")),
    "MPS with l > u": ({"p.mps": MPS.replace(" UP bnd       x         3", " LO bnd x 4\n UP bnd x 3")},
                       ("p.mps:12: ", "'x'")),
    "QPS with an unknown name": ({"p.qps": QPS.replace("y         y", "y         z")}, ("p.qps:15: ", "'z'")),
    "QPS cut off": ({"p.qps": QPS.replace("ENDATA\n", "")}, ("p.qps: ", "ENDATA")),
    "binary": ({"p.mps": b"\x7fELF\x00\x01" * 50}, ("p.mps:1: ", "NUL byte")),
    "a folder": ({"p.lp/x": ""}, ("p.lp", "is a directory")),
    "missing": ({}, ("p.lp", "No such file")),
    "a CSV file": ({"p.csv": CSV}, ("p.csv:1: ", "a problem file is TOML, or an .lp, .mps or .qps file")),
}

PARAMETERS = "tau = 0.1\neta = 0.1\nbeta = 0.1\nmu = 1\nrho = 1\n"
OPTIONS = {
    "unknown algorithm": (["--algorithm", "smothed"], {}, ("--algorithm 'smothed'", "did you mean 'smoothed'?")),
    "negative samples": (["--samples", "-5"], {}, ("--samples", "'-5'", "> 0")),
    "no samples": (["--samples", "0"], {}, ("--samples", "> 0")),
    "NaN samples": (["--samples", "nan"], {}, ("--samples", "> 0")),
    "text samples": (["--samples", "many"], {}, ("--samples", "'many'")),
    "negative tolerance": (["--tolerance", "-1"], {}, ("--tolerance", ">= 0")),
    "text seed": (["--seed", "abc"], {}, ("--seed", "'abc'", "whole number")),
    "negative seed": (["--seed", "-3"], {}, ("--seed", "'-3'")),
    "no batch": (["--batch", "0"], {}, ("batch", "> 0")),
    "samples and epochs": (["--samples", "5", "--epochs", "5"], {}, ("--samples", "--epochs")),
    "unknown output": (["--output", "bets"], {}, ("--output", "bets")),
    "unknown option": (["--tolerence", "1"], {}, ("'--tolerence'", "did you mean '--tolerance'?")),
    "an option without value": (["--samples"], {}, ("--samples",)),
    "two problems": (["q.toml"], {}, ("'q.toml'", "too many")),
    "resume without checkpoint": (["--resume"], {}, ("--resume needs --checkpoint",)),
    "json into a missing folder": (["--json", "none/x.json"], {}, ("none/x.json", "cannot write")),
    "json over a folder": (["--json", "folder"], {"folder/x": ""}, ("folder", "cannot write")),
    "log into a missing folder": (["--log", "none/x.csv"], {}, ("none/x.csv", "cannot write")),
    "checkpoint into a missing folder": (["--checkpoint", "none/x"], {}, ("none/x", "cannot write")),
    "checkpoint over a folder": (["--checkpoint", "folder"], {"folder/x": ""}, ("folder", "ordinary file")),
    "missing parameters": (["--params", "none.toml"], {}, ("no file 'none.toml'",)),
    "mistyped parameters": (["--params", "thoery"], {}, ("'thoery'", "did you mean 'theory'?")),
    "draws where there are none": (["--literal-draws"], {}, ("--literal-draws", "'smoothed'", "safeguarded")),
    "a safeguard where there is none": (["--dual-bound", "5"], {}, ("--dual-bound", "'smoothed'", "safeguarded")),
    "no dual bound": (["--algorithm", "safeguarded", "--dual-bound", "0"], {}, ("--dual-bound", "> 0")),
    "constants without the theory": (["--constants", "sbar=1"], {}, ("--constants", "--params theory")),
    "an unknown constant": (["--params", "theory", "--constants", "s=1"], {}, ("'s=1'", "sbar")),
    "a constant without a number": (["--params", "theory", "--constants", "sbar=x"], {}, ("'sbar=x'", "NAME=VALUE")),
    "a negative constant": (["--params", "theory", "--constants", "sbar=-1"], {}, ("'sbar=-1'", ">= 0")),
    "theory with another output": (["--params", "theory", "--output", "last"], {}, ("to the letter", "not the last")),
    "theory with passes": (["--params", "theory", "--sampling", "reshuffled"], {}, ("to the letter", "independent draws")),
    "theory with a target": (["--params", "theory", "--target", "0.1"], {}, ("to the letter", "--target")),
    "theory of a rival": (["--params", "theory", "--algorithm", "plain-alm"], {}, ("to the letter", "'plain-alm'")),
    "log to standard output": (["--log", "-"], {}, ("--log needs a file",)),
    "unknown parameter": (["--params", "q.toml"], {"q.toml": PARAMETERS + "taw = 1\n"},
                          ("q.toml:6: ", "unknown key 'taw'", "did you mean 'tau'?")),
    "a parameter missing": (["--params", "q.toml"], {"q.toml": PARAMETERS.replace("mu = 1\n", "")},
                            ("q.toml: ", "'mu' is missing")),
    "text parameter": (["--params", "q.toml"], {"q.toml": PARAMETERS.replace("0.1", '"x"', 1)},
                       ("q.toml:1: ", "tau must be a number")),
    "negative parameter": (["--params", "q.toml"], {"q.toml": PARAMETERS.replace("0.1", "-0.1", 1)},
                           ("q.toml:1: ", "tau", ">= 0")),
    "unknown decay": (["--params", "q.toml"], {"q.toml": PARAMETERS + 'decay = "cosin"\n'},
                      ("q.toml:6: ", "did you mean 'cosine'?")),
    "unknown metric": (["--params", "q.toml"], {"q.toml": PARAMETERS + 'metric = "diag"\n'}, ("q.toml:6: ", "'diag'")),
    "metric of all rows for draws": (["--params", "q.toml", "--algorithm", "safeguarded"],
                                     {"q.toml": PARAMETERS + 'metric = "cholesky"\n'},
                                     ("'cholesky' needs all rows at once", "'safeguarded'", "'diagonal' or 'identity'")),
    "epochs of a stream": (["--epochs", "5"], {"p.toml": toml(QUADRATIC, noise="0.1")}, ("epochs", "endless")),
}

SOLUTION = '{"x": {"x": 0.5, "y": 1.5}, "y": {"budget": 1}}'
CERTIFY = {
    "missing": (None, ("s.json", "No such file")),
    "no JSON": ("x = 3\n", ("s.json:1: is no JSON from character 1 on: 'x' is no value",)),
    "NaN": ('{"x": {\n "\u00fc": 1, "x": NaN, "y": 1.5}}', ("s.json:2: is no JSON from character 15 on: 'NaN' is no value: JSON has finite",)),
    "minus infinity": ('{"x": [-Infinity, 1]}', ("s.json:1: ", "character 8 on: '-Infinity' is no value: JSON has finite numbers only")),
    "a number too large": ('{"x": [1e999, 1]}', ("s.json: ", "is no JSON that can be read", "'1e999'")),
    "a comma missing": ('{"x": [1 2]}', ("s.json:1: ", "character 10 on: unexpected number literal")),
    "a list": ("[0.5, 1.5]", ("s.json: ", "not a JSON object")),
    "cut off": (SOLUTION[:30], ("s.json:1: ", "from character 31 on: the file ends too early")),
    "no x": ('{"y": {"budget": 1}}', ("s.json: ", "no 'x'")),
    "an x of another size": ('{"x": [1, 2, 3]}', ("s.json: ", "3 entries but the problem has 2")),
    "a y of another size": ('{"x": [1, 2], "y": [1, 2]}', ("s.json: ", "y has 2 entries but the problem has 1")),
    "a name missing": ('{"x": {"x": 0.5}}', ("s.json: ", "lacks 'y'")),
    "a name too many": ('{"x": {"x": 0.5, "y": 1, "yy": 3}}', ("s.json: ", "'yy'", "did you mean 'y'?")),
    "a row too many": ('{"x": [1, 2], "y": {"budget": 1, "budgte": 2}}', ("s.json: ", "'budgte'", "'budget'")),
    "text": ('{"x": {"x": "half", "y": 1}}', ("s.json: ", "'x' is not a number")),
    "null": ('{"x": {"x": null, "y": 1}}', ("s.json: ", "'x' is not a number")),
    "x of another kind": ('{"x": 3}', ("s.json: ", "by name or a list")),
    "binary": (bytes(range(256)), ("s.json:1: ", "from character 1 on: ")),
}
