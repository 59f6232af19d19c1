// SPDX-License-Identifier: Apache-2.0
// Shows one operation: description, parameters, responses, and how to call it.
import { h } from "../dom.js";
import { codeBlock, fold, table } from "./dom.js";
import { inline, markdown } from "./markdown.js";
import { boundsLine, resolve, schemaView, typeName } from "./schema.js";

const REASONS = {
  200: "OK", 304: "Not modified", 400: "Bad request", 401: "Unauthorized", 403: "Forbidden", 404: "Not found",
  405: "Method not allowed", 408: "Request timeout", 413: "Payload too large", 414: "URI too long",
  415: "Unsupported media type", 417: "Expectation failed", 429: "Too many requests", 431: "Header fields too large",
  500: "Internal error", 501: "Not implemented", 502: "Bad gateway", 503: "Unavailable", 504: "Gateway timeout",
  505: "HTTP version not supported",
};

/** Returns the parameters of path and operation; parameters common to all requests are last. */
function parametersOf(root, item, operation) {
  const all = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((each) => resolve(root, each));
  return ["path", "query", "header"].flatMap((location) => all.filter((each) => each.in === location));
}

/** Returns the operations in the order of the document's paths, with the parameters of their path. */
export function operationsOf(root) {
  return Object.entries(root.paths).flatMap(([path, item]) =>
    ["get", "put", "post", "patch", "delete"]
      .filter((method) => item[method])
      .map((method) => ({
        ...item[method],
        path,
        method: method.toUpperCase(),
        parameters: parametersOf(root, item, item[method]),
      })),
  );
}

/** Returns the text that the search box searches. */
export function searchText(operation) {
  const { method, path, operationId, summary, description, tags, parameters } = operation;
  const names = parameters.map((parameter) => parameter.name);
  return [method, path, operationId, summary, description, ...tags, ...names].join(" ").toLowerCase();
}

/** Describes the operation's security requirement. */
function keyText(security = []) {
  const isOptional = security.some((requirement) => Object.keys(requirement).length === 0);
  const scopes = security.flatMap((requirement) => Object.values(requirement).flat());
  const scope = `the scope ${scopes.map((name) => `\`${name}\``).join(", ")}`;
  if (!isOptional) return `Requires a key with ${scope}.`;
  return scopes.length ? `No key required. If a key is sent, it must have ${scope}.` : "No key required.";
}

function parameterRow(parameter) {
  return [
    [h("code", {}, parameter.name), parameter.required ? h("span", { class: "required" }, "required") : null],
    parameter.in,
    [typeName(parameter.schema), h("div", { class: "facts" }, boundsLine(parameter.schema))],
    inline(parameter.description),
  ];
}

function headersTable(root, headers = {}) {
  const rows = Object.entries(headers).map(([name, header]) => {
    const whole = resolve(root, header);
    return [
      [h("code", {}, name), whole.required ? null : h("span", { class: "maybe" }, "optional")],
      h("code", {}, String(whole.example ?? "")),
      inline(whole.description),
    ];
  });
  return rows.length ? table("Header fields", ["Field", "Example", "Meaning"], rows) : null;
}

function exampleView(summary, value) {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  const label = `the example ${summary.replaceAll("`", "")}`;
  return h("figure", {}, h("figcaption", {}, inline(summary)), codeBlock(text, label));
}

function contentView(root, content = {}) {
  return Object.entries(content).map(([type, media]) => [
    h("h5", {}, "Body: ", h("code", {}, type)),
    Object.values(media.examples ?? {}).map((example) => exampleView(example.summary ?? "", example.value)),
    media.schema ? fold(["Schema: ", typeName(media.schema)], () => schemaView(root, media.schema)) : null,
  ]);
}

function responseView(root, status, response) {
  const whole = resolve(root, response);
  const kind = status < 400 ? "good" : "bad";
  const summary = [h("code", { class: `status ${kind}` }, status), " ", REASONS[status] ?? ""];
  const show = () => [
    markdown(whole.description),
    contentView(root, whole.content),
    fold(["Header fields"], () => headersTable(root, whole.headers)),
  ];
  return fold(summary, show, { open: status === "200", className: "response" });
}

/** Quotes a word for a POSIX shell. */
const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

function exampleOf(parameter) {
  const examples = Object.values(parameter.examples ?? {});
  return parameter.example ?? examples[0]?.value ?? parameter.schema.default ?? parameter.name;
}

/** Returns a working command; if a key is required, it comes from the environment. */
export function curlOf(operation, base) {
  let path = operation.path;
  const query = [];
  for (const parameter of operation.parameters) {
    const value = encodeURIComponent(exampleOf(parameter));
    if (parameter.in === "path") path = path.replace(`{${parameter.name}}`, value);
    if (parameter.in === "query" && parameter.required) query.push(`${parameter.name}=${value}`);
  }
  const words = ["curl", quoted(base + path + (query.length ? `?${query.join("&")}` : ""))];
  const needsKey = !(operation.security ?? []).some((requirement) => Object.keys(requirement).length === 0);
  if (needsKey) words.push(`-H "Authorization: Bearer $KBASE_KEY"`);
  const body = operation.requestBody?.content?.["application/json"];
  if (body) {
    words.push(`-H ${quoted("Content-Type: application/json")}`);
    words.push(`-d ${quoted(JSON.stringify(Object.values(body.examples)[0].value))}`);
  }
  return words.length > 3 ? `${words[0]} ${words.slice(1).join(" \\\n  ")}` : words.join(" ");
}

/** Returns the operation as an article that is the target of #operationId. */
export function operationView(root, operation, base) {
  const { operationId: id, method, path, parameters } = operation;
  const request = resolve(root, operation.requestBody);
  const rows = parameters.map(parameterRow);
  const all = Object.entries(operation.responses);
  const isGood = ([status]) => status < 400;
  return h(
    "article",
    { class: "operation", "aria-labelledby": id },
    h(
      "h3",
      { id, tabindex: "-1" },
      h("span", { class: `method ${method.toLowerCase()}` }, method), " ", h("code", {}, path),
      h("a", { class: "anchor", href: `#${id}`, "aria-label": `Link to ${operation.summary}` }, "#"),
    ),
    h("p", { class: "summary" }, operation.summary),
    markdown(operation.description),
    h("p", { class: "key" }, inline(keyText(operation.security))),
    codeBlock(curlOf(operation, base), `the command for ${operation.summary}`),
    rows.length > 0 && [h("h4", {}, "Parameters"), table("Parameters", ["Name", "In", "Type", "Meaning"], rows)],
    request && [h("h4", {}, "Request"), markdown(request.description), contentView(root, request.content)],
    h("h4", {}, "Responses"),
    all.filter(isGood).map(([status, response]) => responseView(root, status, response)),
    h("h4", {}, "Errors"),
    all.filter((each) => !isGood(each)).map(([status, response]) => responseView(root, status, response)),
  );
}
