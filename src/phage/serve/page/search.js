// The search view: box, filters, hits with their matching claims.
import { $, ask, draw, el, notice, readFile } from "./dom.js";
import { sharedMarks } from "./words.js";

const FIELDS = { ipc: "f-ipc", from: "f-from", to: "f-to", office: "f-office", language: "f-lang", rank: "f-rank" };
const CHECKS = { families: "f-families" };
const SCALES = {
  hybrid: "vectors and words together, in standard deviations above the mean",
  vector: "cosine of the vectors", words: "full text (BM25)",
};
let pasted = null; // claims of a file or a graph, searched with instead of the words
let running = 0;

const grow = () => {
  const box = $("query");
  box.style.height = "auto";
  box.style.height = `${Math.min(240, box.scrollHeight)}px`;
};

export function searchWith(patent) {
  pasted = { claims: patent.claims, name: patent.title || patent.number };
  $("query").value = patent.claims.map((claim) => `${claim.number}. ${claim.text}`).join("\n");
}

function filters() {
  const value = (name) => $(FIELDS[name]).value.trim();
  const parts = [];
  if (value("ipc")) parts.push(`ipc:${value("ipc").replace(/\s+/g, "")}`);
  if (value("from") || value("to")) parts.push(`date:${value("from")}..${value("to")}`);
  if (value("office")) parts.push(`office:${value("office")}`);
  if (value("language")) parts.push(`language:${value("language")}`);
  return parts.join(" ");
}

function address() {
  const said = new URLSearchParams();
  const query = $("query").value.trim();
  if (query.length <= 1500) said.set("q", query);
  for (const [name, id] of Object.entries(FIELDS)) if ($(id).value.trim() && $(id).value !== "hybrid") said.set(name, $(id).value.trim());
  for (const [name, id] of Object.entries(CHECKS)) if ($(id).checked) said.set(name, "1");
  return `#/search?${said}`;
}

export function showSearch(said) {
  if (said.has("q")) {
    if ($("query").value.trim() !== said.get("q")) { $("query").value = said.get("q"); pasted = null; }
    for (const [name, id] of Object.entries(FIELDS)) $(id).value = said.get(name) || (name === "rank" ? "hybrid" : "");
    for (const [name, id] of Object.entries(CHECKS)) $(id).checked = said.has(name);
  }
  grow();
  if ($("query").value.trim() && (said.has("q") || pasted)) run();
  else $("query").focus();
}

async function run() {
  const mine = ++running;
  const query = $("query").value.trim();
  if (!query) { notice({ detail: "The query is empty.", remedy: "give some words, a claim, or a patent number" }); return; }
  const body = { filter: filters(), rank: $(FIELDS.rank).value || "hybrid", families: $(CHECKS.families).checked, top: 25 };
  if (pasted) body.claims = pasted.claims.slice(0, 600);
  else body.query = query;
  notice(null);
  document.body.classList.remove("fresh");
  $("hits").classList.add("loading");
  try {
    const said = await ask("/search", body);
    if (mine === running) show(said);
  } catch (error) {
    if (mine === running) { $("hits").replaceChildren(); $("summary").replaceChildren(); if (!$("view-search").hidden) notice(error); }
  } finally {
    $("hits").classList.remove("loading");
  }
}

function show(said) {
  const with_ = { text: "", claims: " to your claims", number: ` to ${said.query}`, fields: "" }[said.kind];
  const limits = said.filters ? `, ${said.filters}` : "";
  $("summary").textContent = said.hits.length
    ? `${said.hits.length} most similar${with_}${limits} · score: ${SCALES[said.rank]} · ${(said.seconds * 1000).toFixed(0)} ms`
    : `Nothing found${limits}. Loosen the filters, or search with other words.`;
  if (said.warning) $("summary").append(" ", el("b", {}, `Note: ${said.warning}.`));
  const best = Math.max(...said.hits.map((hit) => hit.score), 0.0001);
  $("hits").replaceChildren(...said.hits.map((hit) => card(hit, said, best)));
}

function card(hit, said, best) {
  const graph = `#/graph/${encodeURIComponent(hit.number)}`;
  const share = Math.max(0, Math.min(1, hit.score <= 1 && best > 0.1 ? hit.score : hit.score / best));
  const meter = draw("svg", { class: "meter", viewBox: "0 0 46 4", "aria-hidden": "true" },
    draw("rect", { width: 46, height: 4, rx: 2 }), draw("rect", { width: (46 * share).toFixed(1), height: 4, rx: 2 }));
  const meta = [el("b", {}, hit.number), hit.publication_date, ...hit.ipc.slice(0, 3).map((code) => el("span", { class: "chip" }, code))];
  if (hit.family_members.length) meta.push(`+${hit.family_members.length} of its family`);
  const parts = [el("header", {},
    el("div", { class: "score", title: SCALES[said.rank] }, hit.score.toFixed(hit.score < 0.1 ? 3 : 2), meter),
    el("div", {}, el("h2", {}, el("a", { href: graph }, hit.title || hit.number)), el("div", { class: "meta" }, meta)),
    el("a", { class: "button", href: graph, "aria-label": `Claim graph of ${hit.number}` }, "Claim graph"))];
  if (hit.snippet && hit.match?.text !== hit.snippet) parts.push(el("p", { class: "snippet" }, hit.snippet));
  if (hit.match) parts.push(pair(hit.match, said.kind));
  return el("li", { class: "hit", "data-number": hit.number }, parts);
}

function pair(match, kind) {
  const ours = kind === "text" ? "your words" : kind === "claims" ? `your claim ${match.query_claim}` : `its claim ${match.query_claim}`;
  const side = (title, text, other, extra) => el("div", {}, el("h3", {}, title, extra), el("p", { tabindex: "0" }, sharedMarks(text, other)));
  return el("div", { class: "pair" },
    side(ours, match.query_text, match.text),
    side(`claim ${match.claim}`, match.text, match.query_text, el("span", {}, `· ${match.score.toFixed(2)} alike`)));
}

export async function takeFile(file) {
  try {
    notice(null);
    searchWith(await readFile(file));
    grow();
    await run();
  } catch (error) { notice(error); }
}

export function setUpSearch() {
  document.body.classList.add("fresh");
  $("query").addEventListener("input", () => { pasted = null; grow(); });
  $("query").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); $("search-form").requestSubmit(); }
  });
  $("search-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const to = address();
    if (pasted || location.hash === to || $("query").value.trim().length > 1500 || !$("query").value.trim()) run();
    else location.hash = to;
  });
  for (const id of [FIELDS.language, FIELDS.rank, ...Object.values(CHECKS)]) {
    $(id).addEventListener("change", () => { if ($("query").value.trim()) $("search-form").requestSubmit(); });
  }
  $("search-file").addEventListener("change", (event) => {
    if (event.target.files[0]) takeFile(event.target.files[0]);
    event.target.value = "";
  });
}
