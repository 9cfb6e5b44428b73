"use strict";
// Points are written straight into the pixels of a canvas: one way for every browser, no GPU needed.
const el = (id) => document.getElementById(id);
const stage = el("stage"), points = el("points"), labels = el("labels"), tip = el("tip");
const KINDS = ["#4269d0", "#e8872b", "#2f9e64", "#d6409f", "#8a5cd6", "#b88a00", "#17a2b8", "#d1495b",
  "#7a8f2a", "#a05d3b", "#5b8def"];
const YEARS = ["#4b2a8c", "#45429b", "#3a59a0", "#2f6f9f", "#27849b", "#239994", "#2fae86", "#55c16f",
  "#87d14f", "#bdda33", "#ecd92e"];
const OTHER = "#8a94a0", CELLS = 96, PAGE = 200;
let N = 0, X, Y, head, texts, lower = null, groups = [], order, starts;
let colour = 0, hidden = new Set(), matched = null, picked = null, marked = -1, shown = PAGE, listed = [];
let view = { x: 0.5, y: 0.5, size: 1.06 }, range = [0, 0, 1, 1], asked = false, mode = "move", lasso = null;

async function load() {
  const spelled = atob(el("data").textContent);
  const bytes = Uint8Array.from(spelled, (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const buffer = await new Response(stream).arrayBuffer();
  const length = new DataView(buffer).getUint32(0, true);
  head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  N = head.count;
  let at = 4 + length;
  X = new Uint16Array(buffer, at, N); at += 2 * N;
  Y = new Uint16Array(buffer, at, N); at += 2 * N;
  for (const _ of head.colours) { groups.push(new Uint8Array(buffer, at, N)); at += N; }
  texts = N ? new TextDecoder().decode(new Uint8Array(buffer, at)).split("\n") : [];
  bucket();
  if (N) range = [X.reduce(low), Y.reduce(low), X.reduce(high), Y.reduce(high)].map((value) => value / 65535);
  el("count").textContent = `${N.toLocaleString("en")} patents`;
  head.colours.forEach((one, place) => el("colour").add(new Option(one.name, place)));
  legend(); list([]); resize(); whole();
  addEventListener("resize", resize);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", resize);
  document.body.inert = false;  // before this, there is nothing to point at
}
const low = (a, b) => Math.min(a, b), high = (a, b) => Math.max(a, b);

// Points sorted by cell: what is out of view is skipped, and what is near is found at once.
function cell(value) { return Math.min(CELLS - 1, Math.max(0, Math.floor(value / 65536 * CELLS))); }
function bucket() {
  starts = new Uint32Array(CELLS * CELLS + 1);
  for (let n = 0; n < N; n++) starts[cell(Y[n]) * CELLS + cell(X[n]) + 1]++;
  for (let c = 0; c < CELLS * CELLS; c++) starts[c + 1] += starts[c];
  const next = starts.slice();
  order = new Uint32Array(N);
  for (let n = 0; n < N; n++) order[next[cell(Y[n]) * CELLS + cell(X[n])]++] = n;
}
function* rows(x0, y0, x1, y1) {  // runs of `order` that a rectangle of the map touches
  const [a, b] = [cell(x0 * 65536), cell(x1 * 65536)];
  for (let row = cell(y0 * 65536); row <= cell(y1 * 65536); row++)
    yield [starts[row * CELLS + a], starts[row * CELLS + b + 1]];
}

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const hex = (text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
const pixel = ([r, g, b]) => (255 << 24 | b << 16 | g << 8 | r) >>> 0;
function palette() {
  const values = head.colours[colour].values, years = head.colours[colour].name === "year";
  return values.map(([name], place) => name === "other or none" ? OTHER
    : years ? YEARS[Math.round(place * (YEARS.length - 1) / Math.max(1, values.length - 2))] || YEARS[YEARS.length - 1]
      : KINDS[place % KINDS.length]);
}

let image = null, words32 = null, theme = null;
function resize() {
  const ratio = Math.min(2, window.devicePixelRatio || 1);
  for (const canvas of [points, labels]) {
    canvas.width = Math.max(1, Math.round(stage.clientWidth * ratio));
    canvas.height = Math.max(1, Math.round(stage.clientHeight * ratio));
  }
  image = points.getContext("2d").createImageData(points.width, points.height);
  words32 = new Uint32Array(image.data.buffer);
  theme = { ground: pixel(hex(css("--ground"))), faint: pixel(hex(css("--faint"))), ink: pixel(hex(css("--ink"))) };
  draw();
}
function scale() { return Math.min(points.width, points.height) / view.size; }
function project() {
  const s = scale();
  return [s / 65535, points.width / 2 - view.x * s, s / 65535, points.height / 2 - view.y * s];
}
function box() {
  const s = scale(), w = points.width / s / 2, h = points.height / s / 2;
  return [view.x - w, view.y - h, view.x + w, view.y + h];
}
function draw() {
  if (!asked) { asked = true; requestAnimationFrame(() => { asked = false; paint(); }); }
}
function stamp(radius) {
  const offsets = [], width = points.width, r = Math.ceil(radius);
  for (let dy = -r; dy <= r; dy++) for (let dx = -r; dx <= r; dx++)
    if (dx * dx + dy * dy <= radius * radius + 0.5) offsets.push(dy * width + dx);
  return [Int32Array.from(offsets), r];
}
function paint() {
  const { width, height } = points, [kx, bx, ky, by] = project(), which = groups[colour];
  const colours = Uint32Array.from(palette(), (text) => pixel(hex(text)));
  const density = Math.sqrt(N) * view.size / Math.min(width, height);
  const ratio = width / stage.clientWidth;
  const radius = Math.max(0.8, Math.min(4.5, 0.32 / density)) * Math.sqrt(ratio);
  const [offsets, r] = stamp(radius), [strong, rs] = stamp(Math.max(radius + 1, 2.5 * ratio));
  words32.fill(theme.ground);
  const put = (n, colour, shape, reach) => {
    const px = (X[n] * kx + bx) | 0, py = (Y[n] * ky + by) | 0;
    if (px < reach || py < reach || px >= width - reach || py >= height - reach) return;
    const at = py * width + px;
    for (let k = 0; k < shape.length; k++) words32[at + shape[k]] = colour;
  };
  const some = matched || picked || hidden.size, late = [];
  for (const [from, to] of rows(...box())) for (let k = from; k < to; k++) {
    const n = order[k];
    if (some && !active(n, which[n])) put(n, theme.faint, offsets, r);
    else if (some) late.push(n);
    else put(n, colours[which[n]], offsets, r);
  }
  const few = late.length < 400 && (matched || picked);
  for (const n of late) put(n, colours[which[n]], few ? strong : offsets, few ? rs : r);
  if (marked >= 0) { const [big, rb] = stamp(6 * ratio); put(marked, theme.ink, big, rb); put(marked, colours[which[marked]], strong, rs); }
  points.getContext("2d").putImageData(image, 0, 0);
  names();
}
function active(n, group) { return !hidden.has(group) && (!matched || matched[n]) && (!picked || picked[n]); }

function names() {
  const pen = labels.getContext("2d"), ratio = labels.width / stage.clientWidth, [kx, bx, ky, by] = project();
  pen.clearRect(0, 0, labels.width, labels.height);
  const bar = el("tools"), taken = [[0, 0, (bar.offsetLeft + bar.offsetWidth + 6) * ratio, (bar.offsetTop + bar.offsetHeight + 6) * ratio]], near = view.size < 0.45, used = new Set();
  pen.textAlign = "center"; pen.textBaseline = "middle"; pen.lineJoin = "round";
  pen.strokeStyle = css("--halo"); pen.fillStyle = css("--ink");
  const wanted = head.clusters.filter((one) => near ? one[3] === 1 : true);
  for (const [x, y, size, level, terms] of wanted) {
    const big = level === 0 || near;
    pen.font = `600 ${(big ? 13 : 11) * ratio}px system-ui,sans-serif`;
    const fresh = terms.filter((term) => !used.has(term));
    const lines = fresh.slice(0, stage.clientWidth < 600 || !big ? 1 : 2);
    if (!lines.length) continue;
    const w = Math.max(...lines.map((line) => pen.measureText(line).width)) + 8 * ratio, h = lines.length * 16 * ratio;
    const px = x * 65535 * kx + bx, py = y * 65535 * ky + by;
    const own = [px - w / 2, py - h / 2, px + w / 2, py + h / 2];
    if (own[0] < 0 || own[2] > labels.width || own[1] < 0 || own[3] > labels.height) continue;
    if (taken.some((t) => own[0] < t[2] && own[2] > t[0] && own[1] < t[3] && own[3] > t[1])) continue;
    taken.push(own);
    lines.forEach((line) => used.add(line));
    lines.forEach((line, place) => {
      const ly = py + (place - (lines.length - 1) / 2) * 16 * ratio;
      pen.lineWidth = 4 * ratio; pen.strokeText(line, px, ly); pen.fillText(line, px, ly);
    });
  }
  if (lasso && lasso.length > 1) {
    pen.strokeStyle = css("--accent"); pen.lineWidth = 2 * ratio; pen.beginPath();
    lasso.forEach(([x, y], place) => pen[place ? "lineTo" : "moveTo"](x * ratio, y * ratio));
    pen.closePath(); pen.stroke();
  }
}

function legend() {
  const { name, values } = head.colours[colour], colours = palette();
  el("legend-title").textContent = `Colour: ${name}`;
  el("legend").replaceChildren(...values.map(([value, count], place) => {
    const item = document.createElement("li"), button = document.createElement("button");
    const dot = document.createElement("i"), small = document.createElement("small");
    dot.style.background = colours[place]; small.textContent = count.toLocaleString("en");
    button.append(dot, value + " ", small);
    button.setAttribute("aria-pressed", String(!hidden.has(place)));
    button.title = "Show or hide";
    button.onclick = () => {
      if (!hidden.delete(place)) hidden.add(place);
      button.setAttribute("aria-pressed", String(!hidden.has(place))); draw();
    };
    item.append(button); return item;
  }));
}

const parts = (n) => { const at = texts[n].indexOf("\t"); return [texts[n].slice(0, at), texts[n].slice(at + 1)]; };
function list(found, title = "Patents") {
  listed = found; shown = PAGE;
  el("hits-title").textContent = found.length ? `${title}: ${found.length.toLocaleString("en")}` : title;
  el("hint").hidden = found.length > 0;
  el("clear").hidden = !(picked || matched); el("save").hidden = !found.length;
  el("hits").replaceChildren(); more(0);
}
function more(from) {
  el("hits").append(...listed.slice(from, shown).map((n) => {
    const [number, title] = parts(n), item = document.createElement("li");
    const button = document.createElement("button"), link = document.createElement("a");
    button.textContent = number; button.title = "Show on the map";
    button.onclick = () => { marked = n; reveal(n); draw(); };
    link.href = `https://patents.google.com/patent/${encodeURIComponent(number)}`;
    link.textContent = "open"; link.target = "_blank"; link.rel = "noopener noreferrer";
    link.setAttribute("aria-label", `Open ${number} at Google Patents`);
    item.append(button, " ", title, " ", link); return item;
  }));
  el("more").hidden = shown >= listed.length;
}
function reveal(n) {
  const [a, b, c, d] = box(), x = X[n] / 65535, y = Y[n] / 65535;
  if (x < a || x > c || y < b || y > d) { view.x = x; view.y = y; }
}
function choose(mask, title) {
  picked = mask;
  const found = [];
  for (let n = 0; n < N; n++) if (mask[n] && active(n, groups[colour][n])) found.push(n);
  if (!found.length) picked = null;
  list(found, found.length ? title : "No patents there"); draw();
}
function inside(polygon) {
  const mask = new Uint8Array(N), [kx, bx, ky, by] = project(), ratio = points.width / stage.clientWidth;
  const flat = polygon.map(([x, y]) => [(x * ratio - bx) / kx, (y * ratio - by) / ky]);
  const xs = flat.map((p) => p[0]), ys = flat.map((p) => p[1]);
  const [a, b, c, d] = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
  for (const [from, to] of rows(a / 65535, b / 65535, c / 65535, d / 65535)) for (let k = from; k < to; k++) {
    const n = order[k], x = X[n], y = Y[n];
    if (x < a || x > c || y < b || y > d) continue;
    let odd = false;
    for (let i = 0, j = flat.length - 1; i < flat.length; j = i++) {
      const [xi, yi] = flat[i], [xj, yj] = flat[j];
      if ((yi > y) !== (yj > y) && x < (xj - xi) * (y - yi) / (yj - yi) + xi) odd = !odd;
    }
    if (odd) mask[n] = 1;
  }
  return mask;
}
function nearest(x, y, reach) {
  const ratio = points.width / stage.clientWidth, [kx, bx, ky, by] = project();
  const mx = (x * ratio - bx) / kx, my = (y * ratio - by) / ky, far = reach * ratio / kx;
  let best = -1, least = far * far;
  for (const [from, to] of rows((mx - far) / 65535, (my - far) / 65535, (mx + far) / 65535, (my + far) / 65535))
    for (let k = from; k < to; k++) {
      const n = order[k], gap = (X[n] - mx) ** 2 + (Y[n] - my) ** 2;
      if (gap < least && active(n, groups[colour][n])) { least = gap; best = n; }
    }
  return best;
}
function zoom(factor, x = stage.clientWidth / 2, y = stage.clientHeight / 2) {
  const ratio = points.width / stage.clientWidth, before = scale();
  const mx = view.x + (x * ratio - points.width / 2) / before, my = view.y + (y * ratio - points.height / 2) / before;
  view.size = Math.min(2, Math.max(0.004, view.size / factor));
  const after = scale();
  view.x = mx - (x * ratio - points.width / 2) / after; view.y = my - (y * ratio - points.height / 2) / after;
  draw();
}
function pan(dx, dy) {
  const k = points.width / stage.clientWidth / scale();
  view.x = Math.min(1.2, Math.max(-0.2, view.x - dx * k)); view.y = Math.min(1.2, Math.max(-0.2, view.y - dy * k)); draw();
}
function setMode(wanted) {
  mode = wanted;
  for (const name of ["move", "select"]) el(name).setAttribute("aria-pressed", String(name === wanted));
  stage.classList.toggle("select", wanted === "select");
}

const fingers = new Map();
let moved = 0;
const spot = (event) => { const at = points.getBoundingClientRect(); return [event.clientX - at.left, event.clientY - at.top]; };
points.onpointerdown = (event) => {
  points.setPointerCapture(event.pointerId); fingers.set(event.pointerId, spot(event)); moved = 0;
  lasso = fingers.size === 1 && (mode === "select" || event.shiftKey) ? [spot(event)] : null;
};
points.onpointermove = (event) => {
  const here = spot(event), last = fingers.get(event.pointerId);
  if (!last) {
    const n = nearest(...here, 10);
    tip.hidden = n < 0;
    if (n >= 0) {
      const [number, title] = parts(n), bold = document.createElement("b");
      bold.textContent = number; tip.replaceChildren(bold, " ", title);
      tip.style.left = `${Math.min(here[0] + 12, stage.clientWidth - tip.offsetWidth - 4)}px`;
      tip.style.top = `${Math.min(here[1] + 12, stage.clientHeight - tip.offsetHeight - 4)}px`;
    }
    return;
  }
  moved += Math.hypot(here[0] - last[0], here[1] - last[1]);
  if (fingers.size === 2) {
    const other = [...fingers].find(([id]) => id !== event.pointerId)[1];
    const was = Math.hypot(last[0] - other[0], last[1] - other[1]), is = Math.hypot(here[0] - other[0], here[1] - other[1]);
    if (was > 0) zoom(is / was, (here[0] + other[0]) / 2, (here[1] + other[1]) / 2);
  } else if (lasso) { lasso.push(here); draw(); } else pan(here[0] - last[0], here[1] - last[1]);
  fingers.set(event.pointerId, here);
};
points.onpointerup = points.onpointercancel = (event) => {
  const path = lasso; lasso = null; fingers.delete(event.pointerId);
  if (path && path.length > 2 && moved > 12) choose(inside(path), "Selected");
  else if (moved < 6 && event.type === "pointerup") {
    const n = nearest(...spot(event), 14);
    if (n >= 0) { marked = n; list([n], "Patent"); }
  }
  draw();
};
points.onpointerleave = () => { tip.hidden = true; };
points.addEventListener("wheel", (event) => { event.preventDefault(); zoom(Math.exp(-event.deltaY * 0.0016), ...spot(event)); }, { passive: false });
points.onkeydown = (event) => {
  const steps = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
  if (steps[event.key]) pan(...steps[event.key]);
  else if (event.key === "+" || event.key === "=") zoom(1.4);
  else if (event.key === "-") zoom(1 / 1.4);
  else if (event.key === "0") whole();
  else if (event.key === "Enter") inView();
  else if (event.key === "Escape") clear();
  else return;
  event.preventDefault();
};
function whole() {
  const [a, b, c, d] = range, least = Math.min(points.width, points.height);
  const size = Math.max((c - a) * least / points.width, (d - b) * least / points.height);
  view = { x: (a + c) / 2, y: (b + d) / 2, size: Math.max(0.02, size * 1.12) }; draw();
}
function inView() {
  const [w, h] = [stage.clientWidth, stage.clientHeight];
  const mask = inside([[0, 0], [w, 0], [w, h], [0, h]]), found = [];
  for (let n = 0; n < N; n++) if (mask[n] && active(n, groups[colour][n])) found.push(n);
  list(found, "In view");
}
function clear() { picked = matched = null; marked = -1; el("find").value = ""; list([]); draw(); }
let waiting = 0;
el("find").oninput = () => { clearTimeout(waiting); waiting = setTimeout(search, 120); };
function search() {
  const wanted = el("find").value.toLowerCase().split(/\s+/).filter(Boolean);
  lower = lower || texts.map((text) => text.toLowerCase());
  matched = wanted.length ? new Uint8Array(N) : null; picked = null;
  const found = [];
  if (matched) for (let n = 0; n < N; n++) if (wanted.every((word) => lower[n].includes(word))) { matched[n] = 1; found.push(n); }
  list(found, matched ? (found.length ? "Found" : "Nothing found") : "Patents"); draw();
}
el("colour").onchange = () => { colour = Number(el("colour").value); hidden = new Set(); legend(); draw(); };
el("move").onclick = () => setMode("move");
el("select").onclick = () => setMode("select");
el("in").onclick = () => zoom(1.6);
el("out").onclick = () => zoom(1 / 1.6);
el("all").onclick = whole;
el("view").onclick = inView;
el("clear").onclick = clear;
el("more").onclick = () => { const from = shown; shown += PAGE; more(from); };
el("save").onclick = () => {
  const cell = (text) => `"${(/^[=+\-@\t\r]/.test(text) ? "'" : "") + text.replaceAll('"', '""')}"`;
  const lines = ["number,title", ...listed.map((n) => parts(n).map(cell).join(","))];
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(["\ufeff" + lines.join("\r\n") + "\r\n"], { type: "text/csv" }));
  link.download = "patents.csv"; link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};
load().catch((error) => { el("count").textContent = `This map could not be opened: ${error.message}`; });
