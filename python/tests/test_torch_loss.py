"""A module with a loss as fun of bridle.minimize: the same answers as without torch, left in the module."""
import copy
import pickle
import threading

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import bridle  # noqa: E402
from bridle.torch import Expected, Linear, Loss, certify  # noqa: E402

MSE = torch.nn.functional.mse_loss


def lines(samples=200, dtype=torch.float64):
    """A linear module, and data with known coefficients."""
    torch.manual_seed(3)
    X = torch.randn(samples, 3, dtype=torch.float64)
    y = X @ torch.tensor([[1.0], [-2.0], [0.5]], dtype=torch.float64) + 0.1 * torch.randn(samples, 1, dtype=torch.float64)
    return torch.nn.Linear(3, 1).to(dtype), X, y


def small_net():
    torch.manual_seed(4)
    X = torch.randn(300, 2, dtype=torch.float64)
    y = (X[:, :1] * X[:, 1:]).tanh()
    return torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1)).double(), X, y


def test_rows_and_bounds_over_tensors_agree_with_a_linear_model():
    net, X, y = lines()
    rows, bounds = Linear({net.weight: torch.ones(1, 3)}, upper=-1.0), {net.weight: (-1.5, None)}
    result = bridle.minimize(Loss(net, MSE, X, y, hess=True), constraints=rows, bounds=bounds, tol=1e-8)
    assert result.success and result.variable_names == ["weight[0,0]", "weight[0,1]", "weight[0,2]", "bias[0]"]
    assert np.array_equal(result.x, torch.cat([net.weight.flatten(), net.bias]).detach())
    model = bridle.LinearModel(np.hstack([X, np.ones((200, 1))]), y.numpy().ravel(), loss="squared")
    same = bridle.minimize(
        model, constraints=bridle.Rows([[1.0, 1.0, 1.0, 0.0]], upper=-1.0), bounds=[(-1.5, None)] * 3 + [(None, None)], tol=1e-8
    )
    assert np.allclose(result.x, same.x, atol=1e-6)
    assert np.allclose(result.fun, 2 * same.fun, atol=1e-6)  # torch leaves the half out


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_batches_are_called_by_indices_and_the_module_is_moved_at_the_end_only(dtype):
    net, X, y = lines(dtype=dtype)
    before, sizes = net.weight.detach().clone(), []

    def loss(output, target):
        assert output.dtype == torch.float64 and torch.equal(net.weight, before)
        sizes.append(len(output))
        return MSE(output, target)

    result = bridle.minimize(Loss(net, loss, X.numpy(), y.numpy()), batch=20, epochs=100, tol=1e-2)
    assert result.success and sizes.count(20) >= result.nit and 200 in sizes
    assert not torch.equal(net.weight, before)
    assert np.allclose(net.weight.detach(), [[1.0, -2.0, 0.5]], atol=0.1)
    assert net.weight.dtype == dtype and np.array_equal(result.x[:3].astype(net.weight.detach().numpy().dtype), net.weight[0].detach())
    own = Loss(net, lambda output, target: MSE(output, target), X, y, dtype=None)
    assert own.X.dtype == own.y.dtype == dtype and abs(own(own.x, np.arange(200))[0] - result.fun) < 1e-5


def test_a_network_is_certified_with_its_hessian_and_judged_again():
    net, X, y = small_net()
    fun = Loss(net, MSE, X, y, values=lambda output, target: output.pow(2).mean(), hess=True)
    limits = [Linear({net[2].weight: torch.ones(1, 4)}, 0.0, 0.0), Expected(1, upper=0.05)]
    problem = bridle.Problem(fun, constraints=limits)
    result = bridle.solve(problem, tol=1e-4)
    assert result.success and result.row_names == ["row1", "smooth1"]
    with torch.no_grad():
        assert abs(float(net[2].weight.sum())) < 1e-9 and float(net(X).pow(2).mean()) < 0.05 + 1e-4
    assert result.multipliers[1] > 0  # the bound is touched
    assert bridle.certify(problem, fun.x, result.multipliers).holds(1e-4)
    batches = [[X[:100], y[:100]], [X[100:], y[100:]]]
    other = certify(
        net, batches, lambda m, b: MSE(m(b[0]), b[1]), limits, lambda m, b: m(b[0]).pow(2).mean(), multipliers=result.multipliers
    )
    assert other.holds(1e-4)


def test_labels_tuples_and_dropout():
    torch.manual_seed(5)
    X = torch.randn(90, 2)
    label = (X[:, 0] > 0).long() + (X[:, 1] > 0).long()
    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Dropout(0.5))
    fun = Loss(net, torch.nn.CrossEntropyLoss(), X, label)
    assert fun(fun.x, np.arange(90))[0] == fun(fun.x, np.arange(90))[0] and net.training
    assert fun(fun.x, np.arange(90))[0] == pytest.approx(float(torch.nn.CrossEntropyLoss()(net.eval()(X), label)))
    pair = torch.nn.Bilinear(2, 2, 1)
    both = Loss(pair, lambda output, parts: (parts[1] * (output - parts[0])).pow(2).mean(), (X, X), (X[:, :1], X[:, 1:]))
    assert both(both.x, np.arange(5))[1].shape == (5,)


def test_the_module_stays_as_it_is_where_there_is_no_answer():
    net, X, y = lines()
    before = net.weight.detach().clone()
    rows = [Linear({net.bias: torch.ones(1, 1)}, 1.0, 2.0), Linear({net.bias: torch.ones(1, 1)}, -2.0, -1.0)]
    assert bridle.minimize(Loss(net, MSE, X, y), constraints=rows).status == 3
    fun = Loss(net, MSE, X, y)
    calls = []

    def broken(output, target):
        calls.append(1)
        if len(calls) > 50:
            raise ZeroDivisionError
        return MSE(output, target)

    fun.loss = broken
    with pytest.raises(ZeroDivisionError):
        bridle.minimize(fun)
    assert torch.equal(net.weight, before)


def test_copies_pickles_and_threads():
    net, X, y = lines(40)
    problem = bridle.Problem(Loss(net, MSE, X, y), constraints=Linear({net.weight: torch.ones(1, 3)}, upper=-1.0))
    start = net.state_dict()["weight"].clone()
    others = [pickle.loads(pickle.dumps(problem)), copy.deepcopy(problem)]
    expected = bridle.solve(problem, epochs=20).x
    assert not torch.equal(net.weight, start)
    for other in others:  # each has a module of its own, where the first one was
        assert np.array_equal(bridle.solve(other, epochs=20).x, expected)
    net, X, y = lines(40)
    problem, answers = bridle.Problem(Loss(net, MSE, X, y)), []
    threads = [threading.Thread(target=lambda: answers.append(bridle.solve(problem, epochs=5).x)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 3 and all(np.array_equal(answers[0], x) for x in answers)


def test_one_line_for_what_is_wrong():
    net, X, y = lines()
    frozen = copy.deepcopy(net).requires_grad_(False)
    hole = X.clone()
    hole[7, 1] = float("nan")
    other = torch.nn.Parameter(torch.zeros(2))
    cases = {
        "no trainable parameters": lambda: Loss(frozen, MSE, X, y),
        "X has a number that is not finite in row 7": lambda: Loss(net, MSE, hole, y),
        r"X has shape \(\)": lambda: Loss(net, MSE, 3.0, y),
        "200 rows and 199 rows in X and y": lambda: Loss(net, MSE, X, y[1:]),
        "of the same one twice; the mean over a batch": lambda: Loss(net, torch.nn.MSELoss(reduction="sum"), X, y),
        r"the loss has shape \(1, 1\)|the loss has shape \(2, 1\)": lambda: Loss(net, torch.nn.MSELoss(reduction="none"), X, y),
        "X: can't convert": lambda: Loss(net, MSE, np.array([["a"]], dtype=object), y),
        "no args, jac, hess, n_samples": lambda: bridle.minimize(Loss(net, MSE, X, y), n_samples=3),
        "need values": lambda: bridle.minimize(Loss(net, MSE, X, y), constraints=Expected(1)),
        "linear rows: a tensor that is no": lambda: bridle.minimize(Loss(net, MSE, X, y), constraints=Linear({other: torch.ones(1, 2)})),
        "bounds: a tensor that is no": lambda: bridle.minimize(Loss(net, MSE, X, y), bounds={other: (0, 1)}),
        "rows: a tensor": lambda: certify(net, [[X, y]], lambda m, b: m(b[0]).sum(), [Linear({other: torch.ones(1, 2)})]),
        "the loader has no batches": lambda: certify(net, [], lambda m, b: m(b[0]).sum()),
    }
    for line, call in cases.items():
        with pytest.raises(ValueError, match=line) as caught:
            call()
        assert "\n" not in str(caught.value)
