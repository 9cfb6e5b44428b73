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

export function notice(error) {
  const box = $("notice");
  box.hidden = !error;
  if (!error) return;
  box.replaceChildren(el("b", {}, error.detail || error.message || String(error)));
  if (error.remedy) box.append(`What would be right: ${error.remedy}`);
  box.scrollIntoView({ block: "nearest" });
}

let wanted = () => {};
export const whenTokenIsWanted = (handler) => { wanted = handler; };

export async function ask(path, body) {
  const headers = {};
  const token = sessionStorage.getItem("token");
  if (token) headers.Authorization = `Bearer ${token}`;
  let answer;
  try {
    if (body === undefined) answer = await fetch(path, { headers });
    else if (body instanceof FormData) answer = await fetch(path, { method: "POST", headers, body });
    else {
      headers["Content-Type"] = "application/json";
      answer = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
    }
  } catch {
    throw { detail: "The server does not answer.", remedy: "start it again: phage serve my.index" };
  }
  const said = await answer.json().catch(() => ({}));
  if (answer.status === 401) wanted();
  if (!answer.ok) throw { status: answer.status, detail: said.detail || `The server said ${answer.status}.`, remedy: said.remedy };
  return said;
}

export async function readFile(file) {
  if (file.size > 8 * 1024 * 1024) throw { detail: `${file.name} is larger than 8 MiB.`, remedy: "give a file with the claims only" };
  const form = new FormData();
  form.append("file", file, file.name);
  return ask("/read", form);
}

export function save(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = el("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

export function tip(event, title, more) {
  const box = $("tip");
  box.hidden = !title;
  if (!title) return;
  box.replaceChildren(title, ...(more ? [el("small", {}, more)] : []));
  const { width, height } = box.getBoundingClientRect();
  box.style.left = `${Math.max(8, Math.min(event.clientX + 14, innerWidth - width - 10))}px`;
  box.style.top = `${event.clientY + 18 + height > innerHeight ? event.clientY - height - 12 : event.clientY + 18}px`;
}
