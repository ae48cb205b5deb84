"""An optimizer for PyTorch: the smoothed augmented Lagrangian method for networks under constraints.

Constraints are linear rows over parameters, boxes, or functions that are known through mini-batches. The judge
measures the trained model over all the data: `certify`.
"""
from __future__ import annotations

from typing import Any, Callable, Iterable, Mapping, Optional, Sequence

import torch

from ._arrays import positive
from ._constraints import as_list
from ._torch_judge import certify
from ._torch_loss import Loss
from ._torch_rows import Expected, Linear, box_of_tensors, or_zero

__all__ = ["Expected", "Linear", "Loss", "SmoothedALM", "certify"]

ALGORITHMS = ("smoothed", "safeguarded", "storm", "safeguarded-storm")


class SmoothedALM(torch.optim.Optimizer):  # type: ignore[misc]
    r"""The paper's Algorithms 1 to 4 on the parameters of a network.

    Every step does, with c(x) the rows, s their slacks in [lower, upper], and one mini-batch,

        y <- y + eta (c - s)                         G = gradient of  loss + y'c + rho/2 |c - s|^2 + mu/2 |x - z|^2
        x <- projection of x - tau G onto the box    z <- z + beta (x - z)

    Parameters
    ----------
    params : iterable of parameters, or parameter groups
    constraints : list of Linear and at most one Expected
    lr : float, optional
        tau, which schedulers may lower; eta and beta shrink with it, rho and mu stay. None: from the curvature of the
        first batch, which needs ``step(closure)``.
    rho, mu, eta, beta : float, optional
        None: the library's rules, rho = 2 L, mu = 0.2 L with L = 0.7/tau - rho, eta = tau (L + rho + mu)^2/4 (with
        Expected rows at most rho/20), beta = min(4 tau mu, 0.9), for rows scaled to gradients of length 1.
    bounds : dict of parameter to (lower, upper), optional
    algorithm : str
        "smoothed" (1); "safeguarded" (2) sets y to 0 when it is longer than ``dual_bound``; "storm" (3) and
        "safeguarded-storm" (4) correct a running estimate of the loss's gradient, and of the rows, with the gradient
        of the same batch at the point before, which needs ``step(closure)``.
    dual_bound : float
    alpha : float
        STORM's momentum; 1 is the plain gradient.

    Examples
    --------
    >>> import torch
    >>> from bridle.torch import Linear, SmoothedALM
    >>> x = torch.nn.Parameter(torch.zeros(2))
    >>> opt = SmoothedALM([x], [Linear({x: torch.ones(1, 2)}, upper=1.0)], lr=0.1)
    >>> for _ in range(300):
    ...     _ = opt.step(lambda: ((x - torch.tensor([1.0, 2.0])) ** 2).sum())
    >>> [round(float(v), 3) for v in x]
    [0.0, 1.0]
    """

    def __init__(
        self,
        params: Any,
        constraints: Sequence[Any] = (),
        *,
        lr: Optional[float] = None,
        rho: Optional[float] = None,
        mu: Optional[float] = None,
        eta: Optional[float] = None,
        beta: Optional[float] = None,
        bounds: Optional[Mapping[torch.Tensor, tuple[Any, Any]]] = None,
        algorithm: str = "smoothed",
        dual_bound: float = 100.0,
        alpha: float = 0.1,
    ) -> None:
        if algorithm not in ALGORITHMS:
            raise ValueError(f"algorithm '{algorithm}' is unknown; one of {', '.join(ALGORITHMS)} is required")
        for name, value in dict(lr=lr, rho=rho, mu=mu, eta=eta, beta=beta, dual_bound=dual_bound, alpha=alpha).items():
            if value is not None:
                positive(value, name)
        constraints = as_list(constraints)
        self._linear = [one for one in constraints if isinstance(one, Linear)]
        expected = [one for one in constraints if isinstance(one, Expected)]
        if len(expected) > 1 or len(self._linear) + len(expected) != len(constraints):
            raise ValueError("constraints: Linear rows and at most one Expected are required")
        self._expected = expected[0].count if expected else 0
        given = dict(lr=lr, base_lr=lr, rho=rho, mu=mu, eta=eta, beta=beta)
        super().__init__(params, dict(algorithm=algorithm, dual_bound=dual_bound, alpha=alpha, **given))
        own = {id(p) for group in self.param_groups for p in group["params"]}
        for rows in self._linear:
            if any(id(p) not in own for p, _ in rows.blocks):
                raise ValueError("linear rows: a tensor that is no parameter of this optimizer")
        self._bounds = box_of_tensors(bounds, self._parameters())
        parts: list[Any] = [*self._linear, *expected]
        one = self.param_groups[0]["params"][0]
        like = dict(device=one.device, dtype=one.dtype)
        self._lower = torch.cat([part.lower for part in parts]).to(**like) if parts else torch.zeros(0, **like)
        self._upper = torch.cat([part.upper for part in parts]).to(**like) if parts else torch.zeros(0, **like)
        self._project()

    def __getstate__(self) -> dict[str, Any]:
        ours = ("_linear", "_expected", "_bounds", "_lower", "_upper")
        return {**super().__getstate__(), **{name: self.__dict__[name] for name in ours}}

    # -- what a user calls --------------------------------------------------------------------------------------

    @property
    def multipliers(self) -> torch.Tensor:
        """One per row, Linear rows first, of the rows as they were stated."""
        rows = self.state.get("rows")
        return rows["y"] * rows["scale"] if rows else torch.zeros_like(self._lower)

    def forward_update(self, loss: torch.Tensor, constraints: Any = None) -> torch.Tensor:
        """The dual step, and the Lagrangian whose gradient `step` wants: call ``backward()`` on it, then ``step()``.

        ``constraints`` are the values c(x, xi) of the Expected ones on this batch, or a tuple of two or three of them
        from independent batches: for the pull, for the residual, and for the dual step (Algorithm 2's draws).
        """
        if self._group["lr"] is None:
            raise ValueError("lr is required with forward_update; step(closure) chooses it from the first batch")
        if "storm" in self._group["algorithm"]:
            raise ValueError("STORM asks for gradients at two points of a batch: use step(closure)")
        pull, residual, dual = self._draws(constraints)
        self._prepare(pull)
        self._dual_step(dual)
        self._remember(residual)
        return loss + self._weights() @ pull if pull.numel() else loss

    def step(self, closure: Optional[Callable[[], Any]] = None) -> Any:
        """One iteration. ``closure`` returns the loss, or (loss, constraints) as of `forward_update`; no backward."""
        if closure is None:
            if "storm" in self._group["algorithm"]:
                raise ValueError("STORM asks for gradients at two points of a batch: use step(closure)")
            self._primal_step([p.grad for p in self._parameters()])
            return None
        if self._group["lr"] is None:
            self._choose(closure)
        # Points are moved before the graph that the step needs is made: moving them spoils it.
        before = self._at_point_before(closure) if "storm" in self._group["algorithm"] else None
        loss, pull, residual, dual = self._evaluate(closure)
        self._prepare(pull)
        if "storm" in self._group["algorithm"]:
            gradients, dual = self._estimates(loss, dual, before)
            if self._group["algorithm"] == "safeguarded-storm":
                residual = dual
            self._dual_step(dual)
            self._remember(residual)
            pulls = self._gradients(self._weights() @ pull) if pull.numel() else None
            total = gradients if pulls is None else [_sum(g, p) for g, p in zip(gradients, pulls)]
        else:
            self._dual_step(dual)
            self._remember(residual)
            total = self._gradients(loss + self._weights() @ pull if pull.numel() else loss)
        self._primal_step(total)
        return loss.detach()

    # -- the method ---------------------------------------------------------------------------------------------

    @property
    def _group(self) -> dict[str, Any]:
        return self.param_groups[0]  # type: ignore[no-any-return]

    def _parameters(self) -> list[torch.Tensor]:
        return [p for group in self.param_groups for p in group["params"] if p.requires_grad]

    def _gradients(self, value: torch.Tensor) -> list[Optional[torch.Tensor]]:
        return list(torch.autograd.grad(value, self._parameters(), allow_unused=True, retain_graph=True))

    def _draws(self, constraints: Any) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """All rows three times: for the pull (with its graph), for the residual, for the dual step."""
        draws = list(constraints) if isinstance(constraints, (tuple, list)) else [constraints]
        draws = [torch.zeros(0)] if self._expected == 0 else draws
        linear = [one.values() for one in self._linear]
        stacked = []
        for draw in draws:
            values = torch.atleast_1d(draw) if draw is not None else torch.zeros(0)
            if values.numel() != self._expected:
                raise ValueError(f"{values.numel()} constraint values; {self._expected} are required")
            if not torch.isfinite(values).all():
                raise ValueError(f"the constraint values are {values.tolist()}; finite ones are required")
            parts = linear + ([values.to(self._lower)] if self._expected else [])
            stacked.append(torch.cat(parts) if parts else self._lower)
        pull = stacked[0]
        residual = stacked[1 if len(stacked) > 1 else 0].detach()
        dual = stacked[2 if len(stacked) > 2 else len(stacked) - 1].detach()
        return pull, residual, dual

    def _evaluate(self, closure: Callable[[], Any]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
        with torch.enable_grad():
            answer = closure()
            loss, constraints = answer if isinstance(answer, tuple) else (answer, None)
            if not isinstance(loss, torch.Tensor) or loss.numel() != 1:
                raise ValueError(f"the closure returned a {type(loss).__name__}; a loss of one number is required")
            if not torch.isfinite(loss):
                raise ValueError(f"the loss is {float(loss)}; a finite one is required")
            return (loss, *self._draws(constraints))

    def _prepare(self, pull: torch.Tensor) -> None:
        """Before the first step: rows scaled to gradients of length 1, slacks where the rows are."""
        if "rows" in self.state or not pull.numel():
            return
        scale = torch.ones_like(self._lower)
        for i in range(pull.numel()):
            gradients = self._gradients(pull[i])
            length = sum(float(g.pow(2).sum()) for g in gradients if g is not None) ** 0.5
            scale[i] = 1.0 / length if length > 1e-12 else 1.0
        slack = torch.clamp(pull.detach(), self._lower, self._upper) * scale
        self.state["rows"] = {
            "scale": scale, "y": torch.zeros_like(scale), "s": slack, "zs": slack.clone(), "r": torch.zeros_like(scale),
        }  # fmt: skip

    def _dual_step(self, values: torch.Tensor) -> None:
        if not values.numel():
            return
        rows, group = self.state["rows"], self._filled()
        rows["y"] += group["eta"] * (values * rows["scale"] - rows["s"])
        if "safeguarded" in group["algorithm"] and float(rows["y"].norm()) >= group["dual_bound"]:
            rows["y"].zero_()

    def _remember(self, values: torch.Tensor) -> None:
        if values.numel():
            self.state["rows"]["r"] = values * self.state["rows"]["scale"] - self.state["rows"]["s"]

    def _weights(self) -> torch.Tensor:
        """y + rho (c - s), for the rows as they were stated."""
        rows = self.state["rows"]
        return (rows["y"] + self._filled()["rho"] * rows["r"]) * rows["scale"]

    @torch.no_grad()  # type: ignore[misc]
    def _primal_step(self, gradients: Iterable[Optional[torch.Tensor]]) -> None:
        filled = self._filled()
        tau, mu, beta = filled["lr"], filled["mu"], filled["beta"]
        for p, gradient in zip(self._parameters(), gradients):
            state = self.state[p]
            if "z" not in state:
                state["z"] = p.detach().clone()
            gap = p - state["z"]
            state["z"] += beta * gap
            direction = mu * gap if gradient is None else gradient + mu * gap
            p -= tau * direction
        if "rows" in self.state:
            rows = self.state["rows"]
            gap = rows["s"] - rows["zs"]
            rows["zs"] += beta * gap
            moved = rows["s"] - tau * (mu * gap - rows["y"] - filled["rho"] * rows["r"])
            rows["s"] = torch.clamp(moved, self._lower * rows["scale"], self._upper * rows["scale"])
        self._project()

    @torch.no_grad()  # type: ignore[misc]
    def _project(self) -> None:
        for p, (low, high) in self._bounds.items():
            p.copy_(torch.minimum(torch.maximum(p, low), high))

    def _filled(self) -> dict[str, Any]:
        """The parameters, those that were not given by the library's rules."""
        group: dict[str, Any] = dict(self._group)
        if group["lr"] is None:
            raise ValueError("lr is required without a closure")
        base = float(group["base_lr"])
        factor = float(group["lr"]) / base  # of a schedule: the steps shrink together, rho and mu stay
        curvature = 0.7 / (3.0 * base)  # tau = 0.7/(rho + L) with rho = 2 L
        rho = float(2.0 * curvature if group["rho"] is None else group["rho"])
        mu = float(0.2 * curvature if group["mu"] is None else group["mu"])
        eta = base * (curvature + rho + mu) ** 2 / 4.0
        if self._expected:  # rows that are seen through batches bear smaller dual steps
            eta = min(eta, 0.05 * rho)
        eta = eta if group["eta"] is None else group["eta"]
        beta = min(4.0 * base * mu, 0.9) if group["beta"] is None else group["beta"]
        group.update(rho=rho, mu=mu, eta=factor * eta, beta=factor * beta)
        return group

    def _choose(self, closure: Callable[[], Any]) -> None:
        """tau from the largest curvature of the loss along its own gradient, by three rounds of differences."""
        parameters, largest = self._parameters(), 0.0
        start = [p.detach().clone() for p in parameters]
        at_start = [or_zero(g, p) for g, p in zip(self._gradients(self._evaluate(closure)[0]), parameters)]
        direction = at_start
        for _ in range(3):
            length = sum(float(d.pow(2).sum()) for d in direction) ** 0.5
            if length == 0:
                break
            step = 1e-3 * (1.0 + sum(float(p.pow(2).sum()) for p in start) ** 0.5) / length
            with torch.no_grad():
                for p, old, d in zip(parameters, start, direction):
                    p.copy_(old + step * d)
            moved = [or_zero(g, p) for g, p in zip(self._gradients(self._evaluate(closure)[0]), parameters)]
            direction = [(a - b) / (step * length) for a, b in zip(moved, at_start)]
            largest = max(largest, sum(float(d.pow(2).sum()) for d in direction) ** 0.5)
        with torch.no_grad():
            for p, old in zip(parameters, start):
                p.copy_(old)
        for group in self.param_groups:
            group["lr"] = group["base_lr"] = 0.7 / (3.0 * largest) if largest > 0 else 0.1

    def _at_point_before(self, closure: Callable[[], Any]) -> Optional[tuple[list[torch.Tensor], torch.Tensor]]:
        """Gradients of the loss, and the rows, of this batch at the point before; None at the first step."""
        parameters = self._parameters()
        if "d" not in self.state[parameters[0]]:
            return None
        here = [p.detach().clone() for p in parameters]
        with torch.no_grad():
            for p in parameters:
                p.copy_(self.state[p]["before"])
        there = self._evaluate(closure)
        gradients = [or_zero(g, p) for g, p in zip(self._gradients(there[0]), parameters)]
        with torch.no_grad():
            for p, value in zip(parameters, here):
                p.copy_(value)
        return gradients, there[3]

    def _estimates(
        self, loss: torch.Tensor, rows: torch.Tensor, before: Optional[tuple[list[torch.Tensor], torch.Tensor]]
    ) -> tuple[list[Optional[torch.Tensor]], torch.Tensor]:
        """STORM: d <- grad(x, xi) + (1 - alpha)(d - grad(x before, xi)), and the same for the rows in Algorithm 4."""
        parameters, keep = self._parameters(), 1.0 - self._group["alpha"]
        now = [or_zero(g, p) for g, p in zip(self._gradients(loss), parameters)]
        if before is not None:
            now = [g + keep * (self.state[p]["d"] - old) for g, p, old in zip(now, parameters, before[0])]
            if self._group["algorithm"] == "safeguarded-storm" and rows.numel():
                rows = rows + keep * (self.state["rows"]["c"] - before[1])
        for p, estimate in zip(parameters, now):
            self.state[p]["d"], self.state[p]["before"] = estimate, p.detach().clone()
        if rows.numel():
            self.state["rows"]["c"] = rows
        return list(now), rows


def _sum(a: Optional[torch.Tensor], b: Optional[torch.Tensor]) -> Optional[torch.Tensor]:
    return b if a is None else a if b is None else a + b
