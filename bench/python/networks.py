#!/usr/bin/python3
"""A small network under a rate constraint: SmoothedALM beside plain SGD, and beside cooper where its source is at hand.

Usage: networks.py [COOPER_SOURCE_FOLDER]

Same nets, same data, same batches and epochs, five seeds; steps as large as each method bears, tried in powers of ten
over two seeds: the one with the least loss among those within twice the bound, else the least violation.
"""
import sys
import time
import warnings

import numpy as np
import torch

from bridle.torch import Expected, SmoothedALM

EPOCHS, SEEDS, BOUND = 40, 5, 0.02
STEPS = (0.01, 0.1, 1.0)


class Task:
    def __init__(self, seed):
        torch.manual_seed(seed)
        people = 2000
        group = (torch.rand(people) < 0.4).double()
        skill = torch.randn(people, 3).double()
        skill[:, 0] += 1.5 * group - 0.6
        hired = (skill.sum(1) + 0.5 * torch.randn(people).double() > 0).double()
        self.whole = [skill, hired, group]
        self.batches = [[t[k : k + 200] for t in self.whole] for k in range(0, people, 200)]
        self.share = group.mean()
        self.net = torch.nn.Sequential(torch.nn.Linear(3, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1)).double()

    def loss(self, batch):
        return torch.nn.functional.binary_cross_entropy_with_logits(self.net(batch[0]).squeeze(1), batch[1])

    def difference(self, batch):
        rate = torch.sigmoid(4 * self.net(batch[0]).squeeze(1))
        return (rate * (batch[2] / self.share - (1 - batch[2]) / (1 - self.share))).mean()

    def figures(self):
        with torch.no_grad():
            right = ((self.net(self.whole[0]).squeeze(1) > 0) == (self.whole[1] > 0)).double().mean()
            return float(self.loss(self.whole)), float(right), max(0.0, abs(float(self.difference(self.whole))) - BOUND)


def sgd(task, step):
    optimizer = torch.optim.SGD(task.net.parameters(), lr=step)

    def one(batch):
        optimizer.zero_grad()
        task.loss(batch).backward()
        optimizer.step()

    return one


def smoothed(task, step):
    optimizer = SmoothedALM(task.net.parameters(), [Expected(1, -BOUND, BOUND)], lr=step)
    return lambda batch: optimizer.step(lambda: (task.loss(batch), task.difference(batch)))


def automatic(task, step):
    return smoothed(task, None)


def cooper_method(formulation, dual_step):
    import cooper

    class Stated(cooper.ConstrainedMinimizationProblem):
        def __init__(self, task):
            super().__init__()
            self.task = task
            multiplier = cooper.multipliers.DenseMultiplier(num_constraints=2, dtype=torch.float64)
            more = {}
            if formulation == "AugmentedLagrangian":
                one = torch.ones((), dtype=torch.float64)
                more["penalty_coefficient"] = cooper.penalty_coefficients.DensePenaltyCoefficient(init=10 * one)
            self.rows = cooper.Constraint(
                multiplier=multiplier, constraint_type=cooper.ConstraintType.INEQUALITY,
                formulation_type=getattr(cooper.formulations, formulation), **more,
            )  # fmt: skip

        def compute_cmp_state(self, batch):
            d = self.task.difference(batch)
            state = cooper.ConstraintState(violation=torch.stack([d - BOUND, -d - BOUND]))
            return cooper.CMPState(loss=self.task.loss(batch), observed_constraints={self.rows: state})

    def method(task, step):
        stated = Stated(task)
        optimizer = cooper.optim.SimultaneousOptimizer(
            cmp=stated, primal_optimizers=torch.optim.SGD(task.net.parameters(), lr=step),
            dual_optimizers=torch.optim.SGD(stated.dual_parameters(), lr=dual_step, maximize=True),
        )  # fmt: skip
        return lambda batch: optimizer.roll(compute_cmp_state_kwargs={"batch": batch})

    return method


def train(method, step, seed):
    task = Task(seed)
    one = method(task, step)
    begin = time.process_time()
    try:
        for _ in range(EPOCHS):
            for batch in task.batches:
                one(batch)
    except ValueError:  # the loss is no number any more
        return np.inf, 0.0, np.inf, np.nan
    seconds = (time.process_time() - begin) / (EPOCHS * len(task.batches))
    loss, right, violation = task.figures()
    return (loss, right, violation, seconds) if np.isfinite(loss) else (np.inf, 0.0, np.inf, np.nan)


def best_step(method):
    def rank(step):
        figures = np.mean([train(method, step, seed)[:3] for seed in range(100, 102)], axis=0)
        return (0, figures[0]) if figures[2] <= BOUND else (1, figures[2])

    return min(STEPS, key=rank)


def main():
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    methods = {"SGD without the constraint": sgd, "SmoothedALM": smoothed, "SmoothedALM, lr=None": automatic}
    if len(sys.argv) > 1:
        sys.path.insert(0, sys.argv[1])
        for formulation in ("Lagrangian", "AugmentedLagrangian"):
            for dual in (0.1, 1.0):
                methods[f"cooper, {formulation}, dual step {dual:g}"] = cooper_method(formulation, dual)
    print("| method | step | loss | right | violation: mean | largest | us per step |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, method in methods.items():
        step = best_step(method) if method is not automatic else None
        rows = np.array([train(method, step, seed) for seed in range(SEEDS)])
        loss, right, violation, seconds = rows.mean(axis=0)
        print(
            f"| {name} | {'chosen' if step is None else step} | {loss:.4f} | {right:.3f} | {violation:.4f} |"
            f" {rows[:, 2].max():.4f} | {1e6 * np.nanmin(rows[:, 3]):.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
