"""Methods for a network under constraints, ours and others': each makes of a task and a step a function of a batch."""
import importlib.util
import inspect
from functools import partial

import torch

from bridle.torch import Expected, SmoothedALM


def sgd(task, step):
    optimizer = torch.optim.SGD(task.net.parameters(), lr=step)

    def one(batch):
        optimizer.zero_grad()
        task.loss(batch).backward()
        optimizer.step()

    return one


def smoothed(task, step):
    optimizer = SmoothedALM(task.net.parameters(), [Expected(1, -task.bound, task.bound)], lr=step)
    return lambda batch: optimizer.step(lambda: (task.loss(batch), task.difference(batch)))


def by_cooper(task, step, formulation, dual_step):
    import cooper

    class Stated(cooper.ConstrainedMinimizationProblem):
        def __init__(self):
            super().__init__()
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
            state = cooper.ConstraintState(violation=task.violations(batch))
            return cooper.CMPState(loss=task.loss(batch), observed_constraints={self.rows: state})

    stated = Stated()
    optimizer = cooper.optim.SimultaneousOptimizer(
        cmp=stated, primal_optimizers=torch.optim.SGD(task.net.parameters(), lr=step),
        dual_optimizers=torch.optim.SGD(stated.dual_parameters(), lr=dual_step, maximize=True),
    )  # fmt: skip
    return lambda batch: optimizer.roll(compute_cmp_state_kwargs={"batch": batch})


def by_dual_optimizer(task, step, dual, primal=torch.optim.SGD, smoothed=False):
    from humancompatible.train import dual_optim

    inner = primal(task.net.parameters(), lr=step)
    outer = dual_optim.MoreauEnvelope(inner) if smoothed else inner
    zeros = torch.zeros(2, dtype=torch.float64)
    if dual is None:
        rows = dual_optim.PBM(init_duals=zeros + 1e-4, init_penalties=zeros + 1, epoch_length=len(task.batches))
    else:
        rows = dual_optim.ALM(init_duals=zeros, lr=dual, is_ineq=True)

    def one(batch):
        inner.zero_grad()
        rows.forward_update(task.loss(batch), task.violations(batch)).backward()
        outer.step()

    return one


def there_is(package):
    return importlib.util.find_spec(package) is not None


def all_methods():
    """(name, method, whether its step has to be chosen)."""
    yield "SGD without the constraint", sgd, True
    yield "SmoothedALM", smoothed, True
    yield "SmoothedALM, lr=None", lambda task, step: smoothed(task, None), False
    if there_is("cooper"):
        for formulation in ("Lagrangian", "AugmentedLagrangian"):
            for dual in (0.1, 1.0):
                name = f"cooper, {formulation}, dual step {dual:g}"
                yield name, partial(by_cooper, formulation=formulation, dual_step=dual), True
    if there_is("humancompatible"):
        for dual in (0.01, 0.1, 1.0):
            yield f"humancompatible-train, ALM, dual step {dual:g}", partial(by_dual_optimizer, dual=dual), True
        smooth = partial(by_dual_optimizer, dual=0.1, smoothed=True)
        yield "humancompatible-train, ALM and Moreau envelope, 0.1", smooth, True
        yield "humancompatible-train, PBM", partial(by_dual_optimizer, dual=None), True
        adam = partial(by_dual_optimizer, dual=0.1, primal=torch.optim.Adam)
        yield "humancompatible-train, ALM with Adam, 0.1", adam, True


def lines_of(function):
    """Lines of code of a method's body."""
    return sum(1 for line in inspect.getsource(function).splitlines() if line.strip()) - 1
