// One hit as a card: what it is, why it is one, and what can be done with it.
import { compareWith } from "./chart.js";
import { draw, el } from "./dom.js";
import { isKept, toggleKept } from "./kept.js";
import { sharedMarks } from "./words.js";

// rank, or "claim" → the unit behind a score, what it is, and what that means
const SCALES = {
  hybrid: ["σ", "vectors and words together, in σ", "The score adds the cosine of the vectors and the similarity of the words, both given below it. It counts in standard deviations (σ) above the mean of the candidates: 0 is an average candidate, and what is far above 0 stands out."],
  vector: ["cosine", "cosine of the two patents’ vectors", "The score is the cosine of the angle between the two patents’ vectors: 1 for the same meaning, about 0 for nothing in common."],
  words: ["words", "similarity of the words", "The score is higher the more words both patents use; rarer words count more. It has no upper limit, so compare it only within one search."],
  claim: ["cosine", "cosine of the two claims’ vectors", "The score is the cosine of the angle between the vectors of the two claims that are most alike: 1 for the same meaning, about 0 for nothing in common."],
  fields: ["", "no score: every patent that matches the fields, by number", ""],
};
export const scaleOf = (said) => SCALES[said.kind === "fields" ? "fields" : said.level === "claim" ? "claim" : said.rank] || SCALES.hybrid;

const two = (value) => value.toFixed(Math.abs(value) < 0.1 ? 3 : 2).replace("-", "−");
const OUT = [
  ["Google Patents", (number) => `https://patents.google.com/patent/${number}`],
  ["Espacenet", (number) => `https://worldwide.espacenet.com/patent/search?q=pn%3D${number}`],
];

function score(hit, said, best) {
  const [unit, label] = scaleOf(said);
  if (!unit) return el("div", { class: "score" });
  const share = Math.max(0, Math.min(1, unit === "cosine" ? hit.score : hit.score / Math.max(best, 1e-6)));
  const meter = best === null ? null : draw("svg", { class: "meter", viewBox: "0 0 46 4", "aria-hidden": "true" },
    draw("rect", { width: 46, height: 4, rx: 2 }), draw("rect", { width: (46 * share).toFixed(1), height: 4, rx: 2 }));
  const parts = [];
  if (unit !== "cosine" && hit.cosine !== null) parts.push(["cosine", two(hit.cosine)]);
  if (unit !== "words" && typeof hit.words === "number") parts.push(["words", two(hit.words)]);
  return el("div", { class: "score", title: `Score: ${label}` }, el("b", {}, two(hit.score)), " ", el("small", {}, unit), meter,
    parts.length ? el("dl", { class: "parts" }, parts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))) : null);
}

function meta(hit) {
  const facts = [el("b", {}, hit.number)];
  if (hit.assignees.length) facts.push(el("span", { class: "assignee" }, hit.assignees.slice(0, 2).join("; ") + (hit.assignees.length > 2 ? " …" : "")));
  if (hit.publication_date) facts.push(el("span", { title: "published" }, hit.publication_date));
  facts.push(...hit.ipc.slice(0, 3).map((code) => el("span", { class: "chip" }, code)));
  if (hit.ipc.length > 3) facts.push(el("span", { title: hit.ipc.slice(3).join(", ") }, `+${hit.ipc.length - 3}`));
  if (hit.family_members?.length) facts.push(el("span", { title: hit.family_members.join(", ") }, `+${hit.family_members.length} of its family`));
  return el("div", { class: "meta" }, facts);
}

function actions(hit, said) {
  const number = encodeURIComponent(hit.number);
  const keep = el("button", { type: "button", class: "keep", "aria-pressed": String(isKept(hit.number)), "aria-label": `Keep ${hit.number}`,
    onclick: () => keep.setAttribute("aria-pressed", String(toggleKept(hit, said))) }, "Keep");
  const out = /^(?!ZZ)[A-Z]{2}\d+[A-Z]?\d?$/.test(hit.number) ? OUT.map(([name, address]) =>
    el("a", { class: "out", href: address(hit.number), target: "_blank", rel: "noopener noreferrer", "aria-label": `${hit.number} on ${name}` }, name)) : [];
  return el("div", { class: "hit-actions" }, keep,
    el("button", { type: "button", class: "compare", "aria-label": `Compare with ${hit.number}`, onclick: () => compareWith(hit, said) }, "Compare"),
    el("a", { class: "button", href: `#/graph/${number}`, "aria-label": `Claim graph of ${hit.number}` }, "Claim graph"),
    el("a", { class: "button", href: `#/check/${number}`, "aria-label": `Check ${hit.number}` }, "Check"),
    out.length ? el("span", { class: "outs" }, out) : null);
}

function pair(match, kind) {
  const ours = kind === "text" ? "your words" : kind === "claims" ? `your claim ${match.query_claim}` : `its claim ${match.query_claim}`;
  const side = (title, text, other, extra) => el("div", {}, el("h3", {}, title, extra), el("p", { tabindex: "0" }, sharedMarks(text, other)));
  return el("div", { class: "pair" },
    side(ours, match.query_text, match.text),
    side(`claim ${match.claim}`, match.text, match.query_text, el("span", { title: "cosine of the two claims’ vectors" }, `· cosine ${match.score.toFixed(2)}`)));
}

export const labelOf = (said) => (said.kind === "fields" ? "" : `score: ${scaleOf(said)[1]}`);

export function card(hit, said, best) {
  const parts = [el("header", {}, score(hit, said, best),
    el("div", {}, el("h2", {}, el("a", { href: `#/graph/${encodeURIComponent(hit.number)}` }, hit.title || hit.number)), meta(hit)), actions(hit, said),
    hit.snippet && hit.match?.text !== hit.snippet ? el("p", { class: "snippet" }, hit.snippet) : null)];
  if (hit.match) parts.push(pair(hit.match, said.kind));
  return el("li", { class: "hit", "data-number": hit.number }, parts);
}
