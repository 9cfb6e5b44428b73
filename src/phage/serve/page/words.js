// Words of claims: a set as text, terms two claims share, the evidence of edges.
import { el } from "./dom.js";

const COMMON = new Set(`a about above according after all also an and another any are as at be been before being
between both but by can claim claimed claims comprise comprised comprises comprising configured consisting could
device each either end first for from further had has have having in include included includes including into is it
its least less may means method more most not of off on one onto only or other others out over plurality portion
second said so some such system than that the their them then thereof therein third this those through to two under
up upon used using via was were when where wherein whereby which while with within without`.split(/\s+/));

const stem = (word) => {
  const low = word.toLowerCase();
  if (low.length > 4 && low.endsWith("ies")) return low.slice(0, -3) + "y";
  if (low.length > 4 && /(?:ss|us|is)$/.test(low)) return low;
  return low.length > 3 && low.endsWith("s") ? low.slice(0, -1) : low;
};
const telling = (word) => word.length > 2 && !COMMON.has(word.toLowerCase()) && !/^\d+$/.test(word);
// Scripts without blanks are cut by the browser's own segmenter, where it has one.
const cutter = window.Intl?.Segmenter ? new Intl.Segmenter(undefined, { granularity: "word" }) : null;
const pieces = (text) => (cutter ? Array.from(cutter.segment(text), (part) => part.segment) : text.split(/(\p{L}[\p{L}\p{N}]*)/u));
const isWord = (piece) => /^\p{L}/u.test(piece) && (telling(piece) || /[\u3040-\u9fff\uac00-\ud7af]{2}/.test(piece));
const stems = (text) => new Set(pieces(text).filter(isWord).map(stem));

export function sharedMarks(ours, theirs) {
  const both = stems(theirs);
  return pieces(ours).map((piece) => (isWord(piece) && both.has(stem(piece)) ? el("mark", { class: "shared" }, piece) : piece));
}

// An edge's evidence stands in the claim that leans; here is where the other one has the same term.
export function origins(text, evidence) {
  const found = [];
  for (const item of evidence) {
    if (!item.term) continue;
    const words = item.term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").split(/\s+/);
    const last = words.length - 1;
    words[last] = /y$/.test(words[last]) ? `${words[last].slice(0, -1)}(?:y|ies)` : `${words[last]}(?:e?s)?`;
    const match = new RegExp(`(?<![\\p{L}\\p{N}])${words.join("\\s+")}(?![\\p{L}\\p{N}])`, "iu").exec(text);
    if (!match) continue;
    const start = Array.from(text.slice(0, match.index)).length;
    found.push({ ...item, start, end: start + Array.from(match[0]).length });
  }
  return found;
}

// Evidence counts characters as Python does, by code point; JavaScript counts halves of some.
export function evidenceMarks(text, evidence, lit) {
  const signs = Array.from(text);
  const cut = (a, b) => signs.slice(a, b).join("");
  const order = [...evidence].sort((a, b) => (lit?.has(b) ? 1 : 0) - (lit?.has(a) ? 1 : 0) || a.start - b.start || b.end - a.end);
  const kept = [];
  for (const item of order) {
    if (item.end <= signs.length && !kept.some((other) => item.start < other.end && other.start < item.end)) kept.push(item);
  }
  kept.sort((a, b) => a.start - b.start);
  const out = [];
  let at = 0;
  for (const item of kept) {
    out.push(cut(at, item.start));
    const why = [item.signal, item.term, item.verb].filter(Boolean).join(" · ");
    out.push(el("mark", { class: `evidence ${item.signal}${lit?.has(item) ? " lit" : ""}`, title: why }, cut(item.start, item.end)));
    at = item.end;
  }
  return [...out, cut(at)];
}

// A claim set as a person would write it, cancelled numbers and repeated ones included.
export function asText(patent) {
  const gone = (patent.cancelled || []).map((number) => ({ number, text: "(cancelled)" }));
  const order = (claim) => claim.printed || claim.number;
  return [...patent.claims, ...gone].sort((a, b) => order(a) - order(b)).map((claim) => `${order(claim)}. ${claim.text}`).join("\n\n");
}
