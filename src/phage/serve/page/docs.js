// The API page: /openapi.json as a person reads it, with a way to try each route.
import { $, ask, el, notice } from "./dom.js";
import { setUpTheme } from "./theme.js";
import { setUpToken } from "./token.js";

const SHOWN = 20_000; // characters of an answer
let api = null;

const nameOf = (ref) => ref.split("/").at(-1);
const find = (schema) => (schema?.$ref ? api.components.schemas[nameOf(schema.$ref)] || {} : schema || {});
const LIMITS = { minimum: "at least", maximum: "at most", minLength: "at least # characters", maxLength: "at most # characters", minItems: "at least # items", maxItems: "at most # items", pattern: "like" };

function kind(schema) {
  if (!schema) return ["anything"];
  if (schema.$ref) return [el("a", { href: `#schema-${nameOf(schema.$ref)}` }, nameOf(schema.$ref))];
  if (schema.anyOf) return schema.anyOf.flatMap((one, place) => [place ? " or " : "", ...kind(one)]);
  if (schema.enum) return [schema.enum.join(", ")];
  if (schema.type === "array") return ["list of ", ...kind(schema.items)];
  return [schema.type || "anything"];
}

function row(name, schema, required, about) {
  const limits = Object.entries(LIMITS).filter(([key]) => schema[key] !== undefined).map(([key, words]) => (words.includes("#") ? words : `${words} #`).replace("#", () => schema[key].toLocaleString("en")));
  const preset = schema.default !== undefined && schema.default !== "" ? `default ${JSON.stringify(schema.default)}` : "";
  return el("tr", {}, el("th", { scope: "row" }, el("code", {}, name), required ? el("small", {}, " needed") : null),
    el("td", {}, kind(schema), el("small", {}, [preset, ...limits].filter(Boolean).map((one) => `; ${one}`).join(""))),
    el("td", {}, about || schema.description || ""));
}

const table = (rows) => el("div", { class: "scroll", tabindex: "0" }, el("table", {}, el("tbody", {}, rows)));
const fields = (schema) => table(Object.entries(schema.properties || {}).map(([name, one]) => row(name, one, schema.required?.includes(name))));

const idOf = (path, method) => `${method}${path.replace(/[^a-z]+/g, "-")}`;

function trial(path, method, route) {
  const content = route.requestBody?.content["application/json"];
  if (route.requestBody && !content) return null; // a file
  const inputs = (route.parameters || []).filter((one) => one.required).map((one) => el("input", { name: one.name, "aria-label": one.name, placeholder: one.name, autocomplete: "off", required: true }));
  const body = content ? el("textarea", { rows: 4, spellcheck: "false", "aria-label": `Body of ${path}` }) : null;
  if (body) body.value = JSON.stringify(find(content.schema).examples?.[0] || {}, null, 1);
  const out = el("pre", { hidden: true, tabindex: "0", "aria-label": "Answer" });
  const form = el("form", { class: "trial" }, body, el("div", { class: "line" }, inputs, el("button", {}, "Try it")), out);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    let address = path;
    const query = new URLSearchParams();
    for (const input of inputs) {
      if (address.includes(`{${input.name}}`)) address = address.replace(`{${input.name}}`, encodeURIComponent(input.value));
      else query.set(input.name, input.value);
    }
    out.hidden = false;
    out.textContent = "…";
    try {
      const answer = await ask(query.size ? `${address}?${query}` : address, body ? JSON.parse(body.value) : undefined);
      out.textContent = JSON.stringify(answer, null, 1).slice(0, SHOWN);
    } catch (error) { out.textContent = error.detail ? `${error.status || ""} ${error.detail}\n${error.remedy || ""}` : String(error.message); }
  });
  return form;
}

function section(path, method, route) {
  const content = Object.entries(route.requestBody?.content || {})[0];
  const answers = Object.entries(route.responses).map(([status, one]) => {
    const schema = Object.values(one.content || {})[0]?.schema;
    return el("li", {}, el("b", {}, status), ` ${one.description} `, schema ? kind(schema) : null);
  });
  return el("section", { id: idOf(path, method), "aria-label": `${method} ${path}` },
    el("h2", {}, el("span", { class: "method" }, method), el("code", {}, path)), el("p", {}, route.description || route.summary || ""),
    route.parameters?.length ? [el("h3", {}, "Parameters"), table(route.parameters.map((one) => row(one.name, one.schema, one.required, one.description)))] : null,
    content ? [el("h3", {}, `Body, ${content[0]}`), fields(find(content[1].schema))] : null,
    el("h3", {}, "Answers"), el("ul", { class: "answers" }, answers), trial(path, method, route));
}

async function show() {
  try {
    notice(null);
    api = await ask("/openapi.json");
  } catch (error) { notice(error); return; }
  $("about").replaceChildren(`${api.info.description} Version ${api.info.version}. Errors are problem documents (RFC 9457) with a remedy. For programs: `, el("a", { href: "/openapi.json" }, "/openapi.json"), ".");
  const routes = Object.entries(api.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, route]) => [path, method.toUpperCase(), route]));
  const schemas = Object.entries(api.components.schemas).sort(([a], [b]) => a.localeCompare(b));
  $("list").replaceChildren(el("ul", {}, routes.map(([path, method]) => el("li", {}, el("a", { href: `#${idOf(path, method)}` }, el("span", { class: "method" }, method), path)))));
  $("routes").replaceChildren(...routes.map((one) => section(...one)), el("h2", { class: "all" }, "Schemas"),
    ...schemas.map(([name, schema]) => el("section", { id: `schema-${name}`, "aria-label": name }, el("h3", {}, name), el("p", {}, schema.description || ""), schema.properties ? fields(schema) : el("p", {}, kind(schema)))));
}

setUpTheme();
setUpToken(show);
await show();
