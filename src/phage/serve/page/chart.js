// The compare view: each element of a claim beside the other document's best passage, or what a later version changed.
import { $, ask, askFile, el, go, notice, save, say } from "./dom.js";
import { lookedUp, recall, remember } from "./memory.js";

const state = { answer: null, asked: null, latest: 0 };
const MOST = 60; // claims of one chart
const NUMBER = /^\s*[A-Za-z]{0,2}[\s\d.,/-]{4,}[A-Za-z]?\d?\s*$/;

const side = (text) => (NUMBER.test(text) ? { number: text.trim() } : { text });
const fields = () => ({ left: $("chart-left").value, right: $("chart-right").value, claims: $("chart-claims").value, show: $("chart-show").value });

// "1, 4-6" → 1, 4, 5, 6
function numbers(text) {
  const whole = text.replace(/(\d+)\s*[-–—]\s*(\d+)/g, (_, one, other) => {
    const [low, high] = [Number(one), Number(other)].sort((a, b) => a - b);
    return Array.from({ length: Math.min(high - low + 1, MOST) }, (_, step) => low + step).join(" ");
  });
  return [...new Set((whole.match(/\d+/g) || []).map(Number))].slice(0, MOST);
}

function wanted({ left, right, claims, show: what }) {
  const pair = { patent: side(left), other: side(right) };
  return what === "diff" ? pair : { ...pair, claims: numbers(claims) };
}

function write(given) {
  $("chart-left").value = given.left || "";
  $("chart-right").value = given.right || "";
  $("chart-claims").value = given.claims || "";
  $("chart-show").value = given.show || "chart";
}

// From a hit: your claims, your words or the patent you searched with, against the hit.
export function compareWith(hit, said) {
  const text = said.kind === "fields" ? "" : lookedUp(said.search)?.query || "";
  const left = said.kind === "text" && text ? `1. ${text}` : text;
  remember("chart", { left, right: hit.number, claims: hit.match?.query_claim ? String(hit.match.query_claim) : "" });
  write(recall("chart"));
  go("#/chart");
}

function settle(busy) {
  const stale = Boolean(state.answer) && (busy || JSON.stringify(fields()) !== JSON.stringify(state.asked));
  $("chart").classList.toggle("stale", stale);
  $("chart").setAttribute("aria-busy", String(Boolean(busy)));
  $("chart-go").textContent = busy ? "Comparing …" : "Compare";
  $("chart-exports").inert = stale;
  $("chart-claims").disabled = $("chart-show").value === "diff"; // all claims are compared
}

async function compare() {
  const asked = fields();
  if (!asked.left.trim() || !asked.right.trim()) { notice({ detail: "Two documents are needed.", remedy: "give a number of the index or some claims on both sides" }); return; }
  const mine = ++state.latest;
  notice(null);
  remember("chart", asked);
  settle(true);
  try {
    const answer = await ask(`/${asked.show}`, wanted(asked));
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

function changed({ change, before, after, into, pieces }) {
  const was = into ? `into claim ${into}` : before && after && before !== after ? `was claim ${before}` : "";
  const tags = { inserted: "ins", deleted: "del" };
  return el("section", { class: "chart-row change", "data-change": change, "aria-label": `Claim ${after || before}, ${change}` },
    el("h2", {}, `Claim ${after || before}`, el("small", {}, [change, was].filter(Boolean).join(", "))),
    el("p", {}, pieces.map(({ kind, text }) => (tags[kind] ? el(tags[kind], {}, text) : text))));
}

const named = (number, title) => [number === "draft" ? "your claims" : number, title].filter(Boolean).join(" ");

function show() {
  const made = state.answer;
  $("chart-exports").hidden = !made;
  if (!made) { $("chart").replaceChildren(); return; }
  $("chart-exports").querySelector('[data-export=".xlsx"]').hidden = Boolean(made.counts);
  if (made.counts) {
    const related = made.claims.some(({ change }) => change !== "cancelled" && change !== "new");
    const counts = Object.entries(made.counts).filter(([, n]) => n).map(([name, n]) => `${n} ${name}`).join(", ");
    $("chart").replaceChildren(...[el("p", { class: "chart-note" }, `From ${named(made.before)} to ${named(made.after)}: ${counts}. `.replace("From your claims to your claims: ", ""), el("ins", {}, "Inserted"), ", ", el("del", {}, "deleted"), "."),
      related ? null : el("p", { class: "chart-alert" }, "These look like different claim sets: no claim of one has become a claim of the other. “What changed” is for two versions of the same claims; for two patents, choose “element by element”."),
      ...made.claims.map(changed), el("p", { class: "chart-note" }, made.notice)].filter(Boolean));
    return;
  }
  $("chart").replaceChildren(
    el("div", { class: "chart-row names" }, el("span", {}), el("span", {}, named(made.number, made.title)), el("span", {}, named(made.other, made.other_title)), el("span", {}, "score")),
    ...made.rows.map(line),
    el("p", { class: "chart-note" }, el("mark", { class: "lack" }, "Red"), " words of an element are missing in the passage; ", el("mark", { class: "shared" }, "marked"), " words of a passage are in the element, too. Score, from 0 to 1: the cosine of the vectors combined with the share of the element’s words. ", made.notice));
}

export function showChart() {
  if (!$("chart-left").value && !$("chart-right").value) write(recall("chart", {}));
  const now = fields();
  if (now.left.trim() && now.right.trim() && JSON.stringify(now) !== JSON.stringify(state.asked)) compare();
  else { settle(false); if (!now.left) $("chart-left").focus(); else if (!now.right) $("chart-right").focus(); }
}

async function exported(ending) {
  try {
    const { number, other, before, after } = state.answer;
    const name = `${state.asked.show}-${number || before}-${other || after}`.replace(/[^\w.-]+/g, "-");
    const file = ending === ".json" ? `${JSON.stringify(state.answer, null, 2)}\n` : await askFile(`/${state.asked.show}`, { ...wanted(state.asked), ending });
    save(`${name}${ending}`, "application/json", file);
    say(`Saved as ${name}${ending}`);
  } catch (error) { notice(error); }
}

export function setUpChart() {
  $("chart-form").addEventListener("submit", (event) => { event.preventDefault(); compare(); });
  $("chart-form").addEventListener("input", () => { remember("chart", fields()); settle(false); });
  $("chart-show").addEventListener("change", () => { if ($("chart-left").value.trim() && $("chart-right").value.trim()) compare(); });
  for (const id of ["chart-left", "chart-right"]) {
    $(id).addEventListener("keydown", (event) => { if (event.key === "Enter" && NUMBER.test(event.target.value)) { event.preventDefault(); compare(); } });
  }
  $("chart-swap").addEventListener("click", () => {
    const { left, right, show: what } = fields();
    write({ left: right, right: left, show: what });
    if (left.trim() && right.trim()) compare();
  });
  for (const button of $("chart-exports").children) button.addEventListener("click", () => exported(button.dataset.export));
}
