// Small hands for the page. Text only ever becomes text nodes; nothing is parsed as markup.
const SVG = "http://www.w3.org/2000/svg";

export const $ = (id) => document.getElementById(id);

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return node;
}

export const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
export const draw = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

// Go to an address of this page, at once. The browser's own jump comes after the click, and would move the focus later.
export function go(to) {
  if (location.hash !== to) history.pushState(null, "", to);
  dispatchEvent(new Event("hashchange"));
}

export function notice(error) {
  const box = $("notice");
  box.hidden = !error;
  if (!error) return;
  const said = String(error.detail || error.message || error);
  const whole = /^[a-z]+ /.test(said) ? said[0].toUpperCase() + said.slice(1) : said; // not a name of a file
  box.replaceChildren(el("b", {}, /[.!?…]$/.test(whole) ? whole : `${whole}.`));
  if (error.remedy) box.append(`How to fix it: ${error.remedy}`);
  box.scrollIntoView({ block: "nearest" });
}

// A word at the lower edge that goes away by itself.
let fading = 0;
export function say(words) {
  $("said").textContent = words;
  $("said").classList.add("shown");
  clearTimeout(fading);
  fading = setTimeout(() => $("said").classList.remove("shown"), 2600);
}

let wanted = () => {};
export const whenTokenIsWanted = (handler) => { wanted = handler; };

async function sent(path, body, signal) {
  const headers = {};
  const token = sessionStorage.getItem("token");
  if (token) headers.Authorization = `Bearer ${token}`;
  const how = { headers, signal };
  if (body !== undefined) {
    how.method = "POST";
    how.body = body;
    if (!(body instanceof FormData)) {
      headers["Content-Type"] = "application/json";
      how.body = JSON.stringify(body);
    }
  }
  let answer;
  try { answer = await fetch(path, how); } catch (error) {
    if (error.name === "AbortError") throw error;
    throw { detail: "The server does not answer.", remedy: "start it again: phage serve my.index" };
  }
  if (answer.status === 401) wanted();
  if (answer.ok) return answer;
  const said = await answer.json().catch(() => ({}));
  throw { status: answer.status, detail: said.detail || `The server answered with status ${answer.status}.`, remedy: said.remedy };
}

export const ask = async (path, body, signal) => (await sent(path, body, signal)).json();
export const askFile = async (path, body) => (await sent(path, body)).blob();

export async function readFile(file) {
  if (file.size > 8 * 1024 * 1024) throw { detail: `${file.name} is larger than 8 MiB.`, remedy: "give a file with the claims only" };
  const form = new FormData();
  form.append("file", file, file.name);
  return ask("/read", form);
}

// A file that was chosen; the same one may be chosen again.
export const onFile = (id, take) => $(id).addEventListener("change", (event) => {
  if (event.target.files[0]) take(event.target.files[0]);
  event.target.value = "";
});

export function save(name, type, content) {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = el("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

export async function copy(text, done) {
  try { await navigator.clipboard.writeText(text); } catch {
    const box = el("textarea", { class: "unseen" });
    box.value = text;
    document.body.append(box);
    box.select();
    document.execCommand("copy"); // where a page without TLS may not use the clipboard
    box.remove();
  }
  say(done);
}

export function tip(event, title, more) {
  const box = $("tip");
  box.hidden = !title;
  if (!title) return;
  box.replaceChildren(title, ...(more ? [el("small", {}, more)] : []));
  const at = event.clientX === undefined ? event.target.getBoundingClientRect() : null;
  const [x, y] = at ? [at.left, at.bottom - 8] : [event.clientX, event.clientY];
  const { width, height } = box.getBoundingClientRect();
  box.style.left = `${Math.max(8, Math.min(x + 14, innerWidth - width - 10))}px`;
  box.style.top = `${y + 18 + height > innerHeight ? y - height - 12 : y + 18}px`;
}
