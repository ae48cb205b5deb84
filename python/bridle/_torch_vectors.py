"""The trainable parameters of a module as one vector of doubles, and constraints on them as rows and boxes over it."""
from __future__ import annotations

from typing import Any, Iterable, Mapping, Optional, Sequence

import numpy as np
import torch

from ._arrays import Vector
from ._constraints import Rows
from ._torch_rows import Linear, or_zero


def trainable(module: Any) -> list[torch.Tensor]:
    return [p for p in module.parameters() if p.requires_grad]


def flat(tensors: Iterable[torch.Tensor]) -> Vector:
    return np.concatenate([t.detach().double().cpu().numpy().ravel() for t in tensors])


@torch.no_grad()  # type: ignore[misc]
def put(x: Vector, parameters: Sequence[torch.Tensor]) -> None:
    first = 0
    for p in parameters:
        p.copy_(torch.from_numpy(x[first : first + p.numel()]).reshape(p.shape))
        first += p.numel()


def jacobian(values: torch.Tensor, parameters: Sequence[torch.Tensor]) -> Vector:
    """One row per value."""
    rows = [torch.autograd.grad(one, parameters, allow_unused=True, retain_graph=True) for one in values]
    return np.stack([flat(or_zero(g, p) for g, p in zip(row, parameters)) for row in rows])


def names_of(module: Any) -> list[str]:
    """weight[0,3] and the like."""
    return [
        f"{name}[{','.join(map(str, place))}]"
        for name, p in module.named_parameters()
        if p.requires_grad
        for place in np.ndindex(*p.shape)
    ]


def rows_of(one: Linear, parameters: Sequence[torch.Tensor]) -> Rows:
    blocks = {id(parameter): block for parameter, block in one.blocks}
    _check_known(blocks, parameters, "linear rows")
    parts = []
    for p in parameters:
        block = blocks.get(id(p))
        parts.append(np.zeros((one.count, p.numel())) if block is None else block.to_dense().double().cpu().numpy())
    return Rows(np.hstack(parts), one.lower.numpy(), one.upper.numpy())


def box_of(
    bounds: Optional[Mapping[torch.Tensor, tuple[Any, Any]]], parameters: Sequence[torch.Tensor]
) -> list[tuple[float, float]]:
    pairs = {id(p): pair for p, pair in (bounds or {}).items()}
    _check_known(pairs, parameters, "bounds")
    out: list[tuple[float, float]] = []
    for p in parameters:
        lower, upper = pairs.get(id(p), (None, None))
        low, high = _spread(-np.inf if lower is None else lower, p), _spread(np.inf if upper is None else upper, p)
        out.extend(zip(low.tolist(), high.tolist()))
    return out


def _check_known(given: Mapping[int, Any], parameters: Sequence[torch.Tensor], what: str) -> None:
    if not set(given) <= {id(p) for p in parameters}:
        raise ValueError(f"{what}: a tensor that is no trainable parameter of the module")


def _spread(bound: Any, p: torch.Tensor) -> Vector:
    return np.broadcast_to(np.asarray(bound, dtype=np.float64), tuple(p.shape)).ravel()
