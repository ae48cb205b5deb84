"""The losses of linear models: value, slope, and the largest curvature of each."""

import numpy as np

CONVEX = ("squared", "logistic", "huber")
CLASSIFICATION = ("logistic", "logistic-difference", "smoothed-01")
REGRESSION = ("squared", "huber", "cauchy", "tukey")


def softplus(t):
    """log(1 + e^t) without overflow."""
    return np.maximum(t, 0) + np.log1p(np.exp(-np.abs(t)))


def sigmoid(t):
    e = np.exp(-np.abs(t))
    return np.where(t >= 0, 1 / (1 + e), e / (1 + e))


class Loss:
    """V(output, label); `shift` of logistic-difference, `width` of huber and tukey."""

    def __init__(self, name, shift=1.0, width=None):
        if name not in CLASSIFICATION + REGRESSION:
            raise ValueError(f"unknown loss '{name}'")
        self.name, self.shift = name, shift
        self.width = width if width is not None else (4.685 if name == "tukey" else 1.0)

    @property
    def classifies(self):
        return self.name in CLASSIFICATION

    @property
    def convex(self):
        return self.name in CONVEX

    def value(self, output, label):
        if self.classifies:
            m = label * output
            if self.name == "logistic":
                return softplus(-m)
            if self.name == "logistic-difference":
                return softplus(-m) - softplus(-(m + self.shift))
            inside = np.clip(m, -1, 1)
            return inside**3 / 4 - 3 * inside / 4 + 0.5
        r = output - label
        if self.name == "squared":
            return r * r / 2
        if self.name == "huber":
            size = np.abs(r)
            return np.where(size <= self.width, r * r / 2, self.width * (size - self.width / 2))
        if self.name == "cauchy":
            return np.log1p(r * r)
        inside = np.clip(np.abs(r) / self.width, 0, 1) ** 2
        return self.width**2 / 6 * (1 - (1 - inside) ** 3)

    def slope(self, output, label):
        """The derivative by the output."""
        if self.classifies:
            m = label * output
            if self.name == "logistic":
                return -label * sigmoid(-m)
            if self.name == "logistic-difference":
                if abs(self.shift) > 1000:
                    return label * (sigmoid(-(m + self.shift)) - sigmoid(-m))
                # the same without what cancels where both are 1
                return -label * np.expm1(np.longdouble(self.shift)) * sigmoid(m) * sigmoid(-(m + self.shift))
            inside = np.clip(m, -1, 1)
            return label * (3 * inside**2 / 4 - 0.75)
        r = output - label
        if self.name == "squared":
            return r
        if self.name == "huber":
            return np.clip(r, -self.width, self.width)
        if self.name == "cauchy":
            return 2 * r / (1 + r * r)
        inside = np.clip(np.abs(r) / self.width, 0, 1) ** 2
        return r * (1 - inside) ** 2

    def largest_curvature(self):
        """h, a bound of |V''| over all outputs."""
        known = {"squared": 1.0, "huber": 1.0, "tukey": 1.0, "logistic": 0.25, "smoothed-01": 1.5, "cauchy": 2.0}
        if self.name in known:
            return known[self.name]
        return min(0.25, abs(self.shift) / (6 * np.sqrt(3)))
