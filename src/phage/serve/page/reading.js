// A claim as the law reads it: with the words of the claims it depends on; and as a list of elements.
import { el } from "./dom.js";

const signs = (text, start, end) => Array.from(text).slice(start, end).join("");

export function elementList(claim) {
  return el("ol", { class: "elements" }, claim.elements.map(({ start, end }) => el("li", {}, signs(claim.text, start, end))));
}

// The claims a claim depends on, the first one first; `through` chooses among alternatives.
function chain(claim, context, through) {
  const path = [claim];
  const seen = new Set([claim.number]);
  for (let here = claim; ;) {
    const parents = here.references.flatMap((one) => one.parents);
    const next = parents.includes(through.get(here.number)) ? through.get(here.number) : parents[0];
    if (next === undefined || seen.has(next)) return path.reverse();
    seen.add(next);
    here = context.claims.find((one) => one.number === next);
    path.push(here);
  }
}

// What a dependent adds: the words behind its reference.
function added(claim) {
  const reference = claim.references.find((one) => one.parents.length);
  const end = !reference || reference.kind === "cross-category" ? 0 : reference.end;
  const rest = signs(claim.text, end).replace(/^[\s,;:、，]+/, "");
  return rest.length > 1 ? rest : claim.text;
}

export function asRead(claim, context) {
  const through = new Map();
  const box = el("div", { class: "as-read" });
  const show = () => {
    const path = chain(claim, context, through);
    const lines = path.map((one, place) => (place ? added(one) : one.text));
    const choices = path.filter((one) => new Set(one.references.flatMap((reference) => reference.parents)).size > 1);
    box.replaceChildren(
      el("p", { class: "hint" }, `Claim ${claim.printed} as read through claim${path.length > 2 ? "s" : ""} ${path.slice(0, -1).map((one) => one.printed).join(", ")}`),
      ...choices.map((one) => el("label", { class: "hint" }, `Read claim ${one.printed} through claim `, el("select", { onchange: (event) => { through.set(one.number, Number(event.target.value)); show(); box.querySelector("select")?.focus(); } },
        [...new Set(one.references.flatMap((reference) => reference.parents))].map((parent) => el("option", { value: parent, selected: path.some((other) => other.number === parent) }, String(parent)))))),
      el("ol", {}, path.map((one, place) => el("li", {}, el("span", { class: "chip" }, String(one.printed)), " ", lines[place]))),
      el("button", { type: "button", class: "quiet", onclick: () => context.view.copy(lines.join("\n"), `Claim ${claim.printed} copied as read.`) }, "Copy"));
  };
  show();
  return box;
}
