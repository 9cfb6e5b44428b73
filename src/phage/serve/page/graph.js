// The graph view: what is shown, what is chosen, what is walked.
import { fillCheck } from "./check.js";
import { $, ask, draw, el, go, notice, onFile, readFile, save, tip } from "./dom.js";
import { forest, LAYERS, legalEdges, PLAIN } from "./forest.js";
import { mask } from "./mask.js";
import { fillPanel } from "./panel.js";
import { recall, remember } from "./memory.js";
import { searchWith } from "./search.js";
import { asText } from "./words.js";

const EXAMPLE = `1. A pump, comprising: a housing; a shaft mounted in the housing; and a rotor fixed to the shaft.
2. The pump of claim 1, wherein the rotor has a plurality of vanes.
3. The pump of claim 2, wherein the vanes are made of steel.
4. The pump of claim 1, further comprising a magnetic bearing that supports the shaft.
5. The pump of claim 4, further comprising a controller coupled to the magnetic bearing.
6. The pump of claim 1 or 4, wherein the housing has a cooling jacket.
7. A method of operating the pump of claim 5, comprising: measuring a position of the shaft; and adjusting, by the controller, a current of the magnetic bearing.
8. The method of claim 7, wherein the position is measured by a sensor.
9. A cooling system, comprising: a coolant circuit; a cooling jacket; and a controller configured to drive the coolant circuit.
10. The cooling system of claim 9, wherein the sensor is coupled to the controller.`;

const fingers = matchMedia("(hover: none)");
const CROWD = 200; // functional links that hide everything else
const state = { answer: null, asked: null, wanted: null, left: false, latest: 0, chosen: null, peeked: null, trail: [], hidden: new Set(), masked: false, thinned: false, texts: new Map(), all: [],
  edges: () => state.all.filter((edge) => !state.hidden.has(edge.relation)) };

const view = {
  peek(what) { state.peeked = what; light(what || state.chosen); fillPanel($("panel"), state, view); },
  choose(what) {
    state.peeked = null;
    state.chosen = what;
    state.trail = what?.claim ? [what.claim] : [];
    settle();
  },
  walk(number) {
    state.peeked = null;
    state.chosen = { claim: number };
    state.trail.push(number);
    settle(true);
  },
  back(place) {
    state.trail = state.trail.slice(0, place + 1);
    state.chosen = { claim: state.trail[place] };
    settle(true);
  },
  close() { // and keep the focus near
    const claim = state.chosen?.claim;
    view.choose(null);
    ($("canvas").querySelector(`.row[data-claim="${claim}"]`) || $("canvas").querySelector('.row[tabindex="0"]') || $("panel")).focus({ preventScroll: true });
  },
  light(edge) { light(edge ? { edge } : state.chosen); },
};

function settle(follow) {
  tip(null);
  light(state.chosen);
  fillPanel($("panel"), state, view);
  const row = state.chosen?.claim && $("canvas").querySelector(`.row[data-claim="${state.chosen.claim}"]`);
  if (!row) return;
  for (const other of $("canvas").querySelectorAll(".row")) other.tabIndex = other === row ? 0 : -1;
  if (follow) row.focus({ preventScroll: true });
  if (follow) row.scrollIntoView({ block: "nearest" });
  const [here, over] = [row.getBoundingClientRect(), $("panel").getBoundingClientRect()];
  const covered = over.left < here.right && here.top < over.bottom ? here.bottom + 12 - over.top : 0;
  if (covered > 0 && fingers.matches) scrollBy(0, covered); // under a mouse, another claim would slip
}

function ancestors(number) {
  const found = new Set();
  const waiting = [number];
  while (waiting.length) {
    const here = waiting.pop();
    for (const edge of state.edges()) {
      if (edge.target === here && !found.has(edge.source)) { found.add(edge.source); waiting.push(edge.source); }
    }
  }
  return found;
}

function light(what) {
  const drawn = $("canvas").querySelector(".forest");
  if (!drawn) return;
  drawn.classList.toggle("focus", Boolean(what));
  const claim = what?.claim;
  const near = new Set(claim ? state.edges().filter((edge) => edge.target === claim).map((edge) => edge.source) : []);
  const above = claim ? ancestors(claim) : new Set();
  for (const group of drawn.querySelectorAll(".edge")) {
    const [source, target] = [Number(group.dataset.source), Number(group.dataset.target)];
    const lit = what?.edge ? what.edge.source === source && what.edge.target === target && what.edge.relation === group.dataset.relation : claim && (source === claim || target === claim);
    group.classList.toggle("lit", Boolean(lit));
  }
  const ends = what?.edge ? new Set([what.edge.source, what.edge.target]) : near;
  for (const row of drawn.querySelectorAll(".row")) {
    const number = Number(row.dataset.claim);
    row.classList.toggle("chosen", number === state.chosen?.claim);
    row.setAttribute("aria-selected", String(number === state.chosen?.claim));
    row.classList.toggle("near", ends.has(number));
    row.classList.toggle("above", above.has(number) && !near.has(number));
  }
  for (const disc of drawn.querySelectorAll(".disc")) disc.classList.toggle("chosen", Number(disc.dataset.disc) === claim);
}

function hide() {
  for (const group of $("canvas").querySelectorAll(".edge")) group.style.display = state.hidden.has(group.dataset.relation) ? "none" : "";
}

// A line for what is off without anybody having asked for it.
function tell() {
  const n = state.all.filter((edge) => edge.relation === "func").length;
  $("graph-note").hidden = !state.thinned || state.masked;
  $("graph-note").textContent = `${n} functional links are not shown, since they would cover the rest. The button “func” shows them.`;
}

function thin() { // arcs hide each other; cells of the mask do not
  if (state.thinned) state.hidden[state.masked ? "delete" : "add"]("func");
  for (const button of $("relations").children) button.setAttribute("aria-pressed", String(!state.hidden.has(button.dataset.relation)));
}

function toggle(name) {
  if (state.masked && name === "antecedent") return; // the mask has no such cells
  if (name === "func") state.thinned = false; // as the reader wants it
  if (state.hidden.has(name)) state.hidden.delete(name);
  else state.hidden.add(name);
  $("relations").querySelector(`[data-relation="${name}"]`).setAttribute("aria-pressed", String(!state.hidden.has(name)));
  tell();
  if (state.masked) render();
  else { hide(); settle(); }
}

function render() {
  $("as-graph").setAttribute("aria-pressed", String(!state.masked));
  $("as-mask").setAttribute("aria-pressed", String(state.masked));
  thin();
  $("relations").querySelector('[data-relation="antecedent"]').disabled = state.masked;
  tell();
  $("canvas").replaceChildren(state.masked ? mask(state.answer, view, state.hidden) : forest(state.answer, view));
  hide();
  settle();
}

function show(answer) {
  const { patent, graph, rows } = answer;
  Object.assign(state, { answer, chosen: null, peeked: null, trail: [], masked: false, hidden: new Set(["antecedent"]), all: [...graph.edges, ...legalEdges(answer)] });
  state.thinned = graph.edges.filter((edge) => edge.relation === "func").length > CROWD;
  state.texts = new Map(patent.claims.map((claim) => [claim.number, claim.text]));
  $("graph-title").textContent = patent.title || (patent.number === "draft" ? "Your claims" : patent.number);
  const count = rows.filter((row) => row.independent).length;
  const broken = rows.filter((row) => row.broken).length;
  const facts = [patent.number === "draft" ? "" : patent.number, patent.publication_date, patent.ipc.slice(0, 3).join(", "),
    `${graph.claims.length} claims, ${count} independent${broken ? `, ${broken} broken` : ""}`, `${graph.edges.length} edges`];
  $("graph-sub").textContent = facts.filter(Boolean).join(" · ");
  $("relations").replaceChildren(...LAYERS.map((name, place) => {
    const number = state.all.filter((edge) => edge.relation === name).length;
    return el("button", { type: "button", "aria-pressed": String(!state.hidden.has(name)), "data-relation": name, title: `${PLAIN[name] ? `${PLAIN[name]} (${name})` : name}: show or hide (key ${place + 1})`, onclick: () => toggle(name) },
      draw("svg", { width: 24, height: 8, class: `edge ${name}`, "aria-hidden": "true" }, draw("path", { class: "line", d: "M0 4 H24" })),
      el("em", {}, PLAIN[name] ? el("em", { class: "long" }, `${PLAIN[name]} (`) : null, name, PLAIN[name] ? el("em", { class: "long" }, ")") : null), el("span", {}, String(number)));
  }));
  $("claims-form").hidden = true;
  $("graph").hidden = false;
  render();
  if (!$("view-graph").hidden) scrollTo({ top: 0 });
}

function busy(on) {
  $("draw").disabled = on;
  $("draw").textContent = on ? "Drawing …" : "Draw the claim graph";
  $("graph").classList.toggle("stale", on); // the old drawing does not answer the new question
  $("graph").setAttribute("aria-busy", String(on));
  $("graph").inert = on;
}

async function load(asked) {
  const mine = ++state.latest;
  notice(null);
  busy(true);
  try {
    const answer = await ask("/graph", { ...asked, svg: false });
    if (mine !== state.latest) return;
    state.asked = asked;
    if (!asked.number) remember("graph", asked);
    show(answer);
  } catch (error) {
    if (mine !== state.latest) return;
    Object.assign(state, { answer: null, asked: null, left: true });
    entry();
    if (!$("view-graph").hidden) notice(error);
  } finally { if (mine === state.latest) busy(false); }
}

function entry() {
  $("graph").hidden = true;
  $("claims-form").hidden = false;
}

export function showGraph(number) {
  const kept = recall("graph");
  if (number) { if (state.asked?.number !== number || $("graph").hidden) load({ number }); }
  else if (state.wanted) { load(state.wanted); state.wanted = null; }
  else if (state.asked && !state.asked.number && state.answer) { $("claims-form").hidden = true; $("graph").hidden = false; }
  else if (kept && !state.left) { $("claims").value = kept.text || asText(kept); load(kept); }
  else { entry(); $("claims").focus(); }
}

export function drawText(text) {
  $("claims").value = text;
  state.wanted = { text };
  go("#/graph");
}

export async function takeClaims(file) {
  try {
    notice(null);
    const patent = await readFile(file);
    $("claims").value = asText(patent);
    if (location.hash !== "#/graph") history.replaceState(null, "", "#/graph");
    await load({ claims: patent.claims.map(({ number, text }) => ({ number, text })), title: patent.title || patent.number, language: patent.language });
  } catch (error) { notice(error); }
}

const named = () => (state.answer.patent.number || "claims").replace(/[^\w.-]+/g, "-");

function keys(event) {
  if ($("graph").hidden || $("view-graph").hidden || event.ctrlKey || event.metaKey || event.altKey) return;
  if (/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
  const order = state.answer.rows.map((row) => row.number);
  const here = state.chosen?.claim;
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step && !state.masked) {
    event.preventDefault();
    const place = here === undefined ? (step > 0 ? 0 : order.length - 1) : order.indexOf(here) + step;
    if (order[place] !== undefined) { view.choose({ claim: order[place] }); settle(true); }
  } else if (event.key === "ArrowLeft" && here !== undefined) {
    const edge = state.edges().filter((one) => one.target === here).sort((a, b) => LAYERS.indexOf(a.relation) - LAYERS.indexOf(b.relation))[0];
    if (edge) view.walk(edge.source);
  } else if (event.key === "Backspace" && state.trail.length > 1) view.back(state.trail.length - 2);
  else if (event.key === "Escape") view[$("panel").contains(document.activeElement) ? "close" : "choose"](null);
  else if (/^[1-5]$/.test(event.key)) toggle(LAYERS[Number(event.key) - 1]);
}

export function setUpGraph() {
  $("claims-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const text = $("claims").value;
    if (!text.trim()) { notice({ detail: "No claims were found.", remedy: "paste some, each with its number: 1. A pump …" }); return; }
    if (location.hash !== "#/graph") history.replaceState(null, "", "#/graph");
    load({ text });
  });
  $("example").addEventListener("click", () => { $("claims").value = EXAMPLE; $("claims-form").requestSubmit(); });
  const openNumber = () => { if ($("number").value.trim()) go(`#/graph/${encodeURIComponent($("number").value.trim())}`); };
  $("open-number").addEventListener("click", openNumber);
  $("number").addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); openNumber(); } });
  onFile("claims-file", takeClaims);
  matchMedia("(max-width: 759px)").addEventListener("change", () => { if (state.answer) render(); });
  $("graph-check").addEventListener("click", () => { fillCheck(state.answer.patent); go("#/check"); });
  $("other").addEventListener("click", () => { Object.assign(state, { asked: null, left: true }); go("#/graph"); });
  $("as-graph").addEventListener("click", () => { state.masked = false; render(); });
  $("as-mask").addEventListener("click", () => { state.masked = true; render(); });
  $("save-json").addEventListener("click", () => save(`${named()}.json`, "application/json",
    `${JSON.stringify({ ...state.answer.graph, texts: state.answer.patent.claims }, null, 2)}\n`));
  $("save-svg").addEventListener("click", async () => {
    try { save(`${named()}.svg`, "image/svg+xml", (await ask("/graph", { ...state.asked, svg: true })).svg); } catch (error) { notice(error); }
  });
  $("similar").addEventListener("click", () => {
    const number = state.asked?.number;
    if (number) go(`#/search?q=${encodeURIComponent(state.answer.patent.number)}`);
    else searchWith(state.answer.patent);
  });
  document.addEventListener("keydown", keys);
}
