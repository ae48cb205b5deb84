const sweep = figures.curve !== undefined;
const blue = "#2f6f8f", orange = "#c8692b", grey = "#8a97a3";
const charts = {};

const digits = (v, count = 4) => (v === null || v === undefined ? "-" : v.toFixed(count));
const short = (v) => (v === null || v === undefined ? "-" : Number(v.toPrecision(6)).toString());
const bound_text = (v, relative) => (relative ? `${short(100 * v)}%` : short(v));

function draw(id, config) {
  if (charts[id]) charts[id].destroy();
  config.options = { animation: false, maintainAspectRatio: false, ...config.options };
  charts[id] = new Chart(document.getElementById(id), config);
}

const axis = (text, more = {}) => ({ title: { display: true, text }, ...more });

function row_label(row) {
  const group = row.group ? ` = ${row.group}` : "";
  return row.attribute + group + (row.within === "all" ? "" : ` within ${row.within}`);
}

// ---- the trade-off curve -------------------------------------------------------------------------------------------

// Mean and one standard deviation to either side; the bars are one data set with gaps.
function curve_with_bars(label, points, x_of, y_of, colour) {
  const mean = points.map((p) => ({ x: x_of(p), y: y_of(p).mean }));
  const bars = points.flatMap((p) => {
    const { mean: centre, deviation } = y_of(p);
    const x = x_of(p);
    return [{ x, y: centre - deviation }, { x, y: centre + deviation }, { x, y: NaN }];
  });
  return [
    { label, data: mean, borderColor: colour, backgroundColor: colour, pointRadius: 3, borderWidth: 1.5 },
    { label: `${label} +- one standard deviation`, data: bars, borderColor: colour, borderWidth: 2, pointStyle: "line",
      pointRadius: 3, spanGaps: false },
  ];
}

// Accuracy against the gap of the decisions: up and to the left is better.
function show_gap_curve(where) {
  const of_gap = (p) => (figures.setting.test ? p.test_gap.mean : p.gap.mean);
  const part = (f) => f.metrics.test ?? f.metrics.train;
  draw("curve-accuracy", {
    type: "scatter",
    data: { datasets: [
      { label: `accuracy (${where})`, data: figures.curve.map((p) => ({ x: of_gap(p), y: p.accuracy.mean })),
        borderColor: blue, backgroundColor: blue, pointRadius: 4, showLine: true, borderWidth: 1.5 },
      { label: "without bounds", data: figures.without_bounds.map((f) => ({ x: gap_of(part(f)), y: part(f).accuracy })),
        borderColor: orange, backgroundColor: orange, pointRadius: 5 }] },
    options: { scales: { x: axis(`gap of the decisions (${where})`, { min: 0 }), y: axis("accuracy") } },
  });
  draw("curve-objective", {
    type: "scatter",
    data: { datasets: [{ label: `gap on ${where} against the gap asked for`,
      data: figures.curve.map((p) => ({ x: p.bound, y: of_gap(p) })), borderColor: blue, backgroundColor: blue, pointRadius: 4 },
      { label: "equal", data: [{ x: 0, y: 0 }, { x: figures.curve.at(-1).bound, y: figures.curve.at(-1).bound }], showLine: true,
        pointRadius: 0, borderColor: grey, backgroundColor: grey, borderDash: [6, 4] }] },
    options: { scales: { x: axis("gap asked for", { min: 0 }), y: axis("gap", { min: 0 }) } },
  });
  fill_table("curve-table", ["gap asked for", "gap, train", "gap, test", "accuracy", "+-", "AUC", "+-"],
    figures.curve.map((p) => [short(p.bound), digits(p.gap.mean), digits(p.test_gap.mean), digits(p.accuracy.mean),
      digits(p.accuracy.deviation), digits(p.auc.mean), digits(p.auc.deviation)]));
}

function show_covariance_curve(where) {
  const unit = figures.curve[0].relative ? " (fraction of the covariance without bounds)" : "";
  const x = axis(`bound on the covariance${unit}`, { type: "logarithmic" });
  draw("curve-accuracy", {
    type: "line",
    data: { datasets: [...curve_with_bars(`accuracy (${where})`, figures.curve, (p) => p.bound, (p) => p.accuracy, blue),
                       ...curve_with_bars(`AUC (${where})`, figures.curve, (p) => p.bound, (p) => p.auc, orange)] },
    options: { scales: { x, y: axis("") }, plugins: { legend: { labels: { filter: (l) => !l.text.includes("+-") } } } },
  });
  draw("curve-objective", {
    type: "line",
    data: { datasets: curve_with_bars("objective (training data)", figures.curve, (p) => p.bound, (p) => p.objective, blue) },
    options: { scales: { x, y: axis("") }, plugins: { legend: { labels: { filter: (l) => !l.text.includes("+-") } } } },
  });
  fill_table("curve-table", ["bound", "covariance", "objective", "+-", "accuracy", "+-", "AUC", "+-"],
    figures.curve.map((p) => [bound_text(p.bound, p.relative), short(p.covariance.mean), digits(p.objective.mean, 6),
      digits(p.objective.deviation, 6), digits(p.accuracy.mean), digits(p.accuracy.deviation), digits(p.auc.mean),
      digits(p.auc.deviation)]));
}

function show_curve() {
  document.getElementById("curve-section").hidden = false;
  document.getElementById("choice-line").hidden = false;
  const where = figures.setting.test ? "test data" : "training data";
  document.getElementById("curve-text").textContent =
    `${figures.curve.length} bounds, ${figures.curve[0].seeds} seeds each, solved in ${digits(figures.seconds, 1)} s ` +
    `on ${figures.threads} threads. Means over the seeds.`;
  if (figures.curve[0].gap) show_gap_curve(where);
  else show_covariance_curve(where);
  const choice = document.getElementById("choice");
  figures.runs.forEach((run, k) => {
    if (run.history) choice.add(new Option(`${bound_text(run.bound, run.relative)} (seed ${run.seed})`, k));
  });
  choice.addEventListener("change", () => show_model(figures.runs[choice.value], free_model(figures.runs[choice.value])));
}

const free_model = (run) =>
  sweep ? figures.without_bounds.find((f) => f.seed === run.seed) : figures.without_bounds;

// ---- one model -----------------------------------------------------------------------------------------------------

const rate_names = { selection_rate: "selection rate", true_positive_rate: "true positive rate", false_positive_rate: "false positive rate" };
const rates_of_measure = { "demographic-parity": ["selection_rate"], "equal-opportunity": ["true_positive_rate"],
  "predictive-equality": ["false_positive_rate"], "equalised-odds": ["true_positive_rate", "false_positive_rate"] };
const measured_rates = (model) => rates_of_measure[model.rates ? model.rates.measure : "demographic-parity"];
const people_behind = (g, rate) => g.samples * (rate === "selection_rate" ? 1 : rate === "true_positive_rate" ? g.base_rate : 1 - g.base_rate);
const error_of = (g, rate) => Math.sqrt((g[rate] * (1 - g[rate])) / Math.max(1, people_behind(g, rate)));
const percent = (v) => (v === null || v === undefined ? "-" : `${(100 * v).toFixed(1)}%`);

// The largest difference of two groups of a sensitive column, over the rates named.
function gap_of(metrics, rates = ["selection_rate"]) {
  let gap = 0;
  for (const attribute of metrics.attributes)
    for (const rate of rates) {
      const values = attribute.groups.map((g) => g[rate]).filter((v) => v !== null);
      if (values.length > 1) gap = Math.max(gap, Math.max(...values) - Math.min(...values));
    }
  return gap;
}

// Whiskers of one standard error, which Chart.js itself does not draw.
const whiskers = {
  id: "whiskers",
  afterDatasetsDraw(chart) {
    const context = chart.ctx;
    context.save();
    context.strokeStyle = "#1d2733";
    context.lineWidth = 1.5;
    chart.data.datasets.forEach((set, k) => {
      chart.getDatasetMeta(k).data.forEach((bar, i) => {
        const error = set.errors[i];
        if (!(error > 0)) return;
        const top = chart.scales.y.getPixelForValue(set.data[i] + error);
        const bottom = chart.scales.y.getPixelForValue(set.data[i] - error);
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
    a.groups.filter((g) => g[rate] !== null).map((g) => ({ label: `${a.attribute} = ${g.group}`, rate, value: g[rate], error: error_of(g, rate) }))));
  const before = entries(free.metrics[part]), after = entries(model.metrics[part]);
  const several = measured_rates(model).length > 1;
  const bars = (label, list, colour) => ({ label, data: list.map((e) => e.value), errors: list.map((e) => e.error),
    backgroundColor: colour });
  draw("rates", {
    type: "bar",
    data: { labels: after.map((e) => (several ? [e.label, rate_names[e.rate]] : e.label)),
      datasets: [bars("without bounds", before, "#b9c4cd"), bars("with the bound", after, blue)] },
    options: { scales: { y: axis(several ? "rate" : rate_names[measured_rates(model)[0]], { min: 0 }) } },
    plugins: [whiskers],
  });
  document.getElementById("rates-text").textContent =
    `${part === "test" ? "Test data" : "Training data"}. Whiskers: one standard error. ` +
    `Positive decisions: score above 0, ${figures.setting.target} = ${figures.setting.positive}.` +
    (figures.setting.model === "network" ? ` The score is that of a network with ${figures.setting.hidden.join(" and ")} tanh units, ${figures.setting.weights} weights.` : "");
}

function show_answer(model, free) {
  const lines = [], part = model.metrics.test ? "test" : "train", where = part === "test" ? "test data" : "training data";
  const rates = measured_rates(model), before = gap_of(free.metrics[part], rates), after = gap_of(model.metrics[part], rates);
  if (model.rates) {
    lines.push(`Asked: ${model.rates.request}.`);
    lines.push(model.rates.reached
      ? `Reached: counted over the training data, the largest gap is ${digits(model.rates.train.gap)}.`
      : `NOT reached: over the training data a gap of ${digits(model.rates.train.gap)} is left.`);
    if (model.rates.test)
      lines.push(`On the test data the gap is ${digits(model.rates.test.gap)}, give or take ${digits(model.rates.test.standard_error)}; ` +
        `without bounds it was ${digits(before)}.`);
  } else {
    lines.push(`Asked: covariance of the score with each group at most ${model.rows.map((r) => short(r.bound)).join(", ")}; ` +
      `the largest is ${short(Math.max(...model.rows.map((r) => Math.abs(r.train))))} on the training data.`);
    lines.push(`That is a bound on scores, not on decisions: selection rates on the ${where} still differ by ${digits(after)} ` +
      `(${digits(before)} without the bound). To bound decisions, ask for a gap: --gap 0.02.`);
  }
  lines.push(`Accuracy on the ${where}: ${percent(model.metrics[part].accuracy)}, against ${percent(free.metrics[part].accuracy)} without bounds.`);
  fill_list("answer", lines);
  const warnings = document.getElementById("warnings");
  warnings.hidden = model.warnings.length === 0;
  warnings.replaceChildren(...model.warnings.map((text) => {
    const line = document.createElement("div");
    line.textContent = `Do not use this classifier: ${text}.`;
    return line;
  }));
}

function fill_list(id, lines) {
  document.getElementById(id).replaceChildren(...lines.map((text) => {
    const item = document.createElement("li");
    item.textContent = text;
    return item;
  }));
}

function show_sure(model) {
  const text = document.getElementById("sure-text"), table = document.getElementById("cells");
  table.replaceChildren();
  if (!model.rates) {
    text.textContent = "Rates of a group of n people have a standard error of sqrt(rate (1 - rate) / n): the whiskers above.";
    return;
  }
  const r = model.rates;
  text.textContent = r.confidence
    ? `The bound was tightened to ${digits(r.tightest)} so that it holds on fresh data with probability ${r.confidence}.`
    : "The bound is on the training data. On fresh data the gap differs by chance; the standard errors say by how much. " +
      "To have it hold on fresh data with a given probability, ask for --confidence 0.95.";
  const label = (c) => `${c.attribute} = ${c.group}` + (c.label === "all" ? "" : `, ${c.label} label`);
  const figures_of = (c) => [`${c.selected} of ${c.people}`, `${digits(c.rate)} +- ${digits(c.standard_error)}`];
  fill_table("cells", ["selected", "train", "rate", "test", "rate"],
    r.train.cells.map((c, k) => [label(c), ...figures_of(c), ...(r.test ? figures_of(r.test.cells[k]) : ["-", "-"])]));
}

function show_certificate(model) {
  const power = (v) => (v === null || v === undefined ? "-" : v.toExponential(2));
  const lines = [];
  if (model.rates) {
    const r = model.rates;
    lines.push(`Decisions, counted in people of the training data: ${r.reached ? "within the bound" : "beyond the bound"}.`);
    lines.push(`Weights, judged on the smoothed problem: ${model.status === "stationary" ? "stationary" : "not certified"}, error ${power(model.error)} at these weights.`);
    if (r.walk.directions > 0)
      lines.push(`Before the closing walk over decisions the error was ${power(r.smoothed_problem.error)} and the gap ${digits(r.before_walk.gap)}; the walk left that point by ${short(r.walk.distance)}.`);
    else
      lines.push(`No walk over decisions was needed: bounds were drawn in by some people ${r.drawn_in} times until the counts held at a stationary point.`);
    lines.push(`Chosen from ${r.tried.length} models by accuracy on the training data: width ${r.smoothing_width}.`);
  } else {
    lines.push(`Status "${model.status}", error ${power(model.error)} of the certificate for these weights.`);
  }
  fill_list("certificate", lines);
}

function show_rows(model, free) {
  fill_table("rows", ["covariance of the score with", "requested", "achieved, train", "achieved, test", "without bounds, train"],
    model.rows.map((r, k) => [row_label(r), short(r.bound), short(r.train), short(r.test), short(free.rows[k].train)]));
  model.rows.forEach((r, k) => {
    if (r.bound !== null && Math.abs(r.train) > r.bound + 1e-6) document.getElementById("rows").rows[k + 1].cells[2].className = "broken";
  });
  fill_list("prices", model.rates
    ? [`Loosening the gap by 0.01 would lower the loss by about ${(0.01 * model.rates.price).toPrecision(2)}.`]
    : model.rows.map((r) => (r.price > 0
      ? `Loosening ${row_label(r)} by 0.001 would lower the loss by about ${(0.001 * r.price).toPrecision(2)}.`
      : `${row_label(r)} costs nothing: its bound is not reached.`)));
}

function show_metrics(model, free) {
  const columns = [model.metrics.train, model.metrics.test, free.metrics.train, free.metrics.test];
  const line = (name, of) => [name, ...columns.map((m) => (m ? digits(of(m)) : "-"))];
  const lines = [line("loss", (m) => m.loss), line("accuracy", (m) => m.accuracy),
    line("balanced accuracy", (m) => m.balanced_accuracy), line("AUC", (m) => m.auc),
    line("selection rate", (m) => m.selection_rate)];
  model.metrics.train.attributes.forEach((a, k) => {
    lines.push(line(`${a.attribute}: selection ratio (p% rule)`, (m) => m.attributes[k].selection_ratio),
      line(`${a.attribute}: demographic parity difference`, (m) => m.attributes[k].demographic_parity_difference),
      line(`${a.attribute}: equal opportunity difference`, (m) => m.attributes[k].equal_opportunity_difference),
      line(`${a.attribute}: equalised odds difference`, (m) => m.attributes[k].equalised_odds_difference));
  });
  fill_table("metrics", ["", "train", "test", "without bounds, train", "without bounds, test"], lines);
}

function show_groups(model) {
  const lines = [];
  for (const part of ["train", "test"])
    for (const attribute of model.metrics[part] ? model.metrics[part].attributes : [])
      for (const g of attribute.groups)
        lines.push([`${attribute.attribute} = ${g.group}`, part, g.samples, digits(g.base_rate), digits(g.selection_rate),
          digits(g.true_positive_rate), digits(g.false_positive_rate), digits(g.accuracy), digits(g.mean_score)]);
  fill_table("groups", ["group", "data", "samples", "positive", "selected", "true positive rate", "false positive rate",
    "accuracy", "mean score"], lines);
}

function show_convergence(model) {
  if (model.history.length === 0) return;
  const epochs = (p) => p.samples / figures.setting.train.samples;
  const violations = model.history.filter((p) => p.feasibility > 0);
  draw("convergence", {
    type: "line",
    data: { datasets: [
      { label: "objective, estimated from a few samples", data: model.history.map((p) => ({ x: epochs(p), y: p.objective })),
        borderColor: blue, backgroundColor: blue, pointRadius: 0, borderWidth: 1.5, yAxisID: "y" },
      { label: "violation of the bounds", data: violations.map((p) => ({ x: epochs(p), y: p.feasibility })),
        borderColor: orange, backgroundColor: orange, pointRadius: 0, borderWidth: 1.5, yAxisID: "violation" },
      { label: "certified objective", data: [{ x: epochs(model.history[0]), y: model.objective },
        { x: epochs(model.history[model.history.length - 1]), y: model.objective }],
        borderColor: grey, backgroundColor: grey, borderDash: [6, 4], pointRadius: 0, borderWidth: 1.5, yAxisID: "y" }] },
    options: { scales: { x: axis("epochs", { type: "linear" }), y: axis("objective"),
      violation: axis("violation", { type: "logarithmic", position: "right", grid: { drawOnChartArea: false } }) } },
  });
}

function show_weights(model) {
  const weights = Object.entries(model.x).sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
  const top = weights.slice(0, 25);
  draw("weights", {
    type: "bar",
    data: { labels: top.map((w) => w[0]), datasets: [{ label: "weight", data: top.map((w) => w[1]),
      backgroundColor: top.map((w) => (w[1] > 0 ? blue : orange)) }] },
    options: { indexAxis: "y", plugins: { legend: { display: false } }, scales: { y: { ticks: { autoSkip: false } } } },
  });
  fill_table("weight-table", ["name", "weight"], weights.map(([name, w]) => [name, short(w)]));
}

function show_model(model, free) {
  show_answer(model, free);
  show_rates(model, free);
  show_sure(model);
  show_certificate(model);
  show_rows(model, free);
  show_metrics(model, free);
  show_groups(model);
  show_convergence(model);
  show_weights(model);
}

const s = figures.setting;
const first = sweep ? figures.runs[0] : figures;
document.getElementById("summary").textContent =
  `${s.train.file}: ${s.train.samples} samples, ${s.columns} columns, target ${s.target} = ${s.positive}, sensitive ` +
  `${s.sensitive.join(", ")}; ${s.loss} loss, ridge ${s.ridge}.`;
if (sweep) show_curve();
show_model(first, free_model(first));

// For tests: the fraction of each plot that is drawn on.
function inked(canvas) {
  const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  let count = 0;
  for (let k = 3; k < pixels.length; k += 4) count += pixels[k] > 0;
  return (4 * count) / pixels.length;
}
document.body.dataset.inked = JSON.stringify(Object.fromEntries(Object.entries(charts).map(([id, c]) => [id, inked(c.canvas)])));
