"""A network in front of the judge: its loss and its rows over all the data, as a problem of the library's."""
from __future__ import annotations

from typing import Any, Callable, Iterable, Mapping, Optional, Sequence

import numpy as np
import torch
from scipy.optimize import NonlinearConstraint

from ._constraints import Rows
from ._problem import Problem
from ._problem import certify as certify_problem
from ._result import Certificate
from ._torch_rows import Expected, Linear, or_zero


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
    parameters = [p for p in model.parameters() if p.requires_grad]
    sizes = [p.numel() for p in parameters]
    start = _flat([p.detach() for p in parameters])

    def put(x: Any) -> None:
        with torch.no_grad():
            for p, part in zip(parameters, np.split(x, np.cumsum(sizes)[:-1])):
                p.copy_(torch.as_tensor(part.reshape(p.shape), dtype=p.dtype))

    def average(function: Callable[[Any, Any], torch.Tensor], x: Any, differentiate: bool) -> tuple[Any, Any]:
        put(x)
        total, weight, jacobian = 0.0, 0, 0.0
        for batch in loader:
            out = torch.atleast_1d(function(model, batch))
            count = len(batch[0])
            total = total + count * out.detach().double().cpu().numpy()
            weight += count
            if differentiate:
                rows = [torch.autograd.grad(one, parameters, allow_unused=True, retain_graph=True) for one in out]
                jacobian = jacobian + count * np.stack([_flat(_filled(row, parameters)) for row in rows])
        return total / weight, (jacobian / weight if differentiate else None)

    def fun(x: Any) -> tuple[float, Any]:
        value, gradient = average(loss, x, True)
        return float(value[0]), gradient[0]

    rows = [_rows_of(one, parameters) for one in constraints if isinstance(one, Linear)]
    for one in constraints:
        if isinstance(one, Expected):
            if values is None:
                raise ValueError("values is required for Expected constraints")
            known: Callable[[Any, Any], torch.Tensor] = values
            rows.append(_smooth(average, known, one))
    box = [(-np.inf, np.inf)] * len(start) if not bounds else _box(parameters, bounds)
    problem = Problem(fun, start, jac=True, constraints=rows, bounds=box)
    try:
        return certify_problem(problem, start, multipliers)
    finally:
        put(start)


def _flat(tensors: Iterable[torch.Tensor]) -> Any:
    return np.concatenate([t.detach().double().cpu().numpy().ravel() for t in tensors])


def _filled(gradients: Iterable[Optional[torch.Tensor]], parameters: list[torch.Tensor]) -> list[torch.Tensor]:
    return [or_zero(g, p) for g, p in zip(gradients, parameters)]


def _rows_of(one: Linear, parameters: list[torch.Tensor]) -> Any:
    blocks = {id(parameter): block for parameter, block in one.blocks}
    parts = []
    for p in parameters:
        block = blocks.get(id(p))
        parts.append(np.zeros((one.count, p.numel())) if block is None else block.to_dense().double().cpu().numpy())
    return Rows(np.hstack(parts), one.lower.numpy(), one.upper.numpy())


def _smooth(average: Callable[..., Any], values: Callable[..., Any], one: Expected) -> Any:
    return NonlinearConstraint(
        lambda x: average(values, x, False)[0],
        one.lower.numpy(),
        one.upper.numpy(),
        jac=lambda x: average(values, x, True)[1],
    )


def _box(parameters: list[torch.Tensor], bounds: Mapping[torch.Tensor, tuple[Any, Any]]) -> list[tuple[float, float]]:
    by_id = {id(p): pair for p, pair in bounds.items()}
    out: list[tuple[float, float]] = []
    for p in parameters:
        lower, upper = by_id.get(id(p), (None, None))
        low = np.broadcast_to(np.asarray(-np.inf if lower is None else lower, dtype=np.float64), tuple(p.shape))
        high = np.broadcast_to(np.asarray(np.inf if upper is None else upper, dtype=np.float64), tuple(p.shape))
        out.extend(zip(low.ravel().tolist(), high.ravel().tolist()))
    return out
