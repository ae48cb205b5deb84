const svg = document.getElementById("network");
const width = 1040, height = 640, edge = 60;

const short = (v) => (v === null || v === undefined ? "-" : Number(v.toPrecision(5)).toString());
const percent = (v, digits = 1) => (v === null || v === undefined ? "-" : `${(100 * v).toFixed(digits)}%`);
const used = (one) => (one.capacity > 0 ? (one.load ?? 0) / one.capacity : 0);
const uncertain = figures.uncertain !== undefined;

function draw(tag, attributes, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  svg.append(element);
  return element;
}

// Where the nodes are: the file's coordinates stretched to the frame, or a circle where there are none.
function places() {
  const xs = figures.nodes.map((n) => n.x), ys = figures.nodes.map((n) => n.y);
  const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const flat = right - left < 1e-9 || high - low < 1e-9;
  return new Map(figures.nodes.map((node, i) => {
    const angle = (2 * Math.PI * i) / figures.nodes.length;
    const across = flat ? 0.5 + 0.5 * Math.cos(angle) : (node.x - left) / (right - left);
    const up = flat ? 0.5 + 0.5 * Math.sin(angle) : (node.y - low) / (high - low);
    return [node.name, { x: edge + across * (width - 2 * edge), y: height - edge - up * (height - 2 * edge) }];
  }));
}

// From grey when idle to red when full.
function colour(part) {
  const p = Math.min(1, Math.max(0, part));
  return `rgb(${Math.round(190 + 10 * p)}, ${Math.round(198 - 158 * p)}, ${Math.round(206 - 166 * p)})`;
}

// A line from a to b, moved to its right so that the two directions lie side by side.
function beside(a, b, distance) {
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  const dx = (-(b.y - a.y) / length) * distance, dy = ((b.x - a.x) / length) * distance;
  return { x1: a.x + dx, y1: a.y + dy, x2: b.x + dx, y2: b.y + dy };
}

// Labels lie where they cover nothing that is there already: beside their node, or further off with a line to it.
function label_places(x, y, wide, high) {
  const out = [];
  for (const away of [22, 34, 50, 70, 95]) {
    out.push([x, y + away], [x, y - away + 6], [x + away + wide / 2 - 5, y], [x - away - wide / 2 + 5, y]);
    for (const [right, down] of [[1, 1], [-1, 1], [1, -1], [-1, -1]])
      out.push([x + right * (wide / 2 + 0.5 * away), y + down * 0.8 * away]);
  }
  return out.map(([cx, cy]) => ({ left: cx - wide / 2, right: cx + wide / 2, top: cy - high / 2, bottom: cy + high / 2 }))
    .filter((box) => box.left >= 0 && box.right <= width && box.top >= 0 && box.bottom <= height);
}

const shared_area = (a, b) => Math.max(0, Math.min(a.right, b.right) - Math.max(a.left, b.left)) *
  Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));

function label(taken, { x, y }, text, kind) {
  const element = draw("text", { class: kind }, text);
  const high = 17, wide = element.getComputedTextLength() + 6;
  let best, least = Infinity;
  for (const box of label_places(x, y, wide, high)) {
    const covered = taken.reduce((sum, other) => sum + shared_area(box, other), 0);
    if (covered < least) [best, least] = [box, covered];
    if (least === 0) break;
  }
  best ??= { left: x - wide / 2, right: x + wide / 2, top: y + 12, bottom: y + 29 };
  taken.push(best);
  const [cx, cy] = [(best.left + best.right) / 2, (best.top + best.bottom) / 2];
  element.setAttribute("x", cx);
  element.setAttribute("y", cy + 4);
  const near = { x: Math.min(best.right, Math.max(best.left, x)), y: Math.min(best.bottom, Math.max(best.top, y)) };
  if (Math.hypot(near.x - x, near.y - y) > 26)
    svg.insertBefore(draw("line", { x1: x, y1: y, x2: near.x, y2: near.y, class: "leader" }), svg.querySelector(".frame"));
}

function draw_network(flow) {
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const at = places();
  for (const link of figures.links) {
    const line = draw("line", { ...beside(at.get(link.from), at.get(link.to), 4), class: "link", stroke: colour(used(link)),
      "stroke-width": 1.5 + 5 * Math.min(1, used(link)) });
    const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
    title.textContent = `${link.from} -> ${link.to}: ${short(link.load)} of ${short(link.capacity)} (${percent(used(link))})`;
    line.append(title);
  }
  for (const leg of flow?.legs ?? [])
    for (const route of leg.routes)
      for (let i = 0; i + 1 < route.nodes.length; ++i)
        draw("line", { ...beside(at.get(route.nodes[i]), at.get(route.nodes[i + 1]), 4), class: "way",
          "stroke-width": 2 + 4 * (route.rate / flow.rate) });
  for (const node of figures.nodes) {
    const { x, y } = at.get(node.name);
    if (node.functions.length > 0) {
      draw("rect", { x: x - 11, y: y - 11, width: 22, height: 22, class: "frame host" });
      const full = 20 * Math.min(1, used(node));
      draw("rect", { x: x - 10, y: y + 10 - full, width: 20, height: full, class: "fill" });
    } else {
      draw("circle", { cx: x, cy: y, r: 7, class: "frame" });
    }
  }
  const taken = figures.nodes.map((node) => {
    const { x, y } = at.get(node.name);
    return { left: x - 12, right: x + 12, top: y - 12, bottom: y + 12 };
  });
  for (const node of figures.nodes) label(taken, at.get(node.name), node.name, "name");
  (flow?.hosts ?? []).forEach((host, s) => label(taken, at.get(host), `${s + 1}: ${flow.chain[s]}`, "function"));
}

const way_text = (leg, rate) => leg.routes.length === 0 ? "(same node)" : leg.routes.map((r) =>
  r.nodes.join(" ") + (leg.routes.length > 1 ? ` (${percent(r.rate / rate)})` : "")).join(" | ");

// Of a long table the first lines are shown, and a button for the rest.
const lines_shown = 12;
function fold(id) {
  const table = document.getElementById(id), rest = [...table.rows].slice(1 + lines_shown);
  if (rest.length < 4) return;
  const button = document.createElement("button");
  const set = (folded) => {
    for (const row of rest) row.classList.toggle("folded", folded);
    button.textContent = folded ? `Show all ${lines_shown + rest.length}` : `Show the first ${lines_shown}`;
  };
  button.type = "button";
  button.addEventListener("click", () => set(!rest[0].classList.contains("folded")));
  table.after(button);
  set(true);
}

function show_flow(index) {
  const flow = figures.flows[index];
  draw_network(flow);
  fill_table("flow", ["leg", "from", "to", "way"], (flow?.legs ?? []).map((leg, s) => [
    s < flow.chain.length ? `to ${flow.chain[s]}` : "to the target", leg.from, leg.to, way_text(leg, flow.rate)]));
}

// What holds, in a few words: the title.
function verdict() {
  if (figures.status === "infeasible") return "no placement keeps the capacities";
  if (figures.status !== "feasible") return "no feasible placement was found";
  return uncertain ? `feasible in expectation, a capacity exceeded in ${percent(figures.uncertain.overload_probability, 2)} of samples`
    : "feasible placement";
}

const value_text = () => figures.objective === "balance"
  ? `Largest use of a capacity ${percent(figures.largest_use, 2)}, cost ${short(figures.cost)} (rate times links).`
  : `Cost ${short(figures.cost)} (rate times ${figures.objective === "delay" ? "delay" : "links"}).`;

function show_all() {
  document.title = `Bridle: ${verdict()}`;
  document.getElementById("title").textContent = `Network slicing: ${verdict()}`;
  const gap = figures.lower_bound === undefined ? "" :
    ` Lower bound ${short(figures.lower_bound)}: proven gap ${percent(Math.max(0, figures.gap), 2)}.`;
  document.getElementById("summary").textContent =
    `${figures.instance}: ${figures.nodes.length} nodes, ${figures.links.length} links, ${figures.flows.length} flows. ` +
    (figures.status === "infeasible" ? `No placement keeps the capacities: ${figures.conflict.join("; ")}.`
      : `${value_text()}${gap} Largest violation ` +
        `${figures.violation === null ? "-" : Math.max(0, figures.violation).toExponential(1)}. ${figures.seconds.toFixed(2)} s.`);
  if (uncertain) {
    const u = figures.uncertain, text = document.getElementById("overload");
    text.hidden = false;
    text.textContent = `Uncertain: ${u.demand}; margin ${percent(u.margin)}. Some capacity is exceeded in ` +
      `${percent(u.overload_probability, 2)} (+- ${(100 * u.standard_error).toFixed(2)}) of ${u.samples} fresh samples.` +
      (u.kept === undefined ? "" : u.kept ? " The margin is the smallest, of those tried, with so little overload."
        : " No margin that was tried has so little overload as was asked; this plan is overloaded least.") +
      (u.broken_off ? " The search was broken off." : "");
  }
  const more = (one) => (uncertain ? [percent(one.overload_probability, 2)] : []);
  const header = uncertain ? ["overloaded"] : [];
  fill_table("nodes", ["node", "load", "capacity", "used", ...header, "functions"],
    figures.nodes.filter((n) => n.functions.length > 0).map((n) =>
      [n.name, short(n.load), short(n.capacity), percent(used(n)), ...more(n), n.functions.join(" ")]));
  fill_table("links", ["link", "load", "capacity", "used", ...header],
    [...figures.links].sort((a, b) => used(b) - used(a)).map((l) =>
      [`${l.from} -> ${l.to}`, short(l.load), short(l.capacity), percent(used(l)), ...more(l)]));
  fill_table("flows", ["flow", "rate", "links", "delay", "at most", "from", "to", "functions at nodes"], figures.flows.map((f) => [
    f.name, short(f.rate),
    short((f.legs ?? []).flatMap((leg) => leg.routes).reduce((sum, r) => sum + r.links.length * (r.rate / f.rate), 0)),
    short(f.delay), short(f.max_delay), f.from, f.to, (f.hosts ?? []).map((host, s) => `${f.chain[s]} at ${host}`).join(", ")]));
  fill_table("runs", ["seed", "rounded", "cost", "relaxation, s", "rounding, s", "search, s"], figures.runs.map((r) =>
    [r.seed, short(r.rounded), short(r.cost), ...[r.relaxation_seconds, r.rounding_seconds, r.search_seconds].map((t) =>
      t.toFixed(2))]));
  for (const id of ["nodes", "links", "flows", "runs"]) fold(id);
  const choice = document.getElementById("choice");
  figures.flows.forEach((f, i) => choice.add(new Option(`${f.name}: ${f.from} -> ${f.to}, rate ${short(f.rate)}`, i)));
  choice.addEventListener("change", () => show_flow(Number(choice.value)));
}

show_all();
show_flow(0);
