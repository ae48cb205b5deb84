#!/usr/bin/python3
"""A small network under a rate constraint: SmoothedALM beside plain SGD, and beside cooper and humancompatible-train
where their sources are at hand.

Usage: networks.py [SOURCE_FOLDER...]

Same nets, same data, same batches and epochs, five seeds; steps as large as each method bears, tried in powers of ten
over two seeds: the one with the least loss among those within twice the bound, else the least violation.
"""
import sys
import time
import warnings

import numpy as np
import torch

import bridle
from bridle.torch import Expected, Loss

EPOCHS, SEEDS, BOUND = 40, 5, 0.02
STEPS = (0.01, 0.1, 1.0)


class Task:
    bound = BOUND

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
        return self.loss_of(self.net(batch[0]), batch[1])

    def difference(self, batch):
        return self.difference_of(self.net(batch[0]), batch[2])

    def loss_of(self, output, hired):
        return torch.nn.functional.binary_cross_entropy_with_logits(output.squeeze(1), hired)

    def difference_of(self, output, group):
        """Of the groups' selection rates, smoothed."""
        return (torch.sigmoid(4 * output.squeeze(1)) * (group / self.share - (1 - group) / (1 - self.share))).mean()

    def violations(self, batch):
        """The same as rows <= 0."""
        d = self.difference(batch)
        return torch.stack([d - BOUND, -d - BOUND])

    def figures(self):
        with torch.no_grad():
            right = ((self.net(self.whole[0]).squeeze(1) > 0) == (self.whole[1] > 0)).double().mean()
            return float(self.loss(self.whole)), float(right), max(0.0, abs(float(self.difference(self.whole))) - BOUND)


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


def minimised(seed):
    """The same by bridle.minimize with second-order steps, to a certified point."""
    task = Task(seed)
    skill, hired, group = task.whole

    def difference(output, parts):
        return task.difference_of(output, parts[1])

    fun = Loss(task.net, lambda output, parts: task.loss_of(output, parts[0]), skill, (hired, group), values=difference, hess=True)
    begin = time.process_time()
    result = bridle.minimize(fun, constraints=Expected(1, -BOUND, BOUND), tol=1e-2, seed=seed + 1)
    return (*task.figures(), time.process_time() - begin, result.success)


def main():
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    sys.path[1:1] = sys.argv[1:]
    import rivals

    print("| method | step | loss | right | violation: mean | largest | us per step |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, method, choose in rivals.all_methods():
        step = best_step(method) if choose else None
        rows = np.array([train(method, step, seed) for seed in range(SEEDS)])
        loss, right, violation, seconds = rows.mean(axis=0)
        print(
            f"| {name} | {'chosen' if step is None else step} | {loss:.4f} | {right:.3f} | {violation:.4f} |"
            f" {rows[:, 2].max():.4f} | {1e6 * np.nanmin(rows[:, 3]):.0f} |",
            flush=True,
        )
    rows = np.array([minimised(seed) for seed in range(SEEDS)])
    loss, right, violation, seconds, certified = rows.mean(axis=0)
    print(
        f"\nbridle.minimize, with the Hessian: loss {loss:.4f}, right {right:.3f}, violation {violation:.1e} on average,"
        f" {rows[:, 2].max():.1e} at most; {rows[:, 4].sum():.0f} of {SEEDS} certified to 1e-2; {seconds:.1f} s each"
    )
    ways = {"SGD": rivals.sgd, "SmoothedALM": rivals.smoothed, "cooper": rivals.by_cooper}
    ways["humancompatible-train"] = rivals.by_dual_optimizer
    print("lines of code in bench/python/rivals.py:", ", ".join(f"{k} {rivals.lines_of(f)}" for k, f in ways.items()))


if __name__ == "__main__":
    main()
