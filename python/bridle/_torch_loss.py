"""A module with a loss as an objective of `bridle.minimize`."""
from __future__ import annotations

import copy
import threading
from typing import Any, Callable, Iterator, Mapping, Optional

import numpy as np
import torch
from scipy.optimize import NonlinearConstraint

from ._arrays import Vector
from ._constraints import as_list
from ._objectives import Terms
from ._torch_rows import Expected, Linear
from ._torch_vectors import box_of, flat, jacobian, names_of, put, rows_of, trainable

CHUNK = 8192  # samples of one pass forward, where all are asked for


class Loss(Terms):
    """The mean of ``loss(module(X), y)`` over the samples, in the module's trainable parameters.

    ``bridle.minimize(Loss(module, loss, X, y))`` starts from the parameters as they are and leaves the best point in
    them, unless the constraints are infeasible or the loss falls without end; ``x`` of the result is the same point as
    one vector. Constraints are those of SciPy and of bridle over that vector, `Linear` rows and bounds
    ``{parameter: (lower, upper)}`` over the module's own tensors, and one `Expected`.

    Parameters
    ----------
    module : torch.nn.Module
        Evaluated in a copy of type ``dtype``, as after ``module.eval()``: with dropout, or normalised by batches, a
        loss is no sum over samples.
    loss : callable
        loss(output, y), or loss(output) without y: the mean over a batch, as torch's losses are.
    X, y : tensors or arrays, one row per sample
        Or tuples of them; the module is called with the parts of X. They are brought to the module's device and,
        floating ones, to ``dtype``.
    values : callable, optional
        values(output, y): means over a batch, which an `Expected` among the constraints bounds over all the data.
    hess : bool
        Whether to offer the Hessian over all the data, which takes one backward pass per parameter, so that
        second-order steps end the run: for modules with up to some hundred parameters.
    dtype : torch.dtype, optional
        Doubles unless told, since single precision hides what the judge looks for; None for the module's own type. The
        answer is rounded to the module's type when it is left there, and not in ``x`` of the result.

    Attributes
    ----------
    x : array
        The module's trainable parameters as one vector, the order that of ``module.parameters()``.

    Examples
    --------
    >>> import bridle, torch
    >>> from bridle.torch import Linear, Loss
    >>> X = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> net = torch.nn.Linear(2, 1, bias=False)
    >>> fun = Loss(net, torch.nn.MSELoss(), X, X @ torch.tensor([[1.0], [2.0]]), hess=True)
    >>> total = Linear({net.weight: torch.ones(1, 2)}, upper=2.0)
    >>> result = bridle.minimize(fun, constraints=total)
    >>> bool(result.success), [round(float(w), 2) for w in net.weight[0]]
    (True, [0.5, 1.5])
    """

    def __init__(
        self,
        module: Any,
        loss: Callable[..., torch.Tensor],
        X: Any,
        y: Any = None,
        *,
        values: Optional[Callable[..., torch.Tensor]] = None,
        hess: bool = False,
        dtype: Any = torch.float64,
    ) -> None:
        self.module, self.loss, self.values, self.hess, self.dtype = module, loss, values, bool(hess), dtype
        if not trainable(module):
            raise ValueError("torch loss: the module has no trainable parameters")
        self.X, self.y = self._tensors(X, "X"), None if y is None else self._tensors(y, "y")
        self.n_samples = len(_first(self.X))
        self._make_copy()
        self._check()

    @property
    def x(self) -> Vector:
        return flat(trainable(self.module))

    def __call__(self, x: Vector, indices: Any) -> tuple[float, Vector]:
        with self._lock, torch.enable_grad():
            put(x, self._parameters)
            value = self._of(self.loss, indices)
            return float(value), jacobian(value.reshape(1), self._parameters)[0]

    def completed(self, stated: dict[str, Any]) -> dict[str, Any]:
        if any(stated[key] not in (None, ()) for key in ("args", "jac", "hess", "n_samples")):
            raise ValueError("Loss brings its own samples and derivatives: no args, jac, hess, n_samples")
        with self._lock:
            self._copy.load_state_dict(self.module.state_dict())
        bounds = stated["bounds"]
        return dict(
            stated,
            x0=self.x if stated["x0"] is None else stated["x0"],
            names=names_of(self.module) if stated["names"] is None else stated["names"],
            n_samples=self.n_samples,
            hess=self._hessian if self.hess else None,
            constraints=[self._over_x(one) for one in as_list(stated["constraints"])],
            bounds=box_of(bounds, trainable(self.module)) if isinstance(bounds, Mapping) else bounds,
        )

    def keep(self, x: Vector) -> None:
        put(x, trainable(self.module))

    def _over_x(self, one: Any) -> Any:
        if isinstance(one, Linear):
            return rows_of(one, trainable(self.module))
        if not isinstance(one, Expected):
            return one
        if self.values is None:
            raise ValueError("Expected constraints need values: Loss(..., values=)")
        return NonlinearConstraint(
            lambda x: self._means(x, False)[0], one.lower.numpy(), one.upper.numpy(), jac=lambda x: self._means(x, True)[1]
        )

    def _hessian(self, x: Vector) -> Vector:
        out: Any = 0.0
        with self._lock, torch.enable_grad():
            put(x, self._parameters)
            for part, share in self._chunks():
                slopes = torch.autograd.grad(self._of(self.loss, part), self._parameters, create_graph=True)
                out = out + share * jacobian(torch.cat([s.reshape(-1) for s in slopes]), self._parameters)
        return np.asarray(0.5 * (out + out.T))

    def _means(self, x: Vector, differentiate: bool) -> tuple[Any, Any]:
        """Of the values over all samples, and their Jacobian."""
        means: Any = 0.0
        rows: Any = 0.0
        with self._lock, torch.set_grad_enabled(differentiate):
            put(x, self._parameters)
            for part, share in self._chunks():
                out = torch.atleast_1d(self._of(self.values, part))
                means = means + share * flat([out])
                rows = rows + share * jacobian(out, self._parameters) if differentiate else rows
        return means, rows

    def _chunks(self) -> Iterator[tuple[Any, float]]:
        """All samples, some at a time, with their share of the whole."""
        for first in range(0, self.n_samples, CHUNK):
            part = np.arange(first, min(first + CHUNK, self.n_samples))
            yield part, part.size / self.n_samples

    def _of(self, function: Any, indices: Any) -> torch.Tensor:
        where = torch.as_tensor(indices, device=_first(self.X).device)
        X = _at(self.X, where)
        output = self._copy(*X) if isinstance(X, tuple) else self._copy(X)
        return function(output) if self.y is None else function(output, _at(self.y, where))

    def _tensors(self, data: Any, what: str) -> Any:
        if isinstance(data, tuple):
            return tuple(self._tensors(part, what) for part in data)
        own = trainable(self.module)[0]
        try:
            out = torch.as_tensor(data if isinstance(data, torch.Tensor) else np.asarray(data)).detach()
        except TypeError as error:
            raise ValueError(f"torch loss: {what}: {error}") from None
        out = out.to(own.device, self.dtype or own.dtype) if out.is_floating_point() else out.to(own.device)
        if out.dim() == 0 or len(out) == 0:
            raise ValueError(f"torch loss: {what} has shape {tuple(out.shape)}; one row per sample is required")
        if not torch.isfinite(out).all():
            row = int(torch.nonzero(~torch.isfinite(out))[0][0])
            raise ValueError(f"torch loss: {what} has a number that is not finite in row {row}")
        return out

    def _make_copy(self) -> None:
        self._copy = copy.deepcopy(self.module).to(self.dtype).eval()
        self._parameters = trainable(self._copy)
        self._lock = threading.Lock()  # torch lets other threads in while it works

    def _check(self) -> None:
        for part in _parts(self.X) + _parts(self.y):
            if len(part) != self.n_samples:
                raise ValueError(f"torch loss: {self.n_samples} rows and {len(part)} rows in X and y")
        with torch.no_grad():
            one, two = self._of(self.loss, np.zeros(1, dtype=int)), self._of(self.loss, np.zeros(2, dtype=int))
        for value in (one, two):
            if not isinstance(value, torch.Tensor) or value.numel() != 1:
                shape = tuple(getattr(value, "shape", ()))
                raise ValueError(f"torch loss: the loss has shape {shape}; one number, the mean over a batch, is required")
        if abs(float(two) - float(one)) > 1e-3 * abs(float(one)):
            raise ValueError(
                f"torch loss: {float(one):.6g} of one sample and {float(two):.6g} of the same one twice; the mean over a"
                " batch is required, not the sum"
            )

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key not in ("_copy", "_parameters", "_lock")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._make_copy()


def _parts(data: Any) -> list[torch.Tensor]:
    return [] if data is None else list(data) if isinstance(data, tuple) else [data]


def _first(data: Any) -> torch.Tensor:
    return _parts(data)[0]


def _at(data: Any, where: torch.Tensor) -> Any:
    return tuple(part[where] for part in data) if isinstance(data, tuple) else data[where]
