// SPDX-License-Identifier: Apache-2.0
// Shows JSON schemas. Referenced schemas expand on demand, so recursive schemas can be expanded to any depth without
// an endless loop.
import { h } from "../dom.js";
import { fold } from "./dom.js";
import { inline } from "./markdown.js";

const nameOf = (reference) => reference.split("/").pop();

/** Resolves a reference within the document. */
export function resolve(root, node) {
  if (!node?.$ref) return node;
  return node.$ref
    .replace(/^#\//, "")
    .split("/")
    .reduce((at, part) => at[part.replaceAll("~1", "/").replaceAll("~0", "~")], root);
}

/** "string", "integer or null", "array of Item". */
export function typeName(schema) {
  if (schema.$ref) return nameOf(schema.$ref);
  if (schema.oneOf) return schema.oneOf.map(typeName).join(" or ");
  const types = [schema.type ?? []].flat();
  const names = types.map((type) => (type === "array" && schema.items ? `array of ${typeName(schema.items)}` : type));
  if (schema.format && !["int32", "int64"].includes(schema.format)) names[0] += ` (${schema.format})`;
  return names.join(" or ") || "any";
}

/** Describes the other constraints of a value; each is a list of nodes. */
export function bounds(schema) {
  const constraints = [];
  const code = (value) => h("code", {}, typeof value === "string" ? value : JSON.stringify(value));
  const range = (least, most, unit) => {
    if (least !== undefined && least === most) constraints.push([`${least}`, unit]);
    else if (least !== undefined && most !== undefined) constraints.push([`${least} to ${most}`, unit]);
    else if (least !== undefined) constraints.push([`at least ${least}`, unit]);
    else if (most !== undefined) constraints.push([`at most ${most}`, unit]);
  };
  if (schema.const !== undefined) constraints.push(["always ", code(schema.const)]);
  if (schema.enum) constraints.push(["one of ", schema.enum.flatMap((value, i) => [i ? ", " : "", code(value)])]);
  range(schema.minimum, schema.maximum, "");
  range(schema.minLength, schema.maxLength, " characters");
  range(schema.minItems, schema.maxItems, " elements");
  range(schema.minProperties, schema.maxProperties, " members");
  if (schema.pattern) constraints.push(["matches ", code(schema.pattern)]);
  if (schema.default !== undefined) constraints.push(["default ", code(schema.default)]);
  return constraints;
}

/** The constraints as one line. */
export function boundsLine(schema) {
  return bounds(schema).flatMap((constraint, i) => [i ? "; " : "", constraint].flat(Infinity));
}

/** The name of the type, with a link if the schema has its own name. */
function typeNode(schema) {
  const named = schema.$ref ?? schema.items?.$ref;
  const text = typeName(schema);
  if (!named) return h("span", { class: "type" }, text);
  return h("a", { class: "type", href: `#schema-${nameOf(named)}` }, text);
}

function member(root, name, schema, isRequired) {
  const facts = boundsLine(schema);
  return h(
    "li",
    {},
    h("div", { class: "member" }, h("code", { class: "name" }, name), " ", typeNode(schema),
      isRequired ? null : h("span", { class: "maybe" }, "optional")),
    schema.description ? h("p", {}, inline(schema.description)) : null,
    facts.length ? h("p", { class: "facts" }, facts) : null,
    inside(root, schema),
  );
}

const isMap = (schema) => typeof schema.additionalProperties === "object";

function hasInside(root, schema) {
  const whole = resolve(root, schema);
  return Boolean(whole.properties || whole.oneOf || isMap(whole) || (whole.items && hasInside(root, whole.items)));
}

/** The content of a member, collapsed. */
function inside(root, schema) {
  const content = schema.contentSchema;
  if (content) return fold([`JSON: ${typeName(content)}`], () => schemaView(root, content));
  if (!hasInside(root, schema)) return null;
  const named = schema.items ?? schema;
  return fold([named.$ref ? `Members of ${nameOf(named.$ref)}` : "Members"], () => schemaView(root, named));
}

/** The whole schema. Members next to a reference restrict the referenced schema and are shown after it. */
export function schemaView(root, schema) {
  const parts = [];
  if (schema.$ref) parts.push(schemaView(root, resolve(root, schema)));
  const required = new Set(schema.required ?? []);
  if (schema.properties) {
    if (schema.$ref) parts.push(h("p", { class: "facts" }, "Additional members and constraints:"));
    const show = ([name, each]) => member(root, name, each, required.has(name));
    parts.push(h("ul", { class: "members" }, Object.entries(schema.properties).map(show)));
  }
  if (schema.oneOf) {
    const choice = (each) => h("li", {}, h("p", {}, inline(each.description)), schemaView(root, each));
    parts.push(h("p", { class: "facts" }, "One of:"), h("ol", { class: "choices" }, schema.oneOf.map(choice)));
  }
  const others = schema.additionalProperties;
  if (isMap(schema)) parts.push(h("p", {}, "Any member names; each value is ", typeNode(others), "."));
  else if (others === true) parts.push(h("p", { class: "facts" }, "Additional members are allowed."));
  if (schema.items) parts.push(h("p", {}, "Elements: ", typeNode(schema.items)), inside(root, schema.items));
  if (!parts.length) parts.push(h("p", {}, typeNode(schema), " ", boundsLine(schema)));
  return parts;
}
