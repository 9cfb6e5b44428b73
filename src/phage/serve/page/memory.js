// What this tab remembers: queries, pasted claims, the shortlist. The server keeps nothing of it,
// and the browser drops it with the tab.
const PREFIX = "phage:";

export function recall(name, otherwise) {
  try { return JSON.parse(sessionStorage.getItem(PREFIX + name)) ?? otherwise; } catch { return otherwise; }
}

export function remember(name, value) {
  try { sessionStorage.setItem(PREFIX + name, JSON.stringify(value)); return true; } catch { return false; } // full, or not allowed
}

export function forgetAll() {
  for (const name of Object.keys(sessionStorage)) if (name.startsWith(PREFIX)) sessionStorage.removeItem(name);
}

// Searches have numbers, so that an address holds none of their words.
const MOST = 40;
let searches = null; // also here, where the storage is full
const known = () => { searches ??= recall("searches", []); return searches; };

export function noted(search) {
  const same = known().find((one) => JSON.stringify(one.search) === JSON.stringify(search));
  if (same) return same.id;
  const id = (known().at(-1)?.id || 0) + 1;
  searches = [...known(), { id, search }].slice(-MOST);
  for (let first = 0; first < searches.length && !remember("searches", searches.slice(first)); first += 1);
  return id;
}

export const lookedUp = (id) => known().find((one) => one.id === Number(id))?.search;
