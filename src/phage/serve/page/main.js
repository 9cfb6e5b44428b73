// Which view, which colours, which server.
import { $, ask, notice, whenTokenIsWanted } from "./dom.js";
import { setUpGraph, showGraph, takeClaims } from "./graph.js";
import { setUpSearch, showSearch, takeFile } from "./search.js";

const dark = matchMedia("(prefers-color-scheme: dark)");
const THEMES = ["auto", "light", "dark"];
const stored = () => { try { return localStorage.getItem("theme") || "auto"; } catch { return "auto"; } };

function paint() {
  const theme = stored();
  document.documentElement.dataset.theme = theme === "auto" ? (dark.matches ? "dark" : "light") : theme;
  $("theme").setAttribute("aria-label", `Colours: ${theme === "auto" ? "as the system" : theme}`);
  $("theme").title = $("theme").getAttribute("aria-label");
}

let searchable = true;

function route() {
  const [path, rest = ""] = (location.hash.replace(/^#/, "") || (searchable ? "/search" : "/graph")).split("?");
  const graph = path.startsWith("/graph") || !searchable;
  notice(null);
  $("view-search").hidden = graph;
  $("view-graph").hidden = !graph;
  for (const [id, on] of [["tab-search", !graph], ["tab-graph", graph]]) {
    if (on) $(id).setAttribute("aria-current", "page");
    else $(id).removeAttribute("aria-current");
  }
  document.title = graph ? "Claim graph · PHAGE" : "Search · PHAGE";
  let number = path.split("/")[2] || "";
  try { number = decodeURIComponent(number); } catch { /* a hand-written address */ }
  if (graph) showGraph(number);
  else showSearch(new URLSearchParams(rest));
}

async function connect() {
  try {
    const health = await ask("/health");
    searchable = Boolean(health.index);
    const what = searchable ? `${health.patents.toLocaleString("en")} patents` : "no index: graphs only";
    $("status").textContent = `${what} · ${health.model}`;
    $("tab-search").hidden = !searchable;
    $("by-number").hidden = !searchable;
    $("similar").hidden = !searchable;
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
    if (file) ($("view-graph").hidden ? takeFile : takeClaims)(file);
  });
}

paint();
dark.addEventListener("change", paint);
$("theme").addEventListener("click", () => {
  const next = THEMES[(THEMES.indexOf(stored()) + 1) % 3];
  try { localStorage.setItem("theme", next); } catch { /* private windows may refuse */ }
  paint();
});
whenTokenIsWanted(() => { sessionStorage.removeItem("token"); $("token-form").hidden = false; });
$("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("token", $("token").value);
  $("token").value = "";
  $("token-form").hidden = true;
  route();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) && searchable) {
    event.preventDefault();
    if ($("view-search").hidden) location.hash = "#/search";
    $("query").focus();
  }
});
setUpSearch();
setUpGraph();
drops();
addEventListener("hashchange", route);
await connect();
route();
