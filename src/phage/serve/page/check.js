// The check view: claims as they are typed, and what an examiner would say about them.
import { $, ask, copy, el, notice, onFile, readFile, save, tip } from "./dom.js";
import { drawText } from "./graph.js";
import { shareLink } from "./link.js";
import { recall, remember } from "./memory.js";
import { claimSections, select } from "./notes.js";
import { searchWith } from "./search.js";
import { asText } from "./words.js";

const EXAMPLE = `1. A pump, comprising: a housing; a shaft mounted in the housing; and the rotor fixed to the shaft.

2. The pump of claim 1, further comprising a first bearing and a second bearing, wherein the bearing is magnetic.

3. The pump of claim 1 or 2, wherein the first bearing supports the shaft.

4. The device of claim 2, wherein the shaft is preferably hollow

5. The pump of claim 9, wherein a lid closes the housing.

6. The pump of claim 1, wherein a housing is made of steel, and wherein the housing is about 5 mm thick.`;
const WAIT = 350; // milliseconds without a key before the claims are checked
const LEVELS = ["error", "warning", "note"];
const plural = (n, name) => `${n} ${name}${n === 1 ? "" : "s"}`;

const state = { answer: null, asked: "", description: "", hidden: new Set(), timer: 0, latest: 0, stop: null };

// The box holds the claims of an opened draft; its description decides on terms of degree.
const asked = () => ({
  text: $("check-text").value, office: $("check-office").value, strict: $("check-strict").checked, description: state.description,
});
const keep = () => remember("check", asked()) || remember("check", { ...asked(), description: "" }); // it may be too long

function mark(which) { // fresh, waiting for the next pause, or being checked
  tip(null); // it may point at a word that is gone
  $("report").classList.toggle("stale", which !== "fresh");
  $("report").setAttribute("aria-busy", String(which === "busy"));
  if (which !== "fresh") $("check-summary").textContent = "Checking …";
}

function typed() {
  if (location.hash !== "#/check") history.replaceState(null, "", "#/check"); // no longer the patent of that number
  if (!$("check-text").value) forget();
  keep();
  mark("waiting");
  state.latest += 1; // an answer to the older text would look like one to this
  clearTimeout(state.timer);
  state.timer = setTimeout(check, WAIT);
}

async function check() {
  clearTimeout(state.timer);
  const body = asked();
  const mine = ++state.latest;
  state.stop?.abort();
  if (!body.text.trim()) { state.answer = null; state.asked = ""; notice(null); show(); return; }
  state.stop = new AbortController();
  mark("busy");
  try {
    const answer = await ask("/check", body, state.stop.signal);
    if (mine !== state.latest) return;
    Object.assign(state, { answer, asked: JSON.stringify(body) });
    if (!$("view-check").hidden) notice(null);
    show();
  } catch (error) {
    if (mine !== state.latest || error.name === "AbortError") return;
    Object.assign(state, { answer: null, asked: "" });
    show();
    if (!$("view-check").hidden) notice(error);
  }
}

function show() {
  mark("fresh");
  const answer = state.answer;
  for (const id of ["check-graph", "check-similar", "check-link", "check-json"]) $(id).disabled = !answer;
  if (!answer) {
    $("check-summary").textContent = "Nothing to check yet.";
    $("severities").replaceChildren();
    $("check-claims").replaceChildren();
    $("check-notice").textContent = "";
    $("check-next").hidden = true;
    return;
  }
  const { report, claims } = answer;
  const n = report.findings.length;
  $("check-summary").textContent = `${n ? plural(n, "finding") : "No findings"} in ${plural(claims.length, "claim")}`;
  $("severities").replaceChildren(...LEVELS.map((level) => el("button", {
    type: "button", class: level, "data-level": level, "aria-pressed": String(!state.hidden.has(level)),
    onclick: () => { if (!state.hidden.delete(level)) state.hidden.add(level); show(); $("severities").querySelector(`[data-level="${level}"]`).focus(); },
  }, plural(report.counts[level], level))));
  $("check-next").hidden = !report.findings.some((finding) => !state.hidden.has(finding.severity));
  $("check-claims").replaceChildren(...claimSections(answer, state.hidden, { toText, copy }));
  $("check-notice").textContent = `Office: ${report.offices.join(", ")} · rules of ${report.rules} · language: ${report.language}. ${report.notice}`;
}

// Find words of a claim in the text box: white space may differ there.
function toText(claim, start, end) {
  if ($("check-editor").hidden) return;
  const words = Array.from(claim.text);
  const loose = (text) => text.trim().split(/\s+/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("\\s+");
  const text = $("check-text").value;
  const whole = new RegExp(loose(claim.text), "u").exec(text);
  if (!whole) return;
  const before = words.slice(0, start).join("");
  const head = before.trim() ? new RegExp(`^${loose(before)}\\s*`, "u").exec(whole[0])?.[0].length ?? 0 : 0;
  const length = new RegExp(`^${loose(words.slice(start, end).join(""))}`, "u").exec(whole[0].slice(head))?.[0].length ?? 0;
  select($("check-text"), whole.index + head, whole.index + head + length);
}

function forget() { // whose claims they were
  state.description = "";
  $("check-title").textContent = "Check claims";
}

export function fillCheck(patent) {
  $("check-text").value = asText(patent);
  $("check-title").textContent = `Check ${patent.title || patent.number}`;
  state.description = patent.description || "";
  keep();
}

export function checkText(text, office) {
  $("check-text").value = text;
  forget();
  if ([...$("check-office").options].some((one) => one.value === office)) $("check-office").value = office;
  keep();
  history.replaceState(null, "", "#/check"); // no words in addresses
  check();
}

export async function checkNumber(number) {
  const mine = ++state.latest;
  mark("busy");
  try {
    const patent = await ask(`/patents/${encodeURIComponent(number)}`);
    if (mine !== state.latest) return;
    fillCheck({ ...patent, title: `${patent.number} ${patent.title}` });
    check();
  } catch (error) {
    if (mine !== state.latest) return;
    show();
    if (!$("view-check").hidden) notice(error);
  }
}

export function showCheck() {
  if (!$("check-text").value && recall("check")) {
    const { text, office, strict, description } = recall("check");
    state.description = description || "";
    $("check-text").value = text;
    $("check-office").value = office;
    $("check-strict").checked = strict;
  }
  if (JSON.stringify(asked()) !== state.asked) check();
  if (!$("check-text").value) $("check-text").focus();
}

export async function takeCheckFile(file) {
  try {
    notice(null);
    fillCheck(await readFile(file));
    check();
  } catch (error) { notice(error); }
}

// From one finding to the next, and from the last to the first.
function next() {
  const all = [...$("check-claims").querySelectorAll(".remark")];
  const here = all.findIndex((one) => one.classList.contains("here"));
  all[here]?.classList.remove("here");
  const there = all[(here + 1) % all.length];
  there.classList.add("here");
  there.scrollIntoView({ block: "center" });
  there.querySelector(".jump").focus({ preventScroll: true });
}

export function setUpCheck() {
  $("check-next").addEventListener("click", next);
  $("check-text").addEventListener("input", typed);
  for (const id of ["check-office", "check-strict"]) $(id).addEventListener("change", () => { keep(); check(); });
  onFile("check-file", takeCheckFile);
  $("check-example").addEventListener("click", () => checkText(EXAMPLE));
  $("check-edit").addEventListener("click", () => {
    const open = $("check-editor").hidden;
    $("check-editor").hidden = !open;
    $("check-work").classList.toggle("wide", !open);
    $("check-edit").setAttribute("aria-pressed", String(open));
  });
  $("check-graph").addEventListener("click", () => drawText($("check-text").value));
  $("check-similar").addEventListener("click", () => searchWith(state.answer));
  $("check-link").addEventListener("click", () => shareLink("check", { text: $("check-text").value, office: $("check-office").value }));
  $("check-json").addEventListener("click", () => save("check.json", "application/json", `${JSON.stringify(state.answer.report, null, 2)}\n`));
}
