// The search view: what was asked, what was found, and whether the one still fits the other.
import { $, ask, el, go, notice, onFile, readFile } from "./dom.js";
import { asFields, clearFacets, facets, narrowed, passing } from "./facets.js";
import { asks, CHOICES, filterCount, fromAddress, grow, paste, read, request, same, unpaste, write } from "./form.js";
import { card, labelOf, scaleOf } from "./hits.js";
import { asRows, exported } from "./kept.js";
import { shareLink } from "./link.js";
import { lookedUp, noted, recall, remember } from "./memory.js";
import { asText } from "./words.js";

const TOP = 200; // what is found; facets count these
const STEP = 25; // what is shown at once
const state = { search: null, said: null, shown: STEP, busy: false };
const narrow = matchMedia("(max-width: 900px)");

function settle() {
  const { busy } = state;
  const stale = !busy && Boolean(state.said) && !same(read(), state.search);
  $("results").classList.toggle("loading", busy && Boolean(state.said));
  $("results").classList.toggle("stale", stale);
  $("results").setAttribute("aria-busy", String(busy));
  $("go").textContent = busy ? "Searching …" : "Search";
  $("stale").hidden = !stale;
  $("facets").inert = $("found-actions").inert = busy || stale;
  $("filters-open").textContent = filterCount() ? `Filters (${filterCount()})` : "Filters";
}

export function showSearch(id, said, shared) {
  const search = shared || (String(said) ? fromAddress(said) : lookedUp(id));
  if (search) {
    write(search);
    const now = read();
    history.replaceState(null, "", `#/search/${noted(now)}`); // no words in addresses
    if (!same(now, state.search) || !state.said) run(now);
    else settle();
    return;
  }
  if (!state.said && recall("form")) write(recall("form"));
  grow();
  settle();
  $("query").focus();
}

let latest = 0;

async function run(search) {
  if (!asks(search)) { notice({ detail: "The query is empty.", remedy: "give some words, a claim, a patent number or a filter" }); return; }
  const mine = ++latest;
  notice(null);
  document.body.classList.remove("fresh");
  if ($("filters").contains(document.activeElement) && !document.activeElement.offsetParent) $("filters-open").focus(); // folded on a phone
  state.busy = true;
  settle();
  if (!state.said) $("summary").textContent = "Searching …";
  try {
    const said = await ask("/search", request(search, TOP));
    if (mine !== latest) return;
    said.search = noted(search); // so that a hit knows what it was found with
    Object.assign(state, { search, said, shown: STEP });
    clearFacets();
    if (narrow.matches) $("facets").replaceChildren(); // folded again: the hits are what was asked for
    show();
  } catch (error) {
    if (mine !== latest) return;
    Object.assign(state, { search: null, said: null });
    show();
    if (!$("view-search").hidden) notice(error);
  } finally {
    if (mine === latest) { state.busy = false; settle(); }
  }
}

function summary(said, hits) {
  const to = { text: "", claims: " to your claims", number: ` to ${said.query}`, fields: "" }[said.kind];
  const limits = said.filters ? ` with ${said.filters}` : "";
  if (!said.hits.length) return `Nothing was found${limits}. ${said.filters ? "Loosen the filters, or search with other words." : "Search with other words."}`;
  const many = narrowed() ? `${hits.length} of the ${said.hits.length}` : said.hits.length === TOP ? `The ${TOP}` : said.hits.length;
  const what = said.kind === "fields" ? "found" : `most similar${to}`;
  return `${many} ${what}${limits} · ${labelOf(said) || scaleOf(said)[1]}`;
}

const found = () => (state.said ? passing(state.said.hits) : []);

function show() {
  const said = state.said;
  const hits = found();
  $("summary").textContent = said ? summary(said, hits) : "";
  if (said?.warning) $("summary").append(" ", el("b", {}, `Note: ${said.warning}.`));
  $("found-actions").hidden = !hits.length;
  $("score-meaning").textContent = said ? scaleOf(said)[2] : "";
  $("score-note").hidden = !hits.length || !$("score-meaning").textContent;
  const best = Math.max(...hits.map((hit) => hit.score), 0);
  $("hits").replaceChildren(...hits.slice(0, state.shown).map((hit) => card(hit, said, best)));
  const left = hits.length - state.shown;
  $("more").hidden = left <= 0;
  $("more").textContent = `Show ${Math.min(STEP, left)} more of ${hits.length}`;
  const wasOpen = $("facets").querySelector("details")?.open ?? !narrow.matches;
  $("facets").replaceChildren(...(said ? facets(said.hits, { change, everywhere, close: toHits, open: wasOpen, left: hits.length }) : []));
}

function change(what) {
  state.shown = STEP;
  show();
  const again = what && [...$("facets").querySelectorAll("input, button")].find((one) => one.dataset.facet === what || `more ${one.dataset.more}` === what);
  (again || $("facets").querySelector("summary"))?.focus();
  if ($("hits").getBoundingClientRect().top < 0) $("results").scrollIntoView(); // the first of them, not the middle
}

function toHits() {
  $("facets").querySelector("details").open = false;
  $("hits").querySelector("h2 a").focus({ preventScroll: true });
  $("results").scrollIntoView();
}

function unfold(open) {
  $("filters").classList.toggle("open", open);
  $("filters-open").setAttribute("aria-expanded", String(open));
}

function everywhere() {
  write({ ...read(), ...asFields() });
  $("search-form").requestSubmit();
}

function more() {
  const first = state.shown;
  state.shown += STEP;
  show();
  $("hits").children[first]?.querySelector("h2 a").focus();
}

function submit() {
  const search = read();
  if (!asks(search)) { run(search); return; }
  const to = `#/search/${noted(search)}`;
  if (location.hash === to) run(search);
  else go(to);
}

export function searchWith(patent) {
  paste(patent, asText(patent));
  grow();
  submit();
}

export async function takeFile(file) {
  try {
    notice(null);
    searchWith(await readFile(file));
  } catch (error) { notice(error); }
}

export function setUpSearch() {
  document.body.classList.add("fresh");
  $("query").addEventListener("input", () => { unpaste(); grow(); });
  $("query").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); $("search-form").requestSubmit(); }
  });
  $("search-form").addEventListener("submit", (event) => { event.preventDefault(); unfold(false); submit(); });
  $("search-form").addEventListener("input", () => { remember("form", read()); settle(); });
  for (const id of CHOICES) $(id).addEventListener("change", () => { if ($("query").value.trim() || (state.said && asks(read()))) submit(); });
  $("filters-open").addEventListener("click", () => unfold($("filters-open").getAttribute("aria-expanded") === "false"));
  $("undo").addEventListener("click", () => { write(state.search); settle(); });
  $("more").addEventListener("click", more);
  onFile("search-file", takeFile);
  $("search-link").addEventListener("click", () => shareLink("search", state.search));
  for (const button of $("found-actions").querySelectorAll("[data-export]")) {
    button.addEventListener("click", () => exported(asRows(found().map((hit) => ({ hit, rank: state.said.hits.indexOf(hit) + 1 })), state.said), button.dataset.export, "hits"));
  }
  $("hits").addEventListener("keydown", (event) => { // j and k walk from hit to hit
    const step = { j: 1, k: -1 }[event.key];
    const here = step && event.target.closest(".hit");
    (step > 0 ? here?.nextElementSibling : here?.previousElementSibling)?.querySelector("h2 a").focus();
  });
}
