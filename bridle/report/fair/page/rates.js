// Rates of decisions, and what is said of them. Comes before script.js, whose names it shares.

const rate_names = { selection_rate: "selection rate", true_positive_rate: "true positive rate", false_positive_rate: "false positive rate" };
const rates_of_measure = { "demographic-parity": ["selection_rate"], "equal-opportunity": ["true_positive_rate"],
  "predictive-equality": ["false_positive_rate"], "equalised-odds": ["true_positive_rate", "false_positive_rate"] };
const measured_rates = (model) => rates_of_measure[model.rates ? model.rates.measure : "demographic-parity"];
const people_behind = (g, rate) => g.samples * (rate === "selection_rate" ? 1 : rate === "true_positive_rate" ? g.base_rate : 1 - g.base_rate);
// Wilson's 95% interval of a rate, which has a width where nobody or everybody is selected too.
function interval_of(g, rate) {
  const n = people_behind(g, rate), p = g[rate], z = 1.959964, shrink = 1 + (z * z) / n;
  const centre = (p + (z * z) / (2 * n)) / shrink;
  const half = (z / shrink) * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n));
  return [Math.max(0, centre - half), Math.min(1, centre + half)];
}
const percent = (v) => (v === null || v === undefined ? "-" : `${(100 * v).toFixed(1)}%`);

// The largest difference of two groups of a sensitive column, and the smallest ratio, over the rates named; null where no two groups
// have people to be measured. Where a model has bounds on rates, small groups that were left out of them take no part.
function spread_of(metrics, rates, model) {
  const out = { gap: null, ratio: null };
  const compared = (a, g) => !model.rates || model.rates.train.cells.some((c) => c.attribute === a.attribute && c.group === g.group);
  for (const attribute of metrics.attributes)
    for (const rate of rates) {
      const values = attribute.groups.filter((g) => compared(attribute, g)).map((g) => g[rate]).filter((v) => v !== null);
      if (values.length < 2) continue;
      const least = Math.min(...values), most = Math.max(...values);
      out.gap = Math.max(out.gap ?? 0, most - least);
      out.ratio = Math.min(out.ratio ?? 1, most > 0 ? least / most : 1);
    }
  return out;
}

const measured = (v) => (v === null ? "not measured" : digits(v));
const found_of = (spread, by_ratio) => (by_ratio ? `the lowest rate is ${digits(spread.ratio)} of the highest` : `the largest gap is ${digits(spread.gap)}`);

// What was counted over the training data holds of them and of nobody else: a count, without an interval.
function train_line(r) {
  const by_ratio = r.ratio !== undefined;
  const verdict = r.reached ? "Reached" : r.asked_holds
    ? `The tightened bound is NOT reached; the ${by_ratio ? "ratio" : "gap"} asked for holds in the training data only` : "NOT reached";
  return `${verdict}: counted over the training data, ${found_of(r.train, by_ratio)}.`;
}

// What the test data say of other people: the interval is that of the figure beside it.
function test_line(r, before) {
  const by_ratio = r.ratio !== undefined, t = r.test;
  const missing = t.not_measured.length > 0 ? ` Nobody there is in ${t.not_measured.join("; ")}.` : "";
  if (t.gap === null) return `On the test data: not measured.${missing}`;
  return `On the test data: ${t.finding}. There ${found_of(t, by_ratio)}, with a 95% interval from ${digits(t.interval[0])} to ` +
    `${digits(t.interval[1])} of that figure.${missing} Without bounds ${by_ratio ? `it was ${measured(before.ratio)}` : `the gap was ${measured(before.gap)}`}.`;
}

// Whiskers from one end of an interval to the other, which Chart.js itself does not draw.
const whiskers = {
  id: "whiskers",
  afterDatasetsDraw(chart) {
    const context = chart.ctx;
    context.save();
    context.strokeStyle = "#1d2733";
    context.lineWidth = 1.5;
    chart.data.datasets.forEach((set, k) => {
      chart.getDatasetMeta(k).data.forEach((bar, i) => {
        const [bottom, top] = set.intervals[i].map((v) => chart.scales.y.getPixelForValue(v));
        context.beginPath();
        context.moveTo(bar.x, top);
        context.lineTo(bar.x, bottom);
        context.moveTo(bar.x - 4, top);
        context.lineTo(bar.x + 4, top);
        context.moveTo(bar.x - 4, bottom);
        context.lineTo(bar.x + 4, bottom);
        context.stroke();
      });
    });
    context.restore();
  },
};

function show_rates(model, free) {
  const part = model.metrics.test ? "test" : "train";
  const entries = (metrics) => measured_rates(model).flatMap((rate) => metrics.attributes.flatMap((a) =>
    a.groups.filter((g) => g[rate] !== null).map((g) => ({ label: `${a.attribute} = ${g.group}`, rate, value: g[rate], interval: interval_of(g, rate) }))));
  const before = entries(free.metrics[part]), after = entries(model.metrics[part]);
  const several = measured_rates(model).length > 1;
  const bars = (label, list, colour) => ({ label, data: list.map((e) => e.value), intervals: list.map((e) => e.interval),
    backgroundColor: colour });
  draw("rates", {
    type: "bar",
    data: { labels: after.map((e) => (several ? [e.label, rate_names[e.rate]] : e.label)),
      datasets: [bars("without bounds", before, "#b9c4cd"), bars("with the bound", after, blue)] },
    options: { scales: { y: axis(several ? "rate" : rate_names[measured_rates(model)[0]],
      { min: 0, suggestedMax: Math.max(...[...before, ...after].map((e) => e.interval[1])) }) } },
    plugins: [whiskers],
  });
  document.getElementById("rates-text").textContent =
    (part === "test" ? "Test data. Whiskers: the 95% interval of each group's own rate; that of the gap or ratio is in the answer above. "
      : "Training data. Whiskers: by how much each group's own rate differs by chance in as many other people (95%); a gap that is counted here has none. ") +
    `Positive decisions: score above 0, ${figures.setting.target} = ${figures.setting.positive}.` +
    (figures.setting.model === "network" ? ` The score is that of a network with ${figures.setting.hidden.join(" and ")} tanh units, ${figures.setting.weights} weights.` : "");
}
