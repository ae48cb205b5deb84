"""The package as a user meets it: installed by pip without a network, typed, with examples that run."""
import doctest
import importlib
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "python" / "examples").glob("*.py"))


def run(*arguments, **more):
    done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_pip_installs_and_a_wheel_comes_out(tmp_path):
    if "BRIDLE_BUILD" not in os.environ:
        pytest.skip("BRIDLE_BUILD names no build tree")
    python = tmp_path / "env" / "bin" / "python"
    run(sys.executable, "-m", "venv", "--system-site-packages", tmp_path / "env")
    clean = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PIP_NO_INDEX")}
    clean["PIP_NO_INDEX"] = "1"  # no network
    run(python, "-m", "pip", "wheel", ".", "--no-deps", "-w", tmp_path / "wheels", cwd=ROOT, env=clean)
    assert [path.name for path in (tmp_path / "wheels").iterdir()][0].startswith("bridle-")
    run(python, "-m", "pip", "install", ".", "--no-build-isolation", cwd=ROOT, env=clean)
    code = "import bridle; print(bridle.__file__); print(bridle.minimize(bridle.Quadratic([[1.0]], [-1.0])).x[0].round(6))"
    where, answer = run(python, "-c", code, cwd=tmp_path, env=clean).split()
    assert where.startswith(str(tmp_path)) and float(answer) == 1.0


def test_types():
    pytest.importorskip("mypy")
    run(sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, cwd=ROOT)


@pytest.mark.parametrize("name", ["", "._run", "._objectives", "._sets", ".sklearn", ".torch", "._torch_loss"])
def test_examples_in_docstrings(name):
    for optional in ("sklearn", "torch"):
        if optional in name:
            pytest.importorskip(optional)
    module = importlib.import_module("bridle" + name)
    tested = doctest.testmod(module)
    assert tested.failed == 0 and tested.attempted > 0


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_end_with_the_judge(path):
    if "torch" in path.read_text():
        pytest.importorskip("torch")
    out = run(sys.executable, path, cwd=ROOT)
    assert "judge" in out.splitlines()[-1]


def snippets():
    """The blocks of Python in the documentation, under a line <!-- python: NAME -->."""
    for page in ("README.md", "docs/python.md"):
        text = (ROOT / page).read_text()
        for name, code in re.findall(r"<!-- python: (\w+) -->\n```python\n(.*?)```", text, re.DOTALL):
            yield pytest.param(code, id=f"{pathlib.Path(page).stem}-{name}")


@pytest.mark.parametrize("code", snippets())
def test_documentation(code, tmp_path):
    for optional in ("torch", "pandas", "sklearn"):
        if f"import {optional}" in code:
            pytest.importorskip(optional)
    (tmp_path / "snippet.py").write_text(code)
    run(sys.executable, tmp_path / "snippet.py", cwd=ROOT)


def test_there_are_snippets():
    assert len(list(snippets())) >= 4
