// Light, dark, or as the system has it.
import { $ } from "./dom.js";

const dark = matchMedia("(prefers-color-scheme: dark)");
const THEMES = ["auto", "light", "dark"];
const stored = () => { try { return localStorage.getItem("theme") || "auto"; } catch { return "auto"; } };

function paint() {
  const theme = stored();
  document.documentElement.dataset.theme = theme === "auto" ? (dark.matches ? "dark" : "light") : theme;
  $("theme").setAttribute("aria-label", `Colours: ${theme === "auto" ? "as the system" : theme}`);
  $("theme").title = $("theme").getAttribute("aria-label");
}

export function setUpTheme() {
  paint();
  dark.addEventListener("change", paint);
  $("theme").addEventListener("click", () => {
    const next = THEMES[(THEMES.indexOf(stored()) + 1) % 3];
    try { localStorage.setItem("theme", next); } catch { /* private windows may refuse */ }
    paint();
  });
}
