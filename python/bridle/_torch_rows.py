"""Constraints on the parameters of a network: linear rows, and functions known through mini-batches."""
from __future__ import annotations

from typing import Any, Mapping, Optional

import numpy as np
import torch


class Expected:
    """lower <= E c(x, xi) <= upper, ``count`` functions known through mini-batches, given to every step."""

    def __init__(self, count: int = 1, lower: Any = -np.inf, upper: Any = 0.0) -> None:
        self.count = int(count)
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
        self.blocks = list(blocks.items())
        counts = {int(block.shape[0]) for _, block in self.blocks}
        if len(counts) != 1:
            raise ValueError("linear rows: every block must have the same number of rows")
        for parameter, block in self.blocks:
            if block.dim() != 2 or block.shape[1] != parameter.numel():
                raise ValueError(
                    f"linear rows: a block of shape {tuple(block.shape)} for {parameter.numel()} entries of a parameter"
                )
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
    low = torch.as_tensor(np.broadcast_to(np.asarray(lower, dtype=np.float64), (count,)).copy())
    high = torch.as_tensor(np.broadcast_to(np.asarray(upper, dtype=np.float64), (count,)).copy())
    if torch.isnan(low).any() or torch.isnan(high).any() or (low > high).any():
        raise ValueError("constraints: lower <= upper is required")
    return low, high


def or_zero(gradient: Optional[torch.Tensor], parameter: torch.Tensor) -> torch.Tensor:
    return torch.zeros_like(parameter) if gradient is None else gradient.detach()
