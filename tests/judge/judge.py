#!/usr/bin/python3
"""A second judge of Bridle's solutions, written from docs/certificate.md and docs/problem-files.md alone.

    judge.py PROBLEM SOLUTION.json [--tolerance EPS] [--absolute]

prints the figures as JSON, and under `disagreements` where the solution's own figures differ. Exit code 0: certified
(or a proof that holds) and no disagreement; 1 otherwise; 2: bad input.
"""

import argparse
import json
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from figures import figures_of  # noqa: E402
from problem_files import read_problem  # noqa: E402
from proofs import check_infeasible, check_unbounded  # noqa: E402

COMPARED = ("feasibility", "set_distance", "stationarity", "complementarity", "gap", "stationarity_over_multipliers")
SAME_RELATIVE, SAME_ABSOLUTE = 0.01, 1e-9
ROUNDING = 1e-15                # of doubles: which of two judges it leaves at exactly 0 is a matter of the last bit


def judge(problem_path, solution, tolerance=1e-4, absolute=False):
    """The figures of a solution (a dict with x, and y unless all multipliers are 0), and what its proofs are worth."""
    problem = problem_path if not isinstance(problem_path, (str, os.PathLike)) else read_problem(problem_path)
    x = problem.point(solution)
    figures = figures_of(problem, x, problem.multipliers(solution), tolerance, absolute)
    proof = solution.get("infeasibility") or solution
    if proof.get("ray") is not None:
        figures["infeasible"] = check_infeasible(problem, without_smooth(problem, proof["ray"]), proof.get("set_ray"))
    if solution.get("unbounded"):
        claim = solution["unbounded"]
        start = [claim["from"][name] for name in problem.names] if "from" in claim else x
        figures["unbounded"] = check_unbounded(problem, start, claim["direction"], tolerance, absolute)
    return figures


def without_smooth(problem, ray):
    """Smooth rows take no part in a proof: they must have no weight."""
    smooth = {row.name for row in problem.smooth}
    if not isinstance(ray, dict) or not smooth:
        return ray
    if any(ray[name] for name in smooth if name in ray):
        raise ValueError("a smooth row has weight in a proof")
    return {name: value for name, value in ray.items() if name not in smooth}


def same(theirs, ours, rounding=0):
    if math.isinf(theirs) or math.isinf(ours):
        return theirs == ours
    return abs(theirs - ours) <= max(SAME_ABSOLUTE, rounding, SAME_RELATIVE * max(abs(theirs), abs(ours)))


def agrees_with(solution, figures, tolerance):
    """Where a result of `bridle solve` or `bridle certify` differs from the figures, for people to read."""
    found = []
    if solution.get("objective") is not None:
        size = max(abs(figures["objective"]), abs(solution["objective"]), figures["terms"])
        if abs(solution["objective"] - figures["objective"]) > 1e-9 * size + 1e-14 * figures["added_up"]:
            found.append(f"objective: {solution['objective']!r} there, {figures['objective']!r} here")
    relative = solution.get("relative", {})
    falls = figures.get("fall", 0) > 0 and figures["fall"] == figures["gap"]   # conjugate gradients go by the last bits
    for name in COMPARED:
        ours = figures["relative"][name]
        if name not in relative:
            if name == "gap" and ours is not None and "relative" in solution:
                found.append(f"relative gap: absent there, {ours:.6g} here")
            continue
        theirs = relative[name]
        if name == "gap" and ours is None:
            if theirs is not None:
                found.append(f"relative gap: {theirs:.6g} there, but the problem is not known to be convex here")
            continue
        theirs = math.inf if theirs is None else theirs
        others = [choice[name] for choice in figures["as_good"] if name in choice]
        if not any(same(theirs, value) for value in [ours] + others) and not (falls and name == "gap"):
            found.append(f"relative {name}: {theirs:.6g} there, {ours:.6g} here")
    error = figures["error"]
    # An absolute gap is a difference of sums: no finer than the rounding of these.
    is_gap = figures["tolerance_is"] == "absolute" and error == figures["gap"]
    rounding = 1e-14 * figures["added_up"] if is_gap else 0
    if "error" in solution and not falls and not same(math.inf if solution["error"] is None else solution["error"], error, rounding):
        found.append(f"error: {solution['error']} there, {error:.6g} here")
    claim = claimed_certified(solution)
    clear = not (math.isfinite(error) and abs(error - tolerance) <= SAME_RELATIVE * tolerance + ROUNDING)
    # What is proved to fall without end is refused, whatever the figures say: far out, or of a saddle. So is what is
    # proved to contradict itself, where a point meets it all the same to a tolerance that nobody asked for.
    contradicts = solution.get("status") == "infeasible" and figures.get("infeasible", {}).get("proved")
    overruled = figures.get("unbounded", {}).get("unbounded") or contradicts
    if claim is not None and clear and claim != (error <= tolerance and not overruled):
        found.append(f"verdict: {'certified' if claim else 'refused'} there, error {error:.6g} here "
                     f"at tolerance {tolerance:g}")
    if solution.get("status") == "infeasible":
        proof = figures.get("infeasible", {"proved": False, "why": "there is no proof"})
        if not proof["proved"]:
            found.append(f"infeasible: {proof['why']}")
    if solution.get("unbounded"):
        if not figures["unbounded"]["unbounded"]:
            found.append(f"unbounded: {figures['unbounded']['why']}")
    return found


def claimed_certified(solution):
    if "certified" in solution:
        return bool(solution["certified"])
    if "status" in solution:
        return solution["status"] == "stationary"
    return None


def finite(value):
    """The same with null for what JSON has no number for."""
    if isinstance(value, dict):
        return {name: finite(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [finite(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def main(arguments=None):
    parser = argparse.ArgumentParser(description="A second judge of Bridle's solutions.")
    parser.add_argument("problem")
    parser.add_argument("solution")
    parser.add_argument("--tolerance", type=float, default=1e-4)
    parser.add_argument("--absolute", action="store_true")
    options = parser.parse_args(arguments)
    try:
        with open(options.solution, encoding="utf-8") as file:
            solution = json.load(file)
        figures = judge(options.problem, solution, options.tolerance, options.absolute)
    except (OSError, ValueError, KeyError) as trouble:
        print(f"judge: error: {trouble}", file=sys.stderr)
        return 2
    disagreements = agrees_with(solution, figures, options.tolerance)
    print(json.dumps(finite({**figures, "disagreements": disagreements}), indent=2))
    proved = figures.get("infeasible", {}).get("proved") or figures.get("unbounded", {}).get("unbounded")
    return 0 if (figures["certified"] or proved) and not disagreements else 1


if __name__ == "__main__":
    sys.exit(main())
