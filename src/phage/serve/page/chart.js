// The compare view: each element of a claim beside the other document's best passage.
import { $, ask, askFile, el, notice, save, say } from "./dom.js";
import { lookedUp, recall, remember } from "./memory.js";

const state = { answer: null, asked: null, latest: 0 };
const NUMBER = /^\s*[A-Za-z]{0,2}[\s\d.,/-]{4,}[A-Za-z]?\d?\s*$/;

const side = (text) => (NUMBER.test(text) ? { number: text.trim() } : { text });
const fields = () => ({ left: $("chart-left").value, right: $("chart-right").value, claims: $("chart-claims").value });

function wanted({ left, right, claims }) {
  return { patent: side(left), other: side(right), claims: [...new Set((claims.match(/\d+/g) || []).map(Number))] };
}

function write(given) {
  $("chart-left").value = given.left || "";
  $("chart-right").value = given.right || "";
  $("chart-claims").value = given.claims || "";
}

// From a hit: your claims, your words or the patent you searched with, against the hit.
export function compareWith(hit, said) {
  const text = said.kind === "fields" ? "" : lookedUp(said.search)?.query || "";
  const left = said.kind === "text" && text ? `1. ${text}` : text;
  remember("chart", { left, right: hit.number, claims: hit.match?.query_claim ? String(hit.match.query_claim) : "" });
  write(recall("chart"));
  location.hash = "#/chart";
}

function settle(busy) {
  const stale = Boolean(state.answer) && (busy || JSON.stringify(fields()) !== JSON.stringify(state.asked));
  $("chart").classList.toggle("stale", stale);
  $("chart").setAttribute("aria-busy", String(Boolean(busy)));
  $("chart-go").textContent = busy ? "Comparing …" : "Compare";
  $("chart-exports").inert = stale;
}

async function compare() {
  const asked = fields();
  if (!asked.left.trim() || !asked.right.trim()) { notice({ detail: "Two documents are needed.", remedy: "give a number of the index or some claims on both sides" }); return; }
  const mine = ++state.latest;
  notice(null);
  remember("chart", asked);
  settle(true);
  try {
    const answer = await ask("/chart", wanted(asked));
    if (mine !== state.latest) return;
    Object.assign(state, { answer, asked });
  } catch (error) {
    if (mine !== state.latest) return;
    Object.assign(state, { answer: null, asked: null });
    if (!$("view-chart").hidden) notice(error);
  }
  show();
  settle(false);
}

function marked(text, spans, kind) {
  const signs = Array.from(text);
  const out = [];
  let at = 0;
  for (const [start, end] of spans) {
    out.push(signs.slice(at, start).join(""), el("mark", { class: kind }, signs.slice(start, end).join("")));
    at = end;
  }
  return [...out, signs.slice(at).join("")];
}

const passage = (match) => el("p", {}, el("span", { class: "place" }, match.passage.place), marked(match.passage.text, match.shared, "shared"));
const score = (match) => [el("b", {}, match.score.toFixed(2)), el("dl", {}, [["cosine", match.cosine], ["words", match.words]].map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value.toFixed(2)))))];

function line({ element, matches, close }) {
  const [best, ...others] = matches;
  return el("section", { class: "chart-row", "data-element": element.label, "aria-label": `Element ${element.label}` },
    el("h2", {}, element.label), el("p", {}, marked(element.text, best?.missing || [], "lack")),
    el("div", {}, best ? passage(best) : el("p", { class: "far" }, "no text to compare"), best && !close ? el("span", { class: "far" }, "no close passage") : null,
      others.length ? el("details", {}, el("summary", {}, `${others.length} more`), others.map((match) => el("div", {}, passage(match), el("small", { class: "place" }, `score ${match.score.toFixed(2)}`)))) : null),
    el("div", {}, best ? score(best) : null));
}

function show() {
  const made = state.answer;
  $("chart-exports").hidden = !made;
  if (!made) { $("chart").replaceChildren(); return; }
  const named = (number, title) => [number === "draft" ? "your claims" : number, title].filter(Boolean).join(" ");
  $("chart").replaceChildren(
    el("div", { class: "chart-row names" }, el("span", {}), el("span", {}, named(made.number, made.title)), el("span", {}, named(made.other, made.other_title)), el("span", {}, "score")),
    ...made.rows.map(line),
    el("p", { class: "chart-note" }, el("mark", { class: "lack" }, "Red"), " words of an element are missing in the passage; ", el("mark", { class: "shared" }, "marked"), " words of a passage are in the element, too. Score, from 0 to 1: the cosine of the vectors and the share of the element’s words, weighed together. ", made.notice));
}

export function showChart() {
  if (!$("chart-left").value && !$("chart-right").value) write(recall("chart", {}));
  const now = fields();
  if (now.left.trim() && now.right.trim() && JSON.stringify(now) !== JSON.stringify(state.asked)) compare();
  else { settle(false); if (!now.left) $("chart-left").focus(); else if (!now.right) $("chart-right").focus(); }
}

async function exported(ending) {
  try {
    const name = `chart-${state.answer.number}-${state.answer.other}`.replace(/[^\w.-]+/g, "-");
    const file = ending === ".json" ? `${JSON.stringify(state.answer, null, 2)}\n` : await askFile("/chart", { ...wanted(state.asked), ending });
    save(`${name}${ending}`, "application/json", file);
    say(`The chart was saved as ${name}${ending}`);
  } catch (error) { notice(error); }
}

export function setUpChart() {
  $("chart-form").addEventListener("submit", (event) => { event.preventDefault(); compare(); });
  $("chart-form").addEventListener("input", () => { remember("chart", fields()); settle(false); });
  for (const id of ["chart-left", "chart-right"]) {
    $(id).addEventListener("keydown", (event) => { if (event.key === "Enter" && NUMBER.test(event.target.value)) { event.preventDefault(); compare(); } });
  }
  $("chart-swap").addEventListener("click", () => {
    const { left, right } = fields();
    write({ left: right, right: left });
    if (left.trim() && right.trim()) compare();
  });
  for (const button of $("chart-exports").children) button.addEventListener("click", () => exported(button.dataset.export));
}
