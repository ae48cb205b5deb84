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

// ---- one model -----------------------------------------------------------------------------------------------------

const too_few = (r) => `There are too few people to promise this with probability ${r.confidence}: chance and what models learn by heart take more off ` +
  `the bound than it has, for ${r.too_few_people} of ${r.bounds} pairs of groups. Ask for a wider gap or a lower probability.`;

function show_answer(model, free) {
  const lines = [], part = model.metrics.test ? "test" : "train", where = part === "test" ? "test data" : "training data";
  const rates = measured_rates(model);
  const before = spread_of(free.metrics[part], rates, model), after = spread_of(model.metrics[part], rates, model);
  if (model.rates) {
    const r = model.rates;
    lines.push(`Asked: ${r.request}.`);
    lines.push(train_line(r));
    if (r.empty.length > 0) lines.push(`Nobody in the training data is in ${r.empty.join("; ")}: in no comparison.`);
    if (r.too_few_people) lines.push(too_few(r));
    lines.push(r.test ? test_line(r, before) : "On other people: not measured, for there are no test data (--test, --validate).");
  } else {
    lines.push(`Asked: covariance of the score with each group at most ${model.rows.map((r) => short(r.bound)).join(", ")}; ` +
      `the largest is ${short(Math.max(...model.rows.map((r) => Math.abs(r.train))))} on the training data.`);
    lines.push(`That is a bound on scores, not on decisions: selection rates on the ${where} ` +
      (after.gap === null ? "are not measured" : `still differ by ${digits(after.gap)} (${measured(before.gap)} without the bound)`) + `. To bound decisions, ask for a gap: --gap 0.02.`);
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
    text.textContent = "The whiskers above are 95% intervals of each group's own rate (Wilson's).";
    return;
  }
  const r = model.rates;
  text.textContent = r.too_few_people ? too_few(r) : r.confidence
    ? `The bound was tightened to ${digits(r.tightest)} so that it holds on fresh data with probability ${r.confidence}; ` +
      `${digits(r.optimism)} of that is what models learn by heart.`
    : "The bound is on the training data, where it is counted: reached or not reached, without an interval. " +
      "To have it hold on fresh data with a given probability, ask for --confidence 0.95.";
  if (r.test)
    text.textContent += ` On the test data it is reached where the whole 95% interval of the ${r.ratio === undefined ? "largest gap" : "smallest ratio"} ` +
      "among all people is as asked, not reached where none of it is, and otherwise not decided by this sample.";
  const label = (c) => `${c.attribute} = ${c.group}` + (c.label === "all" ? "" : `, ${c.label} label`);
  const figures_of = (c) => [`${c.selected} of ${c.people}`, c.rate === null ? "not measured" : `${digits(c.rate)} +- ${digits(c.standard_error)}`];
  fill_table("cells", ["selected", "train", "rate", "test", "rate"],
    r.train.cells.map((c, k) => [label(c), ...figures_of(c), ...(r.test ? figures_of(r.test.cells[k]) : ["-", "-"])]));
}

// What was measured on people that models had not seen, how figures vary by chance, and what was chosen by that.
function show_resampling() {
  const lines = Object.entries(figures.choices ?? {}).map(([of, choice]) => `The ${of} ${short(choice.chosen)} was chosen: ${choice.rule}.`);
  const folds = figures.folds;
  if (folds)
    lines.push(`On people held out in ${folds.folds} folds: accuracy ${percent(folds.held_out.accuracy)}` +
      (folds.rates ? `, gap ${digits(folds.rates.gap)}, give or take ${digits(folds.rates.standard_error)}.` : "."));
  fill_list("resampling", lines);
  const intervals = figures.bootstrap;
  if (!intervals) return;
  document.getElementById("intervals-section").hidden = false;
  document.getElementById("intervals-title").textContent =
    `95% intervals of all figures, ${intervals.data === "test" ? "test" : "training"} data resampled ${intervals.replicates} times`;
  fill_table("intervals", ["", "figure", "from", "to"],
    Object.entries(intervals.figures).map(([name, f]) => [name, digits(f.value), digits(f.low), digits(f.high)]));
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
      lines.push("No walk over decisions was needed: " + (r.drawn_in === 0 ? "the counts held at a stationary point."
        : `bounds were drawn in by some people ${r.drawn_in === 1 ? "once" : `${r.drawn_in} times`} until the counts held at a stationary point.`));
    lines.push(`Chosen from ${r.tried.length} models by accuracy on the training data: width ${r.smoothing_width}.`);
    document.getElementById("tried-section").hidden = false;
    fill_table("tried", ["width", "seed", "reached", "accuracy", "gap", "walked", "stationary"], r.tried.map((t) => [short(t.width), t.seed,
      t.reached ? "yes" : "no", digits(t.accuracy), digits(t.gap), t.walked ? "yes" : "no", t.stationary ? "yes" : "no"]));
  } else {
    lines.push(`Status "${model.status}", error ${power(model.error)} of the certificate for these weights.`);
  }
  fill_list("certificate", lines);
  document.getElementById("phases-title").textContent = `Found by: ${model.found_by}. What each phase spent:`;
  fill_table("phases", ["phase", "sample gradients", "full gradients", "Hessians", "Hessian products", "projections", "seconds"],
    Object.entries(model.phases).map(([name, p]) => [name, short(p.sample_gradients), short(p.full_gradients), short(p.hessians),
      short(p.hessian_products), short(p.projections), digits(p.seconds)]));
}

const row_measured = (r) => (figures.setting.test && r.test === null ? "not measured" : short(r.test));

function show_rows(model, free) {
  if (!model.rates) {
    fill_table("rows", ["covariance of the score with", "requested", "achieved, train", "achieved, test", "without bounds, train"],
      model.rows.map((r, k) => [row_label(r), short(r.bound), short(r.train), row_measured(r), short(free.rows[k].train)]));
    model.rows.forEach((r, k) => {
      if (r.bound !== null && Math.abs(r.train) > r.bound + 1e-6) document.getElementById("rows").rows[k + 1].cells[2].className = "broken";
    });
  }
  fill_list("prices", model.rates
    ? [`Loosening the ${model.rates.ratio === undefined ? "gap by 0.01" : "bound by 0.01 of a rate"} would lower the loss by about ${(0.01 * model.rates.price).toPrecision(2)}.`]
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
  if (model.rates || model.history.length === 0) return;
  document.getElementById("convergence-figure").hidden = false;
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

const free_model = (run) => (sweep ? figures.without_bounds.find((f) => f.seed === run.seed) : figures.without_bounds);

function show_model(model, free) {
  show_answer(model, free);
  show_rates(model, free);
  show_sure(model);
  show_resampling();
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
show_model(first, free_model(first));
