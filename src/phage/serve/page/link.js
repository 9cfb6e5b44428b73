// Links to share. The text travels behind the #, which browsers never send to a server.
import { copy } from "./dom.js";

const LARGEST = 2_000_000; // characters that a link may unpack to

async function through(bytes, stream) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  for (let size = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return new Blob(parts).arrayBuffer();
    size += value.length;
    if (size > LARGEST) throw { detail: "This link holds too much text.", remedy: "send the claims as a file" };
    parts.push(value);
  }
}

export async function packed(value) {
  const bytes = new Uint8Array(await through(new TextEncoder().encode(JSON.stringify(value)), new CompressionStream("gzip")));
  let signs = "";
  for (const byte of bytes) signs += String.fromCharCode(byte);
  return btoa(signs).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

export async function unpacked(text) {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream("gzip"))));
  } catch (error) {
    throw error.detail ? error : { detail: "This link is damaged.", remedy: "copy the whole link again" };
  }
}

export async function shareLink(view, value) {
  await copy(`${location.origin}/#/${view}?z=${await packed(value)}`, "Link copied. It holds your text: share it only with those who may read it.");
}
