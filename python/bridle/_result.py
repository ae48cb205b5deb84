"""What a run returns: SciPy's OptimizeResult with the judge's certificate and all that is known of the run."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

import scipy.optimize

from ._arrays import Vector

# The command's exit codes.
STATUS = {"stationary": 0, "budget_exhausted": 1, "infeasible": 3, "diverged": 4, "interrupted": 130}


@dataclass(frozen=True)
class Figure:
    """One of the judge's figures: in the user's units, relative to its own scale, and where it is largest."""

    absolute: float
    relative: float
    where: str


@dataclass(frozen=True)
class Parameter:
    """A parameter of the method with the reason for its value."""

    value: float
    why: str


@dataclass(frozen=True, eq=False)
class Certificate:
    """What the judge measured on the problem as it was stated; see docs/certificate.md.

    ``error`` is the one number that a tolerance is compared with. ``holds(tolerance)`` compares.
    """

    error: float
    absolute: bool
    objective: float
    objective_halfwidth: float
    sound: bool
    feasibility: Figure
    set_distance: Figure
    stationarity: Figure
    complementarity: Figure
    convex: bool
    gap: Figure
    feasibility_halfwidth: Figure
    stationarity_halfwidth: Figure
    multipliers: Vector
    multipliers_improved: bool
    exact: bool
    gradients: int
    text: str

    def holds(self, tolerance: float) -> bool:
        return self.error <= tolerance

    def __str__(self) -> str:
        return self.text

    @classmethod
    def from_dict(cls, given: dict[str, Any]) -> Certificate:
        return cls(**{key: Figure(**value) if isinstance(value, dict) else value for key, value in given.items()})


class Result(scipy.optimize.OptimizeResult):  # type: ignore[misc]
    """SciPy's names (x, fun, success, status, message, nit, nfev, njev), and beside them

    certificate : Certificate
        The judge's figures; they alone decide ``success``.
    multipliers : array
        One per row: linear rows first, then smooth ones.
    found_by : str
        What found x: "start", "loop x", "loop z", "smoothed output" (z at the theory's random time), "post-processing",
        "polish" or "second order".
    phases : dict of str to dict
        What each phase ("start", "loop", "second order", "polish", "judge") spent: sample_gradients, full_gradients,
        hessians, hessian_products, projections, seconds.
    theory_output : dict or None
        With output "random" or parameters "theory": the iterates x, z and multipliers at the random time, the judge's
        errors of them, and the paper's post-processing of them.
    parameters : dict of str to Parameter
        Of the last stage of the loop, with reasons.
    events : list of str
        What was noticed and answered on the way.
    history : dict of str to array
        Looks at the run: nit, samples, fun, feasibility, stationarity, step, seconds.

    ``njev`` counts sample gradients of the method and of the judge, ``nfev`` calls of a Python callable (of other
    objectives the same as ``njev``). ``status`` is 0 when the judge is content, 1 when the budget ended first, 3 when
    the constraints are infeasible, 4 when the objective falls without end, 130 when the run was interrupted.
    """

    def __str__(self) -> str:
        return str(self["report"])

    def plot(self, axes: Any = None) -> Any:
        """Objective and feasibility over the samples of the loop; returns matplotlib's axes."""
        if axes is None:
            import matplotlib.pyplot as plt

            _, axes = plt.subplots(2, 1, sharex=True, figsize=(6.4, 5.2))
        upper, lower = axes
        history = self["history"]
        upper.plot(history["samples"], history["fun"], color="C0")
        upper.axhline(self["fun"], color="C1", linewidth=0.8, label=f"found by {self['found_by']}")
        upper.set_ylabel("objective (batches)")
        upper.legend(loc="best", frameon=False)
        lower.plot(history["samples"], history["feasibility"], color="C0")
        lower.set_yscale("symlog", linthresh=1e-8)
        lower.set_ylabel("violation of rows")
        lower.set_xlabel("sample gradients")
        return axes


def raise_if_interrupted(raw: dict[str, Any], result: Result) -> None:
    """Ctrl-C has waited for the best point."""
    if raw["by_user"]:
        interrupt = KeyboardInterrupt("interrupted; the best point so far is in this exception's attribute result")
        setattr(interrupt, "result", result)
        raise interrupt


def result_of(raw: dict[str, Any], calls: Optional[int] = None) -> Result:
    gradients = int(raw["samples"] + raw["certificate_samples"])
    parameters = {symbol: Parameter(value, why) for symbol, value, why in raw["reasons"]}
    for symbol, value in raw["parameters"].items():
        parameters.setdefault(symbol, Parameter(value, raw["parameter_source"]))
    kept = (
        "x fun nit multipliers found_by phases theory_output events history algorithm regime samples certificate_samples solve_seconds"
        " certify_seconds tolerance seed variable_names row_names report parameters_text"
    ).split()
    return Result(
        {key: raw[key] for key in kept},
        success=raw["status"] == "stationary",
        status=STATUS[raw["status"]],
        message=raw["proof"] or raw["brief"],
        njev=gradients,
        nfev=gradients if calls is None else calls,
        certificate=Certificate.from_dict(raw["certificate"]),
        parameters=parameters,
        conflict=raw["conflict"],
    )
