// The reading panel: a claim or an edge, with the words that prove it.
import { el } from "./dom.js";
import { LAYERS, says, sentence } from "./forest.js";
import { evidenceMarks, origins } from "./words.js";

const label = (relation) => el("span", { class: `rel ${relation}` }, relation);

function overview(state) {
  const { answer } = state;
  const graph = answer.graph;
  const roots = answer.rows.filter((row) => row.independent).map((row) => row.number);
  const broken = answer.rows.filter((row) => row.broken);
  const list = el("dl", {},
    el("dt", {}, "claims"), el("dd", {}, String(graph.claims.length)),
    el("dt", {}, "independent"), el("dd", {}, roots.join(", ") || "none"),
    broken.length ? [el("dt", { class: "bad" }, "broken"), el("dd", {}, broken.map((row) => row.number).join(", "))] : null,
    LAYERS.map((name) => [el("dt", {}, label(name)), el("dd", {}, String(state.all.filter((edge) => edge.relation === name).length))]));
  const meanings = el("dl", {},
    el("dt", {}, label("cite")), el("dd", {}, "refers to the claim by its number"),
    el("dt", {}, label("term")), el("dd", {}, "shares a term with it, outside its chain of references"),
    el("dt", {}, label("func")), el("dd", {}, "couples to a component named there"),
    el("dt", {}, label("both")), el("dd", {}, "shares a term and couples"),
    el("dt", {}, label("antecedent")), el("dd", {}, "refers to a thing introduced there, in the legal sense; a separate layer"));
  const wrong = graph.diagnostics.filter((item) => item.reason !== "dense").map((item) => el("li", {}, `claim ${item.claim}: “${item.phrase}” leads to ${
    item.reason === "later" ? "a later claim" : item.reason === "self" ? "itself" : `a ${item.reason} claim`}`));
  return [el("h2", {}, "At a glance"), list, el("h3", {}, "What the lines mean"), meanings,
    wrong.length ? [el("h3", {}, "References that lead nowhere"), el("ul", { class: "wrong" }, wrong)] : null,
    el("h3", {}, "How to read it"), el("p", { class: "hint" }, "Point at a line to see the words behind it. Choose a claim to see what it builds on, and walk from there."),
    el("p", { class: "hint keys" }, "Keys: ↑ ↓ claims, ← source, ⌫ back, 1–5 lines, Esc close.")];
}

function claimPart(state, number, view) {
  const text = state.texts.get(number) || "";
  const shown = state.edges();
  const above = shown.filter((edge) => edge.target === number);
  const below = shown.filter((edge) => edge.source === number);
  const evidence = above.flatMap((edge) => edge.evidence).filter((item) => item.claim === number);
  const line = (edge, other) => el("li", {}, el("button", { type: "button", "data-walk": other, onclick: () => view.walk(other), onpointerenter: () => view.light(edge), onpointerleave: () => view.light(null), title: says(edge) },
    el("b", {}, String(other)), label(edge.relation), el("small", {}, says(edge))));
  const part = (title, edges, end) => (edges.length ? [el("h3", {}, title), el("ul", {}, edges.map((edge) => line(edge, edge[end])))] : null);
  const why = state.answer.legal.unchecked[number];
  return [el("h2", {}, `Claim ${number}`), why ? el("p", { class: "hint" }, `Antecedents not checked, because ${why}.`) : null, el("p", { class: "claim-text" }, evidenceMarks(text, evidence)),
    part(`builds on (${above.length})`, above, "source"), part(`used by (${below.length})`, below, "target")];
}

function edgePart(state, edge) {
  const side = (number) => {
    const text = state.texts.get(number) || "";
    const proven = edge.evidence.filter((item) => item.claim === number);
    const mine = proven.length || number === edge.target ? proven : origins(text, edge.evidence);
    return [el("h3", {}, `claim ${number}`), el("p", { class: "claim-text" }, evidenceMarks(text, mine, new Set(mine)))];
  };
  return [el("h2", {}, sentence(edge).replace("claim", "Claim"), label(edge.relation)), side(edge.source), side(edge.target)];
}

export function fillPanel(panel, state, view) {
  const what = state.peeked || state.chosen;
  const trail = state.trail.length > 1 && !state.peeked
    ? el("div", { class: "trail" }, "walked: ", state.trail.flatMap((number, place) => [
      place ? "→" : null, el("button", { type: "button", onclick: () => view.back(place) }, String(number))]))
    : null;
  const close = state.chosen && el("button", { type: "button", class: "quiet close", "aria-label": "Close", title: "Close (Esc)", onclick: () => view.close() }, "×");
  const body = !what ? overview(state) : what.edge ? edgePart(state, what.edge) : claimPart(state, what.claim, view);
  panel.classList.toggle("idle", !state.chosen); // pointing alone lays nothing over the rows
  panel.replaceChildren(...[close, trail, ...body].flat(3).filter(Boolean));
  if (what?.edge) panel.querySelector("mark.lit")?.scrollIntoView({ block: "nearest" });
  else panel.scrollTop = 0;
}
