// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { read_blocks } from "../../../app/explorer/markdown/blocks.js";
import { read_inline } from "../../../app/explorer/markdown/inline.js";
import { Targets } from "../../../app/explorer/markdown/links.js";
import { Outline, fragment_name, keeps_lines } from "../../../app/explorer/markdown/outline.js";

const kBase = "http://kb.example/?item=x";
const blocks = (text) => read_blocks(text).blocks;
const paragraph = (text) => ({ type: "paragraph", text });
const kItem = { id: "guide/page", category: "guide" };
const link_to = (href, item = kItem) => new Targets(kBase, item).link(href);
const image_from = (href) => new Targets(kBase, kItem).image(href);

/** Inline text in a short notation: <em>, <link href>, {code}, | for a line end, / for a hard one. */
function inline(text, references = new Map()) {
  return read_inline(text, references).map((piece) => ({
    text: piece.text, code: `{${piece.text}}`, soft: "|", break: "/", close: `</${piece.what}>`,
    open: `<${piece.what}${piece.href === undefined ? "" : ` ${piece.href}`}>` })[piece.type]).join("");
}

test("reads headings of both kinds", () => {
  assert.deepEqual(blocks("# A #\n\nB\n===\nC\n---\n####### no"), [
    { type: "heading", level: 1, text: "A" }, { type: "heading", level: 1, text: "B" },
    { type: "heading", level: 2, text: "C" }, paragraph("####### no")]);
});

test("reads fenced and indented code literally", () => {
  assert.deepEqual(blocks("```js a\n*x*\n\n  y\n```\n\n    in\n\n      dented\n"), [
    { type: "code", info: "js a", text: "*x*\n\n  y" }, { type: "code", info: "", text: "in\n\n  dented" }]);
  assert.deepEqual(blocks("~~~\nopen"), [{ type: "code", info: "", text: "open" }]);
});

test("reads nested lists, starts and tasks", () => {
  const [list] = blocks("3. a\n   - b\n   - [x] c\n4. d\n");
  assert.equal(list.ordered, true);
  assert.equal(list.start, 3);
  assert.equal(list.tight, true);
  assert.deepEqual(list.items.map(({ children }) => children[0]), [paragraph("a"), paragraph("d")]);
  const inner = list.items[0].children[1];
  assert.deepEqual(inner.items.map(({ task }) => task), ["", "done"]);
});

test("reads loose lists, and starts a list for another marker", () => {
  assert.equal(blocks("- a\n\n- b")[0].tight, false);
  assert.equal(blocks("- a\n- b\n\nc")[0].tight, true);
  assert.equal(blocks("- a\n* b").length, 2);
  assert.equal(blocks("text\n2. no list").length, 1);
});

test("reads quotes with lazy lines, and nested ones", () => {
  assert.deepEqual(blocks("> a\nb\n> > c"), [{ type: "quote", children: [
    paragraph("a\nb"), { type: "quote", children: [paragraph("c")] }] }]);
});

test("reads tables", () => {
  assert.deepEqual(blocks("| a | b\\|c |\n|:--|--:|\n| 1 | 2 | 3 |\n| 4 |\n\nend"), [
    { type: "table", head: ["a", "b|c"], align: ["start", "end"], rows: [["1", "2"], ["4"]] }, paragraph("end")]);
  assert.equal(blocks("a | b\n--- | --- | ---")[0].type, "paragraph");
});

test("distinguishes rules from lists and from headings", () => {
  assert.deepEqual(blocks("* * *\n- a\n\n___").map(({ type }) => type), ["rule", "list", "rule"]);
});

test("reads emphasis as CommonMark does", () => {
  for (const [text, read] of [
    ["*a* **b** ***c*** _d_ __e__", "<em>a</em> <strong>b</strong> <em><strong>c</strong></em> <em>d</em> <strong>e</strong>"],
    ["a_b_c a*b*c", "a_b_c a<em>b</em>c"], ["*a **b*** c", "<em>a <strong>b</strong></em> c"],
    ["**a*", "*<em>a</em>"], ["a * b * c", "a * b * c"], ["~~a~~ ~b~", "<del>a</del> ~b~"],
    ["***a** b*", "<em><strong>a</strong> b</em>"], ["*a _b* c_", "<em>a _b</em> c_"], ["**强调**中文", "<strong>强调</strong>中文"]]) {
    assert.equal(inline(text), read, text);
  }
});

test("reads code spans, escapes, references and line ends", () => {
  assert.equal(inline("`` a`b `` `c"), "{a`b} `c");
  assert.equal(inline("\\*a\\* \\x"), "*a* \\x");
  assert.equal(inline("&amp; &#x41;&#66; &nope; &#0;"), "& AB &nope; \ufffd");
  assert.equal(inline("a  \nb\\\nc\nd"), "a/b/c|d");
});

test("reads links, images and addresses in the text", () => {
  assert.equal(inline('[x *y*](http://a.b/c_(d) "t") ![i](j.png)'), "<link http://a.b/c_(d)>x <em>y</em></link> <image j.png>i</image>");
  assert.equal(inline("[[a](b)](c)"), "[<link b>a</link>](c)");
  assert.equal(inline("see http://x.y/z_(a). (www.q.r)"), "see <link http://x.y/z_(a)>http://x.y/z_(a)</link>. (<link http://www.q.r>www.q.r</link>)");
  assert.equal(inline("<http://a.b> <me@x.y> http://"), "<link http://a.b>http://a.b</link> <link mailto:me@x.y>me@x.y</link> http://");
  assert.equal(inline("http://a.b。次"), "<link http://a.b>http://a.b</link>。次");
});

test("reads links by reference", () => {
  const { blocks: [text], references } = read_blocks("[a], [B c][a] [none]\n\n[a]: <x y> 'T'\n[a]: later");
  assert.equal(inline(text.text, references), "<link x y>a</link>, <link x y>B c</link> [none]");
});

test("shows HTML as text", () => {
  assert.equal(inline("<b onclick=x>&lt;</b> <script>alert(1)</script>"), "<b onclick=x><</b> <script>alert(1)</script>");
});

test("allows only links to web pages, mail addresses, items and headings", () => {
  for (const href of ["javascript:alert(1)", "JaVaScRiPt:alert(1)", "java\nscript:alert(1)", "\u0001javascript:1", "data:text/html,x", "vbscript:x",
                      "file:///etc/passwd", "blob:http://x/y", " javascript:1", "http://["]) {
    assert.equal(link_to(href), null, href);
    assert.equal(image_from(href), null, href);
  }
  assert.deepEqual(link_to("https://a.b/c"), { kind: "web", value: "https://a.b/c" });
  assert.deepEqual(link_to("mailto:a@b.c"), { kind: "web", value: "mailto:a@b.c" });
  for (const href of ["http://a.b/c.md", "//a.b/c.md", "c.md.txt", "x/.md"]) {
    assert.deepEqual(link_to(href), { kind: "web", value: new URL(href, kBase).href });
  }
  assert.deepEqual(link_to("#Ein%20Wort"), { kind: "fragment", value: "Ein Wort" });
});

test("links to a heading of another article", () => {
  const item = (value, fragment = "") => ({ kind: "item", value, fragment });
  assert.deepEqual(link_to("../tools/rate-limits.md#x"), item("tools/rate-limits", "x"));
  assert.deepEqual(link_to("a%20b.markdown?raw#Ein%20Wort"), item("guide/a b", "Ein Wort"));
  assert.deepEqual(link_to("a.b.md"), item("guide/a.b"));
  assert.deepEqual(link_to("deep/er.md"), item("guide/deep/er"));
  assert.deepEqual(link_to("a.md", { id: "page", category: "kb" }), item("a"));
  assert.deepEqual(link_to("a.md", { id: "guide/tools", category: "guide/tools" }), item("guide/tools/a"));
});

test("maps index.md and README.md to their folder, as the import does", () => {
  const id = (href, id) => link_to(href, { id, category: "c" }).value;
  assert.equal(id("../guide/index.md", "operations/a"), "guide");
  assert.equal(id("index.md", "guides/advanced/a"), "guides/advanced");
  assert.equal(id("./README.md#x", "a b/c"), "a b");
  assert.equal(id("../_index.md", "guides/advanced/a"), "guides");
  assert.equal(id("../index.md", "guide/a"), "index");
  assert.equal(id("Index.md", "guide/a"), "guide/Index");
});

test("shows only images that cause no request", () => {
  assert.equal(image_from("data:image/png;base64,iVBO")?.kind, "image");
  assert.equal(image_from("data:image/svg+xml;base64,AAAA"), null);
  assert.equal(image_from("data:image/png;base64,iVBO<"), null);
  assert.deepEqual(image_from("https://a.b/c.png"), { kind: "web", value: "https://a.b/c.png" });
  assert.deepEqual(image_from("/c.png"), { kind: "web", value: new URL("/c.png", kBase).href });
  for (const file of ["c.png", "./c.png", "../c.svg", "a/c.png"]) assert.equal(image_from(file), null, file);
});

test("limits the number of images", () => {
  const targets = new Targets(kBase, kItem);
  const image = `data:image/png;base64,${"A".repeat(1 << 20)}`;
  const shown = Array.from({ length: 40 }, () => targets.image(image)).filter((target) => target !== null);
  assert.ok(shown.length > 4 && shown.length < 20, String(shown.length));
});

test("makes an outline without skipped levels and with unique names", () => {
  const outline = new Outline();
  assert.deepEqual([3, 6, 1, 2, 2, 4].map((level) => outline.level(level)), [2, 3, 2, 3, 3, 4]);
  assert.deepEqual(["A b!", "a B", "", "中 文"].map((text) => outline.name(text)), ["a-b", "a-b-1", "section", "中-文"]);
  assert.deepEqual(["Notes", "Notes", "Notes 1", "Notes 1", "Notes"].map((text) => outline.name(text)),
                   ["notes", "notes-1", "notes-1-1", "notes-1-2", "notes-2"]);
  assert.equal(fragment_name("`q` & co"), "q--co");
});

test("keeps intended line breaks of plain text", () => {
  assert.equal(keeps_lines(read_blocks("Roses are red\nViolets are blue\n\nName: x\nAge: 3")), true);
  assert.equal(keeps_lines(read_blocks(`${"word ".repeat(14)}\n${"word ".repeat(14)}\nend`)), false);
  assert.equal(keeps_lines(read_blocks("# A\n\na\nb\nc")), false);
});

test("limits the number of blocks", () => {
  for (const line of ["- a\n", "a\n\n", "> - a\n", "# a\n"]) {
    const count = (read) => read.reduce((sum, { children = [], items = [] }) =>
      sum + 1 + count(children) + items.reduce((inner, item) => inner + 1 + count(item.children), 0), 0);
    const read = blocks(line.repeat(100_000));
    assert.ok(count(read) < 25_000, line);
  }
  assert.ok(blocks(`a|b\n-|-\n${"c|d\n".repeat(100_000)}`)[0].rows.length < 20_000);
});

test("parses a mebibyte of any text in bounded time", () => {
  const kSize = 1 << 20;
  const inputs = ["[", "*", ">", "`", "_a", "*a ", "**a", "*a _b ", "[a](", "[a](<b", '[a](b "', "![", "a`b``c```", "&#", "<a:", "]", "[]", "[a](((",
                  "|a", "|-", "- ", "1. ", "# ", "```\n", "\n", "> ", ">\n", "- a\n", "> - ", " ", "\t", "http://", "www.", "<a@", "\\", "~~a",
                  "[a](data:image/png;base64,", "[a]: b\n", "[a](b)[", "a**", "a***", "a\n", "\r", "* a\n ", "😀*", "*a_ ", "a|b\n-|-\n",
                  `[a](${"../".repeat(680)}) `, `[a](${"../".repeat(680)}index.md) `, `[a](${"a:".repeat(1000)}.md) `];
  const begins = { "![a] [a] ": `[a]: data:image/png;base64,${"A".repeat(kSize / 2)}\n\n`, "[b]": `[b]: ${"../".repeat(680)}\n\n` };
  for (const input of [...inputs, ...Object.keys(begins)]) {
    const begun = process.cpuUsage();  // a busy machine is no fault of the text
    const begin = begins[input] ?? "";
    const { blocks: read, references } = read_blocks(begin + input.repeat(Math.ceil((kSize - begin.length) / input.length)));
    const texts = [];
    for (const open = [...read]; open.length > 0;) {
      const { text, children = [], items = [], type } = open.pop();
      if (type === "paragraph" || type === "heading") texts.push(text);
      open.push(...children);
      for (const item of items) for (const child of item.children) open.push(child);
    }
    const targets = new Targets(kBase, kItem);
    for (const { what, href, type } of texts.flatMap((text) => read_inline(text, references))) {
      if (type === "open" && what === "link") targets.link(href);
      if (type === "open" && what === "image") targets.image(href);
    }
    const { user, system } = process.cpuUsage(begun);
    const took = (user + system) / 1000;
    assert.ok(took < 10_000, `${JSON.stringify(input.slice(0, 40))} took ${took} ms`);
  }
});
