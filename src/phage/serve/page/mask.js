// The attention mask: row reads column. What guided attention may see, claim by claim.
import { draw, el, tip } from "./dom.js";
import { RELATIONS, says } from "./forest.js";

export function mask(answer, view, hidden) {
  const { numbers, table, open } = answer.mask;
  const n = numbers.length + 1; // [CLS] is a node too
  const size = Math.max(7, Math.min(30, Math.floor(760 / n)));
  const edge0 = 34;
  const side = size * n;
  const byPair = new Map(answer.graph.edges.map((edge) => [`${edge.target}:${edge.source}`, edge]));
  const kindAt = (i, j) => {
    if (i === 0) return "free";
    if (j === 0) return open ? "free" : "";
    const code = table[i - 1][j - 1];
    if (i === j) return "self";
    if (open) return "free";
    return code && !hidden.has(RELATIONS[code - 1]) ? RELATIONS[code - 1] : "";
  };
  const name = (place) => (place ? `claim ${numbers[place - 1]}` : "[CLS]");
  const width = edge0 + side + 14; // half of the last label stands out
  const picture = draw("svg", { viewBox: `0 0 ${width} ${edge0 + side + 26}`, width, role: "img",
    "aria-label": `attention mask of ${numbers.length} claims; row reads column` },
  draw("rect", { class: "ground", x: edge0, y: edge0, width: side, height: side }));
  let seen = 0;
  for (let i = 0; i < n; i += 1) {
    for (let j = 0; j < n; j += 1) {
      const kind = kindAt(i, j);
      if (!kind) continue;
      seen += 1;
      picture.append(draw("rect", { class: `cell ${kind}`, x: edge0 + j * size, y: edge0 + i * size, width: size, height: size, rx: size > 14 ? 2 : 0 }));
    }
  }
  const shown = (place, room) => !place || (place - 1) % Math.ceil(room / size) === 0;
  for (let place = 0; place < n; place += 1) {
    const text = place ? String(numbers[place - 1]) : "CLS";
    const middle = edge0 + (place + 0.5) * size;
    if (shown(place, 13)) picture.append(draw("text", { x: edge0 - 6, y: middle + 3.5, "text-anchor": "end" }, text));
    const at = place ? { x: middle, "text-anchor": "middle" } : { x: edge0 + size / 2 - 2, "text-anchor": "end" };
    if (shown(place, n > 100 ? 26 : 20)) picture.append(draw("text", { ...at, y: edge0 - 7 }, text));
  }
  const cross = [draw("rect", { class: "cross", height: size, width: side, x: edge0 }), draw("rect", { class: "cross", width: size, height: side, y: edge0 })];
  const spot = draw("rect", { class: "spot", width: size, height: size, rx: 2 });
  const hover = draw("g", { visibility: "hidden" }, cross, spot);
  picture.append(hover);

  const cell = (event) => {
    const box = picture.getBoundingClientRect();
    const scale = width / box.width;
    const j = Math.floor(((event.clientX - box.left) * scale - edge0) / size);
    const i = Math.floor(((event.clientY - box.top) * scale - edge0) / size);
    return i >= 0 && j >= 0 && i < n && j < n ? [i, j] : null;
  };
  const edgeAt = ([i, j]) => (i && j ? byPair.get(`${numbers[i - 1]}:${numbers[j - 1]}`) : undefined);
  const leave = () => { hover.setAttribute("visibility", "hidden"); tip(null); view.peek(null); };
  picture.addEventListener("pointermove", (event) => {
    const found = cell(event);
    if (!found) { leave(); return; }
    const [i, j] = found;
    hover.setAttribute("visibility", "visible");
    cross[0].setAttribute("y", edge0 + i * size);
    cross[1].setAttribute("x", edge0 + j * size);
    spot.setAttribute("x", edge0 + j * size);
    spot.setAttribute("y", edge0 + i * size);
    const kind = kindAt(i, j);
    const edge = kind && kind !== "free" && kind !== "self" ? edgeAt(found) : undefined;
    const verdict = { "": "may not read", free: "reads", self: "reads its own words:" }[kind] ?? "reads";
    tip(event, kind === "self" ? `${name(i)} reads its own words` : `${name(i)} ${verdict} ${name(j)}${edge ? ` · ${edge.relation}` : ""}`, edge ? says(edge) : "");
    view.peek(edge ? { edge } : i ? { claim: numbers[i - 1] } : null);
  });
  picture.addEventListener("pointerleave", leave);
  picture.addEventListener("click", (event) => {
    const found = cell(event);
    if (!found) return;
    const edge = kindAt(...found) ? edgeAt(found) : undefined;
    if (edge) view.choose({ edge });
    else if (found[0]) view.choose({ claim: numbers[found[0] - 1] });
  });
  const legend = el("div", { class: "legend" },
    el("span", {}, "A row is a claim that reads; a column is a claim that is read."),
    el("span", {}, el("i", { class: "self" }), "own words"), el("span", {}, el("i", { class: "free" }), "open, no bias"),
    el("span", {}, el("i", { class: "closed" }), "closed"),
    el("span", { class: "share" }, open ? "No edges: attention is unconstrained." : `${((100 * seen) / (n * n)).toFixed(0)} % of the pairs are open.`));
  return el("div", { class: "mask" }, legend, el("div", { class: "slide", tabindex: "0", role: "group", "aria-label": "Attention mask" }, picture));
}
