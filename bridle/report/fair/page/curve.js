// The trade-off curve. Names are shared with script.js, which comes first.

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
      { label: "without bounds", data: figures.without_bounds.map((f) => ({ x: spread_of(part(f), measured_rates(figures.runs[0]), figures.runs[0]).gap, y: part(f).accuracy })),
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
    `${figures.curve.length} bounds, ${figures.curve[0].seeds === 1 ? "one seed" : `${figures.curve[0].seeds} seeds`} each, solved in ${digits(figures.seconds, 1)} s ` +
    `on ${figures.threads} threads. Means over the seeds.`;
  if (figures.curve[0].gap) show_gap_curve(where);
  else show_covariance_curve(where);
  const choice = document.getElementById("choice");
  figures.runs.forEach((run, k) => {
    if (run.history) choice.add(new Option(`${bound_text(run.bound, run.relative)} (seed ${run.seed})`, k));
  });
  choice.addEventListener("change", () => show_model(figures.runs[choice.value], free_model(figures.runs[choice.value])));
}

if (sweep) show_curve();

// For tests: the fraction of each plot that is drawn on.
function inked(canvas) {
  const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  let count = 0;
  for (let k = 3; k < pixels.length; k += 4) count += pixels[k] > 0;
  return (4 * count) / pixels.length;
}
document.body.dataset.inked = JSON.stringify(Object.fromEntries(Object.entries(charts).map(([id, c]) => [id, inked(c.canvas)])));
