// The search form as one plain value, and back.
import { $ } from "./dom.js";

const FIELDS = { ipc: "f-ipc", assignee: "f-assignee", from: "f-from", to: "f-to", office: "f-office", language: "f-lang", level: "f-level", rank: "f-rank" };
const DEFAULTS = { level: "patent", rank: "hybrid" };
let pasted = null; // claims of a file or a graph, searched with instead of the words

export const CHOICES = ["f-lang", "f-level", "f-rank", "f-families"]; // these search at once

export function grow() {
  const box = $("query");
  box.style.height = "auto";
  box.style.height = `${Math.min(240, box.scrollHeight)}px`;
}

export function paste(patent, text) {
  pasted = patent.claims.slice(0, 600).map(({ number, text: words }) => ({ number, text: words }));
  $("query").value = text;
}

export const unpaste = () => { pasted = null; };

export function read() {
  const search = { query: $("query").value.trim(), claims: pasted, families: $("f-families").checked };
  for (const [name, id] of Object.entries(FIELDS)) search[name] = $(id).value.trim();
  return search;
}

export function write(search) {
  $("query").value = typeof search.query === "string" ? search.query : "";
  pasted = Array.isArray(search.claims) && search.claims.length ? search.claims : null;
  for (const [name, id] of Object.entries(FIELDS)) $(id).value = search[name] || DEFAULTS[name] || "";
  for (const [name, value] of Object.entries(DEFAULTS)) if (!$(FIELDS[name]).value) $(FIELDS[name]).value = value;
  $("f-families").checked = Boolean(search.families);
  grow();
}

export const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

function filter(search) {
  const parts = [];
  if (search.ipc) parts.push(`ipc:${search.ipc.replace(/\s+/g, "")}`);
  if (search.assignee) parts.push(`assignee:"${search.assignee.replaceAll('"', "")}"`);
  if (search.from || search.to) parts.push(`date:${search.from}..${search.to}`);
  if (search.office) parts.push(`office:${search.office}`);
  if (search.language) parts.push(`language:${search.language}`);
  return parts.join(" ");
}

export function request(search, top) {
  const body = { filter: filter(search), rank: search.rank, level: search.level, families: search.families, top };
  if (search.claims) body.claims = search.claims;
  else body.query = search.query;
  return body;
}

// How many filters differ from an empty form.
export function filterCount() {
  const search = read();
  const set = ["ipc", "assignee", "office", "language", "families"].filter((name) => search[name]).length;
  return set + (search.from || search.to ? 1 : 0) + Object.keys(DEFAULTS).filter((name) => search[name] !== DEFAULTS[name]).length;
}

export const asks = (search) => Boolean(search.query || search.claims || filter(search));

// An address that a person wrote: #/search?q=a+pump&ipc=F04B
export function fromAddress(said) {
  const search = { query: said.get("q") || "", claims: null, families: said.has("families") };
  for (const name of Object.keys(FIELDS)) search[name] = said.get(name) || DEFAULTS[name] || "";
  return search;
}
