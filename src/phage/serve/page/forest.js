// The claim graph drawn: one row per claim, citations as branches left, implicit edges as arcs right.
import { draw, el, tip } from "./dom.js";

export const RELATIONS = ["cite", "term", "func", "both"];
export const LAYERS = [...RELATIONS, "antecedent"];
// what a person calls them
export const PLAIN = { cite: "claim reference", term: "shared term", func: "functional link" };
const VERBS = {
  cite: "refers to", term: "shares a term with", func: "couples to a component of", both: "shares a term with and couples to",
  antecedent: "refers to a thing introduced in",
};
export const sentence = (edge) => `claim ${edge.target} ${VERBS[edge.relation]} claim ${edge.source}${edge.kind && edge.kind !== "dependent" ? ` (${edge.kind})` : ""}`;

// The legal antecedents as edges of a second layer, with evidence like the others.
export const legalEdges = (answer) => answer.legal.edges.map(({ source, target, terms }) => ({
  source, target, relation: "antecedent", kind: null,
  evidence: terms.map((one) => ({ claim: target, start: one.start, end: one.end, term: one.term, signal: "antecedent" })),
}));

export function says(edge) {
  const words = [...new Set(edge.evidence.map((item) => item.term || item.phrase))];
  return edge.relation === "cite" ? edge.evidence.map((item) => item.phrase)[0] || "" : words.join(", ");
}

// Further parents get lanes left of the tree; lanes that do not meet share one.
function lanes(edges, index) {
  const spans = new Map();
  for (const edge of edges) {
    const [low, high] = spans.get(edge.target) || [index.get(edge.target), index.get(edge.target)];
    spans.set(edge.target, [Math.min(low, index.get(edge.source)), Math.max(high, index.get(edge.source))]);
  }
  const busy = [];
  const lane = new Map();
  for (const [target, [low, high]] of [...spans].sort((a, b) => a[1][1] - a[1][0] - (b[1][1] - b[1][0]))) {
    let place = busy.findIndex((taken) => taken.every(([a, b]) => high < a || b < low));
    if (place < 0) place = busy.push([]) - 1;
    busy[place].push([low, high]);
    lane.set(target, place);
  }
  return [lane, busy.length];
}

const heads = () => draw("defs", {}, LAYERS.map((name) => draw("marker", {
  id: `head-${name}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7.5, markerHeight: 7.5, markerUnits: "userSpaceOnUse", orient: "auto",
}, draw("path", { d: "M0 .6 L8 4 L0 7.4 z" }))));

function edgeGroup(edge, path, kind, view) {
  const arrow = kind === "branch" ? {} : { "marker-end": `url(#head-${edge.relation})` };
  const title = sentence(edge);
  return draw("g", {
    class: `edge ${edge.relation}${kind === "aside" ? " aside" : ""}`, "data-source": edge.source, "data-target": edge.target,
    "data-relation": edge.relation,
    onpointerenter: (event) => { view.peek({ edge }); tip(event, title, says(edge)); },
    onpointermove: (event) => tip(event, title, says(edge)),
    onpointerleave: () => { view.peek(null); tip(null); },
    onclick: () => view.choose({ edge }),
  }, draw("path", { class: "line", d: path, ...arrow }), draw("path", { class: "hit", d: path }));
}

export function forest(answer, view) {
  const rows = answer.rows;
  const edges = answer.graph.edges;
  const tight = innerWidth < 760;
  const tall = rows.length > 40 ? 25 : 31;
  const index = new Map(rows.map((row, place) => [row.number, place]));
  const parent = new Map(rows.map((row) => [row.number, row.parent]));
  const cites = edges.filter((edge) => edge.relation === "cite");
  const isBranch = (edge) => parent.get(edge.target) === edge.source && edge.kind !== "cross-category";
  const asides = cites.filter((edge) => !isBranch(edge));
  const [lane, count] = lanes(asides, index);
  const left = 8 + 7 * count + (rows.some((row) => row.broken) ? 10 : 0);
  const depth = Math.max(0, ...rows.map((row) => row.depth));
  const indent = tight ? Math.min(14, 56 / Math.max(depth, 1)) : Math.min(24, 240 / Math.max(depth, 1));
  const x = (row) => left + 14 + indent * row.depth;
  const y = (number) => tall * (index.get(number) + 0.5);
  const at = (number) => [x(rows[index.get(number)]), y(number)];
  const height = tall * rows.length;

  const tree = draw("svg", { width: left + indent * depth + 30, height, role: "presentation" });
  for (const edge of cites) {
    const [[a, b], [c, d]] = [at(edge.source), at(edge.target)];
    const out = left - 7 * (1 + (lane.get(edge.target) || 0)) + 4;
    const r = Math.min(7, c - 10 - a, Math.abs(d - b) / 2);
    const path = isBranch(edge)
      ? `M${a} ${b + 9} V${d - r} Q${a} ${d} ${a + r} ${d} H${c - 9}`
      : `M${a - 10} ${b} H${out} V${d} H${c - 11}`;
    tree.append(edgeGroup(edge, path, isBranch(edge) ? "branch" : "aside", view));
  }
  for (const row of rows) {
    const [cx, cy] = at(row.number);
    const cross = row.parent === null && !row.independent;
    tree.append(draw("g", {
      class: `disc${row.independent ? " independent" : ""}${row.broken ? " broken" : ""}`, "data-disc": row.number,
      onclick: () => view.choose({ claim: row.number }), onpointerenter: () => view.peek({ claim: row.number }), onpointerleave: () => view.peek(null),
    }, row.broken ? draw("path", { class: "snapped", d: `M${cx - 9} ${cy} h-4 m-2 -3 l-5 6 m0 -6 l5 6` }) : cross ? draw("circle", { class: "halo", cx, cy, r: 11.5 }) : null, draw("circle", { cx, cy, r: 9 }), draw("text", { x: cx, y: cy + 3.7 }, String(row.number))));
  }

  const implicit = [...edges.filter((edge) => edge.relation !== "cite"), ...legalEdges(answer)];
  const order = { antecedent: 0, func: 1, term: 2, both: 3 };
  implicit.sort((a, b) => order[a.relation] - order[b.relation]);
  const reach = (edge) => Math.min(tight ? 76 : 250, 22 + (tight ? 8 : 20) * (Math.abs(index.get(edge.target) - index.get(edge.source)) ** 0.62));
  const width = 8 + 0.76 * Math.max(0, ...implicit.map(reach));
  const arcs = draw("svg", { width, height, role: "presentation" }, heads());
  for (const edge of implicit) {
    const out = reach(edge);
    const [a, b] = [y(edge.source) + 3, y(edge.target) - 3];
    arcs.append(edgeGroup(edge, `M0 ${a} C${out} ${a} ${out} ${b} 2 ${b}`, "arc", view));
  }

  const list = el("div", { class: "rows", role: "listbox", "aria-label": "Claims" }, rows.map((row, place) => {
    const button = el("button", {
      type: "button", class: `row${row.parent === null ? " root" : ""}${row.broken ? " broken" : ""}`, role: "option", "data-claim": row.number, tabindex: place ? -1 : 0,
      "aria-label": `Claim ${row.number}${row.independent ? ", independent" : ""}${row.broken ? `, broken: ${row.broken}` : ""}: ${row.opening}${row.words}`,
      onclick: () => view.choose({ claim: row.number }), onpointerenter: () => view.peek({ claim: row.number }), onpointerleave: () => view.peek(null),
    }, row.broken ? el("span", { class: "badge" }, row.broken) : null, el("span", {}, row.opening ? el("span", { class: "opening" }, row.opening) : null, row.words));
    button.style.height = `${tall}px`;
    return button;
  }));
  // heads are referenced by both drawings, which share the page's ids
  const drawn = el("div", { class: `forest${edges.length > 90 ? " crowded" : ""}` }, tree, list, arcs);
  drawn.style.setProperty("--rows", rows.length); // for paper
  return drawn;
}
