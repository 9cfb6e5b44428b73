// Claims with the words of findings marked, notes in the margin, and what each mention takes up.
import { $, el, tip } from "./dom.js";
import { asRead, elementList } from "./reading.js";

const STEPS = {
  exact: "the same words", number: "singular and plural, or another spelling", claimed: "the claimed thing itself", shorter: "a shorter name",
  abbreviation: "an abbreviation", derived: "derived from other words", inherent: "an inherent part", "not-needed": "needs no introduction",
  qualified: "with a new qualifier", none: "not introduced",
};

export function select(box, start, end) {
  box.focus({ preventScroll: true });
  box.setSelectionRange(start, end);
  const lines = box.value.slice(0, start).length / Math.max(1, box.value.length);
  box.scrollTop = Math.max(0, lines * box.scrollHeight - box.clientHeight / 2);
}

// Cut a claim wherever something begins or ends; each piece knows what covers it.
function pieces(claim, findings, introduced) {
  const signs = Array.from(claim.text);
  const spans = [...findings, ...claim.mentions, ...introduced];
  const cuts = [...new Set([0, signs.length, ...spans.flatMap((span) => [span.start, span.end])])].filter((at) => at <= signs.length).sort((a, b) => a - b);
  return cuts.slice(0, -1).map((start, place) => {
    const end = cuts[place + 1];
    const over = (span) => span.start <= start && end <= span.end;
    return { start, end, text: signs.slice(start, end).join(""), findings: findings.filter(over), mention: claim.mentions.find(over) };
  });
}

const within = (number) => $("check-claims").querySelector(`[data-claim="${number}"]`);

function light(places) {
  for (const piece of $("check-claims").querySelectorAll(".lit")) piece.classList.remove("lit");
  for (const place of places) {
    for (const piece of within(place.claim)?.querySelectorAll("[data-start]") || []) {
      if (Number(piece.dataset.start) >= place.start && Number(piece.dataset.end) <= place.end) piece.classList.add("lit");
    }
  }
}

function told(mention, texts) {
  const from = mention.antecedents.map((one) => `claim ${one.claim}: “${Array.from(texts.get(one.claim) || "").slice(one.start, one.end).join("")}”`);
  const how = STEPS[mention.step] || mention.step;
  if (!from.length) return [mention.step === "not-needed" ? "needs no introduction" : "not introduced before", mention.term];
  return [`${mention.ambiguous ? "may mean" : "introduced in"} ${from.join(" or ")}`, how];
}

function piece(one, claim, context) {
  const worst = one.findings[0];
  if (!worst && !one.mention) return el("span", { "data-start": one.start, "data-end": one.end }, one.text);
  const open = (event) => {
    const [title, more] = worst && !one.mention?.antecedents.length ? [worst.message, worst.suggestion] : told(one.mention, context.texts);
    tip(event, title, more);
    light(one.mention?.antecedents || []);
  };
  const close = () => { tip(null); light([]); };
  return el(worst ? "mark" : "span", {
    class: worst ? `word ${worst.severity}` : "word", role: "button", tabindex: "-1", "data-start": one.start, "data-end": one.end,
    "aria-describedby": "tip", onpointerenter: open, onpointerleave: close, onfocus: open, onblur: close,
    onclick: () => {
      const note = worst && within(claim.number).querySelector(`[data-note="${context.place.get(worst)}"] .jump`);
      if (note) note.focus();
      else if (one.mention?.antecedents.length) jump(one.mention.antecedents[0], context);
    },
  }, one.text);
}

function jump(place, context) {
  within(place.claim)?.scrollIntoView({ block: "nearest" });
  light([place]);
  const claim = context.claims.find((one) => one.number === place.claim);
  if (claim) context.view.toText(claim, place.start, place.end);
}

function note(finding, context) {
  const claimOf = (place) => el("li", {}, el("button", { type: "button", class: "jump quiet", onclick: () => jump(place, context), onpointerenter: () => light([place]), onpointerleave: () => light([]) },
    `claim ${place.claim}: ${place.text}`));
  return el("div", { class: `remark ${finding.severity}`, "data-note": context.place.get(finding), onpointerenter: () => light([finding]), onpointerleave: () => light([]) },
    el("p", {}, el("b", {}, finding.severity), " ", el("button", { type: "button", class: "jump", onclick: () => jump(finding, context), onfocus: () => light([finding]), onblur: () => light([]) }, finding.text || `claim ${finding.claim}`)),
    el("p", {}, finding.message), finding.suggestion ? el("p", { class: "advice" }, `→ ${finding.suggestion}`) : null,
    finding.related.length ? el("ul", {}, finding.related.slice(0, 4).map(claimOf)) : null,
    el("small", {}, `${finding.rule}: ${finding.source}`));
}

// One stop of the Tab key per claim; the arrow keys walk its words.
function walk(event) {
  const words = [...event.currentTarget.querySelectorAll(".word")];
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const here = words.indexOf(document.activeElement);
  if (step && words[here + step]) {
    event.preventDefault();
    words[here].tabIndex = -1;
    words[here + step].tabIndex = 0;
    words[here + step].focus();
  } else if ((event.key === "Enter" || event.key === " ") && here >= 0) { event.preventDefault(); words[here].click(); }
}

function unfold(name, make) {
  const button = el("button", { type: "button", class: "quiet", "aria-expanded": "false", onclick: () => {
    const open = button.getAttribute("aria-expanded") === "false";
    button.setAttribute("aria-expanded", String(open));
    if (open) button.parentElement.parentElement.append(button.shown = make());
    else button.shown.remove();
  } }, name);
  return button;
}

function section(claim, findings, context) {
  const introduced = context.introduced.filter((place) => place.claim === claim.number);
  const text = el("p", { class: "claim-words", onkeydown: walk }, pieces(claim, findings, introduced).map((one) => piece(one, claim, context)));
  const first = text.querySelector(".word");
  if (first) first.tabIndex = 0;
  const parents = claim.references.flatMap((one) => one.parents);
  const broken = claim.references.some((one) => one.broken.length) && !parents.length;
  const kind = broken ? "broken reference" : parents.length ? `depends on claim${parents.length > 1 ? "s" : ""} ${parents.length > 6 ? `${parents[0]} … ${parents.at(-1)}` : parents.join(", ")}` : "independent";
  return el("section", { class: `claim${broken ? " broken" : ""}`, "data-claim": claim.number, "aria-label": `Claim ${claim.printed}` },
    el("div", {}, el("h2", {}, `Claim ${claim.printed}`, el("span", { class: "chip" }, kind)), text,
      el("div", { class: "unfold" }, parents.length ? unfold("As read", () => asRead(claim, context)) : null,
        claim.elements.length > 1 ? unfold(`Elements (${claim.elements.length})`, () => elementList(claim)) : null)),
    el("div", { class: "margin" }, findings.map((finding) => note(finding, context)),
      claim.unchecked ? el("p", { class: "hint" }, `Antecedents not checked, because ${claim.unchecked}.`) : null));
}

export function claimSections(answer, hidden, view) {
  const all = answer.report.findings;
  const context = {
    claims: answer.claims, view, texts: new Map(answer.claims.map((claim) => [claim.number, claim.text])),
    place: new Map(all.map((finding, place) => [finding, place])),
    introduced: answer.claims.flatMap((claim) => claim.mentions.flatMap((mention) => mention.antecedents)),
  };
  const shown = all.filter((finding) => !hidden.has(finding.severity));
  const sections = answer.claims.map((claim) => section(claim, shown.filter((finding) => finding.claim === claim.number), context));
  const elsewhere = shown.filter((finding) => !context.texts.has(finding.claim));
  if (elsewhere.length) sections.unshift(el("section", { class: "claim" }, el("div", {}), el("div", { class: "margin" }, elsewhere.map((finding) => note(finding, context)))));
  return sections;
}
