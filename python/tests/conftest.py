"""What the tests share: small problems with known answers."""
import os
import pathlib

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def root() -> pathlib.Path:
    return ROOT


@pytest.fixture
def command() -> str:
    """The command that was built beside the module."""
    path = os.environ.get("BRIDLE_COMMAND", "")
    if not path:
        pytest.skip("BRIDLE_COMMAND names no command")
    return path


@pytest.fixture
def classes():
    """400 samples of two classes, 5 columns and an intercept."""
    rng = np.random.default_rng(5)
    X = np.hstack([rng.normal(size=(400, 5)), np.ones((400, 1))])
    y = np.where(X @ [1.0, -2.0, 0.5, 0.0, 0.0, 0.3] + rng.logistic(size=400) > 0, 1.0, -1.0)
    return X, y
