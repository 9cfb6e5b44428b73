// The shortlist: hits that were kept, from all searches of this tab; and the files made of hits.
import { $, askFile, el, notice, save, say } from "./dom.js";
import { card, labelOf } from "./hits.js";
import { recall, remember } from "./memory.js";

let removed = []; // what "Undo" brings back
const all = () => recall("kept", []);
export const isKept = (number) => all().some((one) => one.hit.number === number);
const labelled = (said) => (said.kind === "claims" ? "your claims" : said.query || said.filters || "").slice(0, 300);

function count() {
  const n = all().length;
  $("kept-count").textContent = n ? String(n) : "";
  return n;
}

export function toggleKept(hit, said) {
  const place = all().findIndex((one) => one.hit.number === hit.number);
  const others = all().filter((one) => one.hit.number !== hit.number);
  const kept = others.length === all().length;
  remember("kept", kept ? [...others, { hit, said: { kind: said.kind, rank: said.rank, level: said.level, search: said.search, query: labelled(said) } }] : others);
  count();
  if (!$("view-kept").hidden) {
    showKept();
    const next = $("kept").children[Math.min(place, others.length - 1)]; // the card with the focus is gone
    (next?.querySelector(".keep") || $("kept-title")).focus();
  }
  return kept;
}

export function showKept() {
  const n = count();
  $("kept-sub").textContent = n ? `${n} kept in this tab` : "Nothing is kept yet. Press “Keep” beside a hit.";
  if (n) removed = [];
  $("kept-exports").hidden = !n;
  $("kept-clear").hidden = !n && !removed.length;
  $("kept-clear").textContent = n ? "Remove all" : `Undo: bring back ${removed.length}`;
  $("kept").replaceChildren(...all().map(({ hit, said }) => {
    const shown = card(hit, said, null);
    const above = said.kind === "text" && hit.match; // "your words" stand there already
    const from = [above ? "" : `found with: ${said.query || "fields"}`, labelOf(said)].filter(Boolean).join(" · ");
    if (from) shown.append(el("p", { class: "from" }, from));
    return shown;
  }));
}

export async function exported(rows, ending, name) {
  if (!rows.length) return;
  try {
    if (ending === ".json") save(`${name}.json`, "application/json", `${JSON.stringify(rows.map(({ hit, said }) => ({ query: said.query, ...hit })), null, 2)}\n`);
    else {
      const hits = rows.map(({ hit, said, rank }) => ({ ...hit, query: said.query, rank: rank || 0 }));
      save(`${name}${ending}`, "", await askFile("/table", { ending, hits }));
    }
    say(`${rows.length} hit${rows.length === 1 ? "" : "s"} saved as ${name}${ending}`);
  } catch (error) { notice(error); }
}

// Hits of one search as rows of a file.
export const asRows = (hits, said) => hits.map(({ hit, rank }) => ({ hit, rank, said: { ...said, query: labelled(said) } }));

export function setUpKept() {
  count();
  for (const button of $("kept-exports").children) button.addEventListener("click", () => exported(all(), button.dataset.export, "shortlist"));
  $("kept-clear").addEventListener("click", () => {
    const before = all();
    remember("kept", removed);
    removed = before;
    showKept();
  });
}
