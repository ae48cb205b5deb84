"""Constraints on the parameters of a network: linear rows, and functions known through mini-batches."""
from __future__ import annotations

from typing import Any, Mapping, Optional

import numpy as np
import torch

from ._arrays import vector, whole


class Expected:
    """lower <= E c(x, xi) <= upper, ``count`` functions known through mini-batches, given to every step."""

    def __init__(self, count: int = 1, lower: Any = -np.inf, upper: Any = 0.0) -> None:
        self.count = whole(count, "Expected: count", 1)
        self.lower, self.upper = _bounds(lower, upper, self.count)


class Linear:
    """lower <= sum of A_k vec(p_k) <= upper over some parameters.

    Parameters
    ----------
    blocks : dict of parameter to matrix
        A_k with one column per entry of p_k, dense or sparse.
    lower, upper : float or array
    """

    def __init__(self, blocks: Mapping[torch.Tensor, torch.Tensor], lower: Any = -np.inf, upper: Any = 0.0) -> None:
        self.blocks = [(parameter, torch.as_tensor(block)) for parameter, block in blocks.items()]
        for parameter, block in self.blocks:
            if block.dim() != 2 or block.shape[1] != parameter.numel():
                raise ValueError(
                    f"linear rows: a block of shape {tuple(block.shape)} for {parameter.numel()} entries of a parameter"
                )
            if not torch.isfinite(block.to_dense()).all():
                raise ValueError("linear rows: coefficients must be finite")
        counts = {int(block.shape[0]) for _, block in self.blocks}
        if len(counts) != 1:
            raise ValueError("linear rows: blocks with the same number of rows are required, and at least one")
        self.count = counts.pop()
        self.lower, self.upper = _bounds(lower, upper, self.count)

    def values(self) -> torch.Tensor:
        """A x, which may be differentiated."""
        return sum(
            torch.mv(block.to(parameter), parameter.reshape(-1))
            if not block.is_sparse
            else torch.sparse.mm(block.to(parameter.device, parameter.dtype), parameter.reshape(-1, 1)).squeeze(1)
            for parameter, block in self.blocks
        )


def _bounds(lower: Any, upper: Any, count: int) -> tuple[torch.Tensor, torch.Tensor]:
    low, high = (torch.as_tensor(vector(bound, "constraints: bounds", count, finite=False)) for bound in (lower, upper))
    if torch.isnan(low).any() or torch.isnan(high).any() or (low > high).any():
        raise ValueError("constraints: lower <= upper is required")
    return low, high


Box = dict[torch.Tensor, tuple[torch.Tensor, torch.Tensor]]


def box_of_tensors(bounds: Optional[Mapping[torch.Tensor, tuple[Any, Any]]], parameters: list[torch.Tensor]) -> Box:
    """Bounds as tensors beside their parameters."""
    known, out = {id(p) for p in parameters}, {}
    for p, (lower, upper) in (bounds or {}).items():
        if id(p) not in known:
            raise ValueError("bounds: a tensor that is no parameter of this optimizer")
        low, high = (
            torch.as_tensor(infinite if bound is None else bound, device=p.device, dtype=p.dtype)
            for bound, infinite in ((lower, -np.inf), (upper, np.inf))
        )
        for bound in (low, high):
            if bound.dim() and bound.shape != p.shape:
                raise ValueError(f"bounds: shape {tuple(bound.shape)} for a parameter of shape {tuple(p.shape)}")
        if not (low <= high).all():
            raise ValueError("bounds: lower <= upper is required")
        out[p] = (low, high)
    return out


def or_zero(gradient: Optional[torch.Tensor], parameter: torch.Tensor) -> torch.Tensor:
    return torch.zeros_like(parameter) if gradient is None else gradient.detach()
