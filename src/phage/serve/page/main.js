// Which view, and which server.
import { setUpChart, showChart } from "./chart.js";
import { checkNumber, checkText, setUpCheck, showCheck, takeCheckFile } from "./check.js";
import { $, ask, go, notice } from "./dom.js";
import { setUpGraph, showGraph, takeClaims } from "./graph.js";
import { setUpKept, showKept } from "./kept.js";
import { unpacked } from "./link.js";
import { forgetAll } from "./memory.js";
import { setUpSearch, showSearch, takeFile } from "./search.js";
import { setUpTheme } from "./theme.js";
import { setUpToken } from "./token.js";

const TITLES = { search: "Search", kept: "Shortlist", chart: "Compare", check: "Check", graph: "Claim graph" };
let searchable = true;

async function route() {
  const [path, rest = ""] = location.hash.replace(/^#\/?/, "").split("?");
  let [view, what = ""] = path.split("/");
  if (location.hash === "#main") return; // the link past the navigation
  if (!Object.hasOwn(TITLES, view)) view = searchable ? "search" : "check";
  if (!searchable && (view === "search" || view === "kept")) view = "check";
  try { what = decodeURIComponent(what); } catch { /* a hand-written address */ }
  notice(null);
  if ($(`view-${view}`).hidden) scrollTo({ top: 0 });
  for (const name of Object.keys(TITLES)) {
    $(`view-${name}`).hidden = name !== view;
    if (name === view) $(`tab-${name}`).setAttribute("aria-current", "page");
    else $(`tab-${name}`).removeAttribute("aria-current");
  }
  document.title = `${TITLES[view]} · PHAGE`;
  const said = new URLSearchParams(rest);
  try {
    const asked = location.hash;
    const shared = said.has("z") ? await unpacked(said.get("z")) : null;
    if (location.hash !== asked) return; // somewhere else by now
    if (view === "search") showSearch(what, said, shared);
    else if (view === "kept") showKept();
    else if (view === "chart") showChart();
    else if (view === "graph") showGraph(what);
    else if (shared) checkText(String(shared.text || ""), shared.office);
    else if (what) checkNumber(what);
    else showCheck();
    if (document.activeElement.closest("section[hidden]")) $("main").focus({ preventScroll: true });
  } catch (error) { notice(error); }
}

async function connect() {
  try {
    const health = await ask("/health");
    searchable = Boolean(health.index);
    const what = searchable ? `${health.patents.toLocaleString("en")} patents` : "no index: no search";
    $("status").textContent = `${what} · ${health.model}`;
    for (const id of ["tab-search", "tab-kept", "by-number", "similar", "check-similar"]) $(id).hidden = !searchable;
    $("summary").textContent = searchable ? `${health.patents.toLocaleString("en")} patents on this machine. Nothing you type leaves it.` : "";
    $("token-form").hidden = !health.token || Boolean(sessionStorage.getItem("token"));
  } catch (error) { $("status").textContent = "not connected"; notice(error); }
}

function drops() {
  let depth = 0;
  const carries = (event) => [...(event.dataTransfer?.types || [])].includes("Files");
  document.addEventListener("dragenter", (event) => { if (carries(event)) { depth += 1; $("drop").hidden = false; event.preventDefault(); } });
  document.addEventListener("dragleave", () => { depth = Math.max(0, depth - 1); if (!depth) $("drop").hidden = true; });
  document.addEventListener("dragover", (event) => { if (carries(event)) event.preventDefault(); });
  document.addEventListener("drop", (event) => {
    if (!carries(event)) return;
    event.preventDefault();
    depth = 0;
    $("drop").hidden = true;
    const file = event.dataTransfer.files[0];
    if (!file) return;
    if (!$("view-graph").hidden) takeClaims(file);
    else if (!$("view-check").hidden) takeCheckFile(file);
    else takeFile(file);
  });
}

setUpTheme();
setUpToken(() => route());
$("forget").addEventListener("click", () => {
  forgetAll();
  location.replace(location.pathname); // a fresh page: nothing is left in its fields either
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) && searchable) {
    event.preventDefault();
    if ($("view-search").hidden) go("#/search");
    $("query").focus();
  }
});
document.addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="#/"]');
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go(link.getAttribute("href"));
});
setUpSearch();
setUpKept();
setUpChart();
setUpCheck();
setUpGraph();
drops();
addEventListener("hashchange", route);
await connect();
route();
