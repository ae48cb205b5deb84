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

function show_curve() {
  document.getElementById("curve-section").hidden = false;
  const unit = figures.curve[0].relative ? " (fraction of the covariance without bounds)" : "";
  const where = figures.setting.test ? "test data" : "training data";
  document.getElementById("curve-text").textContent =
    `${figures.curve.length} bounds, ${figures.curve[0].seeds} seeds each, solved in ${digits(figures.seconds, 1)} s ` +
    `on ${figures.threads} threads. Means over the seeds; bars show one standard deviation.`;
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
  const choice = document.getElementById("choice");
  figures.runs.forEach((run, k) => {
    if (run.history) choice.add(new Option(`${bound_text(run.bound, run.relative)} (seed ${run.seed})`, k));
  });
  choice.addEventListener("change", () => show_model(figures.runs[choice.value], free_model(figures.runs[choice.value])));
}

const free_model = (run) =>
  sweep ? figures.without_bounds.find((f) => f.seed === run.seed) : figures.without_bounds;

// ---- one model -----------------------------------------------------------------------------------------------------

function show_rows(model, free) {
  fill_table("rows", ["covariance of the score with", "requested", "achieved, train", "achieved, test", "without bounds, train"],
    model.rows.map((r, k) => [row_label(r), short(r.bound), short(r.train), short(r.test), short(free.rows[k].train)]));
  model.rows.forEach((r, k) => {
    if (Math.abs(r.train) > r.bound + 1e-6) document.getElementById("rows").rows[k + 1].cells[2].className = "broken";
  });
  document.getElementById("prices").replaceChildren(...model.rows.map((r) => {
    const item = document.createElement("li");
    item.textContent = r.price > 0
      ? `Loosening ${row_label(r)} by 0.001 would lower the loss by about ${(0.001 * r.price).toPrecision(2)}.`
      : `${row_label(r)} costs nothing: its bound is not reached.`;
    return item;
  }));
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
  `${s.sensitive.join(", ")}; ${s.loss} loss, ridge ${s.ridge}. ` +
  (sweep ? "" : `Run ended "${first.status}" with error ${first.error.toExponential(2)} of the certificate.`);
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
