"""Newsvendors and portfolios from a callback: one random sample per call, and constraints on the decision."""
import numpy as np

import bridle

# Three papers, bought for 0.6 and sold for 1.0; a van carries 30. Leftovers are worth nothing. The kink of the profit
# is smoothed over about half a paper.
MEAN, WIDTH, COST, PRICE = np.array([8.0, 12.0, 15.0]), 0.5, 0.6, 1.0


def loss(x, rng):
    demand = rng.gamma(4.0, MEAN / 4.0)
    sold = x - WIDTH * np.logaddexp(0.0, (x - demand) / WIDTH)
    share = 1.0 / (1.0 + np.exp((x - demand) / WIDTH))  # of the last paper that is sold
    return float(np.sum(COST * x - PRICE * sold)), COST - PRICE * share


van = bridle.Rows([[1.0, 1.0, 1.0]], upper=30.0, names=["van"])
result = bridle.minimize(loss, MEAN, constraints=van, bounds=(0, None), samples=50_000, tol=0.02, seed=1)
print("papers:", result.x.round(2), "profit:", round(-result.fun, 3), "price of room:", result.multipliers.round(3))
assert result.x.sum() <= 30.0 + 1e-6

# A portfolio: returns are drawn in batches from a table of 2,000 days, the mean must be at least 4 per mille.
returns = np.random.default_rng(3).multivariate_normal([0.002, 0.004, 0.006], np.diag([1.0, 4.0, 9.0]) * 1e-4, 2000)


def risk(weights, days):
    gains = returns[days] @ weights
    return 1e3 * float(gains @ gains) / days.size, 2e3 * returns[days].T @ gains / days.size


mean = bridle.Rows(1e3 * returns.mean(axis=0)[None, :], lower=4.0, names=["mean"])
problem = bridle.Problem(risk, np.full(3, 1 / 3), n_samples=len(returns), constraints=mean, sets=bridle.Simplex())
portfolio = bridle.solve(problem, epochs=200, tol=1e-3)
print("weights:", portfolio.x.round(4), "variance:", round(portfolio.fun, 4), "found by", portfolio.found_by)
assert portfolio.success

certificate = bridle.certify(problem, portfolio.x)
print(f"the judge's error of the portfolio: {certificate.error:.1e}")
