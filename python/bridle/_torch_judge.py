"""A network in front of the judge: its loss and its rows over all the data, as a problem of the library's."""
from __future__ import annotations

from typing import Any, Callable, Iterable, Mapping, Optional, Sequence

import torch
from scipy.optimize import NonlinearConstraint

from ._problem import Problem
from ._result import Certificate
from ._run import certify as certify_problem
from ._torch_rows import Expected, Linear
from ._torch_vectors import box_of, flat, jacobian, put, rows_of, trainable


def certify(
    model: Any,
    loader: Iterable[Any],
    loss: Callable[[Any, Any], torch.Tensor],
    constraints: Sequence[Any] = (),
    values: Optional[Callable[[Any, Any], torch.Tensor]] = None,
    *,
    bounds: Optional[Mapping[torch.Tensor, tuple[Any, Any]]] = None,
    multipliers: Any = None,
) -> Certificate:
    """Let the judge measure a model over all batches of a loader.

    Parameters
    ----------
    model : torch.nn.Module
    loader : iterable of batches
        Gone through several times; every batch counts by ``len(batch[0])`` samples.
    loss : callable
        loss(model, batch): the mean over the batch.
    constraints : list of Linear and at most one Expected
    values : callable
        values(model, batch): of the Expected ones, means over the batch.
    bounds : as of `SmoothedALM`
    multipliers : of the rows, Linear ones first; without them the judge fits its own.
    """
    parameters = trainable(model)
    if not parameters:
        raise ValueError("the model has no trainable parameters")
    start = flat(parameters)

    def average(function: Callable[[Any, Any], torch.Tensor], x: Any, differentiate: bool) -> tuple[Any, Any]:
        put(x, parameters)
        total: Any = 0.0
        rows: Any = 0.0
        weight = 0
        with torch.set_grad_enabled(differentiate):
            for batch in loader:
                out = torch.atleast_1d(function(model, batch))
                count = len(batch[0])
                total = total + count * flat([out])
                weight += count
                rows = rows + count * jacobian(out, parameters) if differentiate else rows
        if weight == 0:
            raise ValueError("the loader has no batches (one that can be gone through again is required)")
        return total / weight, rows / weight

    def fun(x: Any) -> tuple[float, Any]:
        value, gradient = average(loss, x, True)
        if value.size != 1:
            raise ValueError(f"the loss has {value.size} entries; one number, the mean over a batch, is required")
        return float(value[0]), gradient[0]

    stated: list[Any] = [rows_of(one, parameters) for one in constraints if isinstance(one, Linear)]
    for one in constraints:
        if isinstance(one, Expected):
            if values is None:
                raise ValueError("values is required for Expected constraints")
            known: Callable[[Any, Any], torch.Tensor] = values
            stated.append(_smooth(average, known, one))
    problem = Problem(fun, start, jac=True, constraints=stated, bounds=box_of(bounds, parameters))
    try:
        return certify_problem(problem, start, multipliers)
    finally:
        put(start, parameters)


def _smooth(average: Callable[..., Any], values: Callable[..., Any], one: Expected) -> Any:
    return NonlinearConstraint(
        lambda x: average(values, x, False)[0],
        one.lower.numpy(),
        one.upper.numpy(),
        jac=lambda x: average(values, x, True)[1],
    )
