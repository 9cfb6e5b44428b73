// Narrowing what was found: office, class, assignee, year. Nothing is asked again for it.
import { el } from "./dom.js";

const FEW = 7;
const once = (values) => [...new Set(values.filter(Boolean))];
const GROUPS = {
  office: (hit) => once([hit.office]),
  IPC: (hit) => once(hit.ipc.map((code) => code.split(" ")[0])),
  assignee: (hit) => once(hit.assignees),
  year: (hit) => once([hit.publication_date.slice(0, 4)]),
};
const chosen = new Map();
const opened = new Set();

export const clearFacets = () => { chosen.clear(); opened.clear(); };
export const narrowed = () => [...chosen.values()].some((values) => values.size);

const passes = (hit, except) => [...chosen].every(([name, values]) =>
  name === except || !values.size || GROUPS[name](hit).some((value) => values.has(value)));

export const passing = (hits) => hits.filter((hit) => passes(hit));

// The choices as fields of the form, where each of them can be one.
export function asFields() {
  const values = (name) => [...(chosen.get(name) || [])].sort();
  const fields = {};
  if (values("office").length) fields.office = values("office")[0];
  if (values("IPC").length) fields.ipc = values("IPC")[0];
  if (values("assignee").length) fields.assignee = values("assignee")[0];
  if (values("year").length) { fields.from = values("year")[0]; fields.to = values("year").at(-1); }
  return fields;
}
const single = () => ["office", "IPC", "assignee"].every((name) => (chosen.get(name)?.size || 0) <= 1);

function counted(hits, name) {
  const counts = new Map([...(chosen.get(name) || [])].map((value) => [value, 0]));
  for (const hit of hits) if (passes(hit, name)) for (const value of GROUPS[name](hit)) counts.set(value, (counts.get(value) || 0) + 1);
  const order = name === "year" ? (a, b) => b[0].localeCompare(a[0]) : (a, b) => b[1] - a[1] || a[0].localeCompare(b[0]);
  return [...counts].sort(order);
}

function choice(name, value, count, change) {
  const mine = chosen.get(name);
  return el("li", {}, el("label", {}, el("input", {
    type: "checkbox", checked: mine?.has(value), "data-facet": `${name}:${value}`,
    onchange: (event) => {
      if (!chosen.has(name)) chosen.set(name, new Set());
      if (event.target.checked) chosen.get(name).add(value);
      else chosen.get(name).delete(value);
      change(`${name}:${value}`);
    },
  }), el("span", { class: "value", title: value }, value), el("span", { class: "n" }, String(count))));
}

function group(hits, name, change) {
  const all = counted(hits, name);
  if (!all.length) return null;
  const shown = opened.has(name) ? all : all.slice(0, FEW);
  const more = all.length - FEW;
  return el("fieldset", {}, el("legend", {}, name), el("ul", {}, shown.map(([value, count]) => choice(name, value, count, change))),
    more > 0 ? el("button", { type: "button", class: "quiet", "data-more": name, onclick: () => {
      if (opened.has(name)) opened.delete(name);
      else opened.add(name);
      change(`more ${name}`);
    } }, opened.has(name) ? "fewer" : `${more} more`) : null);
}

export function facets(hits, { change, everywhere, close, open, left }) {
  const groups = Object.keys(GROUPS).map((name) => group(hits, name, change)).filter(Boolean);
  if (!groups.length) return [];
  const tools = narrowed() ? el("div", { class: "facet-tools" },
    el("button", { type: "button", id: "facets-clear", onclick: () => { clearFacets(); change(); } }, "Clear"),
    el("button", { type: "button", id: "facets-everywhere", disabled: !single(), onclick: everywhere, title: "Search the whole index with these limits, not only these hits" }, "Search all")) : null;
  return [el("details", { open }, el("summary", {}, "Narrow down"), tools, groups,
    left ? el("button", { type: "button", class: "primary show", onclick: close }, `Show ${left} hit${left === 1 ? "" : "s"}`) : null)];
}
