"""A small network under rate constraints: both groups are selected alike, on average over the data."""
import torch

from bridle.torch import Expected, SmoothedALM, certify

torch.manual_seed(1)
people = 2000
group = (torch.rand(people) < 0.4).double()
skill = torch.randn(people, 3).double()
skill[:, 0] += 1.5 * group - 0.6  # a proxy of the group
hired = (skill.sum(1) + 0.5 * torch.randn(people).double() > 0).double()
batches = [[skill[k : k + 200], hired[k : k + 200], group[k : k + 200]] for k in range(0, people, 200)]
shares = group.mean()

net = torch.nn.Sequential(torch.nn.Linear(3, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1)).double()


def loss(model, batch):
    return torch.nn.functional.binary_cross_entropy_with_logits(model(batch[0]).squeeze(1), batch[1])


def difference(model, batch):
    """Smoothed selection rate of one group minus that of the other."""
    rate = torch.sigmoid(4 * model(batch[0]).squeeze(1))
    return (rate * (batch[2] / shares - (1 - batch[2]) / (1 - shares))).mean()


rates = [Expected(1, -0.02, 0.02)]
optimizer = SmoothedALM(net.parameters(), rates, lr=0.05)
for epoch in range(60):
    for batch in batches:
        optimizer.step(lambda: (loss(net, batch), difference(net, batch)))

with torch.no_grad():
    chosen = (net(skill).squeeze(1) > 0).double()
print("right:", round(float((chosen == hired).double().mean()), 3), "selected, by group:",
      [round(float(chosen[group == g].mean()), 3) for g in (0, 1)])  # fmt: skip
certificate = certify(net, batches, loss, rates, difference)
print(
    f"the judge: violation {certificate.feasibility.absolute:.1e}, stationarity {certificate.stationarity.absolute:.1e}"
)
