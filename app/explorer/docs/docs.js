// SPDX-License-Identifier: Apache-2.0
// Shows the OpenAPI description of this server. The description is fetched once, because the request is charged to
// the visitor's quota.
import { Api } from "../api.js";
import { h } from "../dom.js";
import { ApiError, describe_error } from "../errors.js";
import { clock } from "../format.js";
import { KeyStore } from "../key.js";
import { RequestLog } from "../request_log.js";
import { device, read_settings, session } from "../settings.js";
import { T } from "../texts.js";
import { announce } from "./dom.js";
import { inline, markdown } from "./markdown.js";
import { operationsOf, operationView, searchText } from "./operation.js";
import { schemaView } from "./schema.js";

const { base } = read_settings();
const byId = (id) => document.getElementById(id);
const wide = matchMedia("(min-width: 60rem)");

const entries = []; // search entries: { text, nodes, group }

async function readDescription() {
  const api = new Api(base, new KeyStore(device, session), new RequestLog());
  return (await api.get("/openapi.json")).body;
}

function showProblem(error) {
  const { title, text } = describe_error(error);
  const when = error.retry_at > 0 && h("p", {}, `${T.retry_at(clock(error.retry_at))}.`);
  const again = h("button", { type: "button", onclick: () => location.reload() }, T.retry);
  byId("content").replaceChildren(h("div", { role: "alert" }, h("h1", {}, title), h("p", {}, text), when), again);
}

const tocLink = (href, ...children) => h("a", { href }, ...children);

/** A heading that is a link target and can then get the focus. */
const target = (level, id, text) => h(level, { id, tabindex: "-1" }, text);

const methodNode = (method) => h("span", { class: `method ${method.toLowerCase()}` }, method);

function tocGroup(title, links) {
  const heading = h("p", { class: "group" }, title);
  const list = h("ul", {}, links.map((link) => h("li", {}, link)));
  return h("section", {}, heading, list);
}

function showTag(root, tag, operations) {
  const heading = target("h2", `tag-${tag.name}`, tag.name);
  const section = h("section", { class: "tag" }, heading, markdown(tag.description));
  const group = { nodes: [section], entries: [] };
  const links = operations.map((operation) => {
    const link = tocLink(`#${operation.operationId}`, methodNode(operation.method), " ", operation.summary);
    const view = operationView(root, operation, location.origin + base);
    section.append(view);
    group.entries.push({ text: searchText(operation), nodes: [view, link] });
    return link;
  });
  const contents = tocGroup(tag.name, links);
  group.nodes.push(contents);
  entries.push(group);
  return { section, contents };
}

function showSchemas(root) {
  const views = Object.entries(root.components.schemas).map(([name, schema]) => {
    const heading = target("h3", `schema-${name}`, name);
    const description = h("p", {}, inline(schema.description));
    return h("article", { class: "schema" }, heading, description, schemaView(root, schema));
  });
  return h("section", { class: "schemas" }, target("h2", "schemas", "Schemas"), views);
}

function show(root) {
  document.title = `${root.info.title} API reference`;
  byId("version").textContent = root.info.version;
  const key = root.components.securitySchemes.key;
  const intro = h(
    "section",
    { class: "intro" },
    h("h1", {}, root.info.summary ?? root.info.title),
    h("p", { class: "address" }, "Base URL ", h("code", {}, location.origin + base)),
    markdown(root.info.description),
    h("p", {}, inline(key.description)),
  );
  const operations = operationsOf(root);
  const withTag = (tag) => operations.filter((operation) => operation.tags.includes(tag.name));
  const tags = root.tags.map((tag) => showTag(root, tag, withTag(tag)));
  const none = h("p", { id: "none", hidden: true }, "No operation matches these words.");
  byId("content").replaceChildren(intro, none, ...tags.map((tag) => tag.section), showSchemas(root));
  byId("toc").replaceChildren(
    ...tags.map((tag) => tag.contents),
    tocGroup("schemas", Object.keys(root.components.schemas).map((name) => tocLink(`#schema-${name}`, name))),
  );
}

/** Shows only the entries that contain all words. */
function filter(words) {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const group of entries) {
    let left = 0;
    for (const entry of group.entries) {
      const fits = wanted.every((word) => entry.text.includes(word));
      for (const node of entry.nodes) (node.closest("li") ?? node).hidden = !fits;
      left += fits;
    }
    for (const node of group.nodes) node.hidden = left === 0;
    count += left;
  }
  const searching = wanted.length > 0;
  for (const node of document.querySelectorAll(".intro > :not(h1), .schemas, #toc section:last-child")) node.hidden = searching;
  byId("none").hidden = count > 0;
  if (searching) announce(`${count} operations`);
}

/** Scrolls to the address's heading and focuses it, so that reading and tabbing continue there. */
function goToHash() {
  const heading = byId(location.hash.slice(1));
  if (!heading) return;
  const hidden = heading.closest("[hidden]");
  if (hidden) {
    byId("find").value = "";
    filter("");
  }
  heading.scrollIntoView();
  heading.focus({ preventScroll: true });
}

/** Marks the visible section in the table of contents. */
function followReader() {
  const links = new Map([...byId("toc").querySelectorAll("a")].map((link) => [link.hash.slice(1), link]));
  let current = null;
  const observer = new IntersectionObserver(
    (changes) => {
      for (const change of changes.filter((each) => each.isIntersecting)) {
        current?.removeAttribute("aria-current");
        current = links.get(change.target.id) ?? null;
        current?.setAttribute("aria-current", "true");
      }
    },
    { rootMargin: "-80px 0px -70% 0px" },
  );
  for (const heading of document.querySelectorAll("main h3[id]")) observer.observe(heading);
}

function listenToKeys() {
  const find = byId("find");
  find.addEventListener("input", () => filter(find.value));
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest?.("input, textarea");
    if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      find.focus();
      find.select();
    }
    if (event.key === "Escape" && event.target === find) {
      find.value = "";
      filter("");
    }
  });
}

async function start() {
  byId("raw").href = `${base}/openapi.json`;
  const fitContents = () => (byId("contents").open = wide.matches);
  fitContents();
  wide.addEventListener("change", fitContents);
  byId("toc").addEventListener("click", fitContents); // on a phone, the contents close when a link is followed
  try {
    show(await readDescription());
  } catch (error) {
    showProblem(error);
    if (error instanceof ApiError) return;
    throw error;
  }
  listenToKeys();
  followReader();
  goToHash();
  addEventListener("hashchange", goToHash);
}

start();
