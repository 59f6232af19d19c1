// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { Announcer } from "../../../app/explorer/announcer.js";
import { ResponseCache } from "../../../app/explorer/cache.js";
import { category_tree } from "../../../app/explorer/category_tree.js";
import { ApiError, describe_error } from "../../../app/explorer/errors.js";
import { KeyStore, crc32, is_valid_key } from "../../../app/explorer/key.js";
import { estimate, has_spare_requests, parse_list, read_quota, retry_time, search_mode } from "../../../app/explorer/quota.js";
import { RequestLog, curl_line } from "../../../app/explorer/request_log.js";
import { format_route, parse_route, tag_route } from "../../../app/explorer/router.js";

const kFolder = join(dirname(fileURLToPath(import.meta.url)), "../../../app/explorer");
const headers = (values) => new Map(Object.entries(values));

test("reads both windows of the quota", () => {
  const quota = read_quota(headers({ "RateLimit-Policy": '"minute";q=10;w=60, "day";q=1000;w=86400',
                                     RateLimit: '"minute";r=3;t=12, "day";r=870;t=40211' }), 5000);
  assert.deepEqual(quota, { at: 5000, windows: [{ name: "minute", limit: 10, remaining: 3, seconds: 60, resets: 12 },
                                                { name: "day", limit: 1000, remaining: 870, seconds: 86400, resets: 40211 }] });
});

test("reads a quota without limit, and one with only the old fields", () => {
  assert.deepEqual(read_quota(headers({ "X-RateLimit-Limit": "2147483647", "X-RateLimit-Remaining": "2147483647" }), 1).windows, []);
  const [window] = read_quota(headers({ "X-RateLimit-Limit": "10", "X-RateLimit-Remaining": "4", "X-RateLimit-Reset": "70" }), 10_000).windows;
  assert.deepEqual(window, { name: "minute", limit: 10, remaining: 4, seconds: 60, resets: 60 });
  assert.equal(read_quota(headers({}), 1), null);
  assert.deepEqual([...parse_list('nonsense, "a";q=x, ;;').entries()], [["a", {}]]);
});

test("restores requests that have left the window", () => {
  const quota = { at: 60_000, windows: [{ name: "minute", limit: 10, remaining: 2, seconds: 60, resets: 5 }] };
  const spent = [5_000, 30_000, 60_000];
  assert.equal(estimate(quota, spent, 61_000)[0].remaining, 2);
  assert.equal(estimate(quota, spent, 66_000)[0].remaining, 3);
  assert.equal(estimate(quota, spent, 91_000)[0].remaining, 4);
  assert.equal(estimate(quota, spent, 120_000)[0].remaining, 10);
});

test("searches at each key only if the plan has enough requests", () => {
  const minute = (limit, remaining) => [{ name: "minute", limit, remaining, seconds: 60, resets: 1 }];
  assert.equal(search_mode(null), "enter");
  assert.equal(search_mode([]), "typing");
  assert.equal(search_mode(minute(10, 10)), "enter");
  assert.equal(search_mode(minute(60, 60)), "typing");
  assert.equal(search_mode(minute(60, 14)), "enter");
  assert.equal(search_mode([...minute(300, 300), { name: "day", limit: 100000, remaining: 900, seconds: 86400, resets: 1 }]), "enter");
  assert.equal(has_spare_requests(minute(300, 140)), false);
  assert.equal(has_spare_requests(minute(300, 200)), true);
});

test("reads when to retry", () => {
  assert.equal(retry_time(headers({ "Retry-After": "12" }), 1000), 13_000);
  assert.equal(retry_time(headers({ "Retry-After": "soon" }), 1000), 0);
});

test("caches the most recently used responses and knows which are fresh", () => {
  const cache = new ResponseCache(2);
  const response = (at) => ({ body: at, etag: "", headers: {}, at });
  cache.put("a", response(0));
  cache.put("b", response(0));
  cache.get("a");
  cache.put("c", response(0));
  assert.equal(cache.get("b"), undefined);
  assert.equal(cache.fresh("a", 29_999, 30_000)?.body, 0);
  assert.equal(cache.fresh("a", 30_000, 30_000), undefined);
  cache.confirm("a", 30_000);
  assert.equal(cache.fresh("a", 59_000, 30_000)?.body, 0);
});

test("distinguishes a valid key from a mistyped one", () => {
  assert.equal(crc32("123456789"), 0xcbf43926);
  assert.equal(is_valid_key(KEY), true);
  assert.equal(is_valid_key(KEY.replace("0", "1")), false);
  assert.equal(is_valid_key(KEY.slice(0, -1)), false);
  assert.equal(is_valid_key(`${KEY} `), false);
  assert.equal(is_valid_key(""), false);
});

test("stores a key for the tab, or on the device if requested", () => {
  const storage = () => {
    const values = new Map();
    return { get: (name) => values.get(name) ?? null, set: (name, value) => values.set(name, value), remove: (name) => values.delete(name), values };
  };
  const device = storage();
  const session = storage();
  const keys = new KeyStore(device, session);
  keys.keep(KEY, false);
  assert.deepEqual([device.values.size, session.values.size], [0, 1]);
  keys.keep(KEY, true);
  assert.deepEqual([device.values.size, session.values.size, new KeyStore(device, session).value], [1, 0, KEY]);
  keys.forget();
  assert.deepEqual([device.values.size, session.values.size, keys.value], [0, 0, ""]);
});

test("writes a command without the key, quoted for a shell", () => {
  assert.equal(curl_line({ method: "GET", url: "http://h/api/v1/search?q=it's", with_key: true }),
               `curl -H "Authorization: Bearer $KBASE_KEY" 'http://h/api/v1/search?q=it%27s'`);
});

test("keeps the last requests and notifies listeners of each", () => {
  const log = new RequestLog(2);
  const notified = [];
  log.on_entry(({ status }) => notified.push(status));
  for (const status of [1, 2, 3]) log.add({ status });
  assert.deepEqual([log.entries.map(({ status }) => status), notified], [[3, 2], [1, 2, 3]]);
});

test("shows the server's message for an unsupported request", () => {
  const message = "This server's search filters by category alone, not by tag or day.";
  const { title, text } = describe_error(new ApiError("refused", { status: 501, code: "NOT_IMPLEMENTED", message: message }));
  assert.equal(text, message);
  assert.notEqual(title, describe_error(new ApiError("refused", { status: 500 })).title);
});

test("announces all changes at once, and only the last text of each kind", () => {
  const timers = new Map();
  globalThis.window = { setTimeout: (act) => { timers.set(1, act); return 1; } };
  const region = { textContent: "" };
  const announcer = new Announcer(region);
  const wait = () => timers.get(1)();
  announcer.announce("3 results", "view");
  announcer.announce("2 suggestions. Use the arrow keys.", "suggestions");
  announcer.announce("12 results", "view");
  announcer.announce("Type more", "hint");
  announcer.announce("", "hint");
  wait();
  assert.equal(region.textContent, "12 results. 2 suggestions. Use the arrow keys.");
  announcer.announce("12 results", "view");
  wait();
  assert.equal(region.textContent, "12 results.");
  announcer.announce("12 results", "view");
  wait();
  assert.notEqual(region.textContent, "12 results.");
  delete globalThis.window;
});

test("parses every address that it formats", () => {
  for (const route of [
    { view: "home" }, { view: "item", id: "a/b c&d=é" }, { view: "category", id: "x", offset: 20 }, { view: "categories" },
    { view: "popular", period: "all" }, { view: "recent" }, { view: "stats" },
    { view: "search", q: 'a "b c" -d & 中', category: "k", tag: "t u", language: "pt-BR", version: "v1.2", updated_from: "2026-01-02", updated_to: "", sort: "date", match: "any", offset: 40 }]) {
    const address = format_route(route);
    assert.deepEqual(parse_route(address.slice(1)), route, address);
  }
  assert.equal(format_route(parse_route("?q=x+y&sort=relevance&match=auto&offset=0&category=")), "/?q=x+y");
});

test("omits invalid parameters", () => {
  assert.deepEqual(parse_route("?view=admin"), { view: "home" });
  assert.deepEqual(parse_route("?q=%20"), { view: "home" });
  const route = parse_route("?q=ab&sort=evil&offset=-1&updated_from=yesterday&match=<b>");
  assert.deepEqual([route.sort, route.offset, route.updated_from, route.match], ["relevance", 0, "", "auto"]);
});

test("includes the words of a tag in its search", () => {
  assert.deepEqual(tag_route('c "x"'), { view: "search", q: '"c  x"', tag: 'c "x"' });
});

test("places each category once, even if lists of subcategories form cycles", () => {
  const category = (id, subcategories, item_count = 1) => ({ id, name: id, description: "", icon: "", item_count, subcategories });
  const shape = (branches) => branches.map(({ category: { id }, total, children }) => [id, total, shape(children)]);
  assert.deepEqual(shape(category_tree([category("a", ["b", "gone"]), category("b", ["c"]), category("c", []), category("d", [])])),
                   [["a", 3, [["b", 2, [["c", 1, []]]]]], ["d", 1, []]]);
  assert.deepEqual(shape(category_tree([category("x", ["y"]), category("y", ["x"]), category("z", ["z"])])),
                   [["z", 1, []], ["x", 2, [["y", 1, []]]]]);
});

const KEY = "kb_0123456789ABCDEFGHIJKLMNOPQRSTUV1ggZdL";

/** @returns {string[]} every file of the page, below its folder */
const files = readdirSync(kFolder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile()).map((entry) => normalize(join(entry.path, entry.name)));

test("preloads every module of the first view", () => {
  const needed = new Set();
  const walk = (file) => {
    if (needed.has(file)) return;
    needed.add(file);
    for (const [, name] of readFileSync(file, "utf8").matchAll(/^import .*?from "(.*?)";/gm)) walk(normalize(join(dirname(file), name)));
  };
  walk(join(kFolder, "main.js"));
  const named = [...readFileSync(join(kFolder, "index.html"), "utf8").matchAll(/modulepreload" href="\/explorer\/(.*?)"/g)].map(([, name]) => join(kFolder, name));
  assert.deepEqual(named.sort(), [...needed].filter((file) => !file.endsWith("main.js")).sort());
});

test("has no markup from strings, no other host, and a license in each file", () => {
  for (const file of files) {
    const text = readFileSync(file, "utf8");
    assert.ok(text.split("\n", 3).join("").includes("SPDX-License-Identifier: Apache-2.0"), file);
    assert.doesNotMatch(text, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/, file);
    assert.doesNotMatch(text, /(?:src|href|url)[=(]"?https?:/, file);
    assert.ok(text.split("\n").length <= 400, file);
  }
});

test("is small when compressed", () => {
  const sizes = files.map((file) => gzipSync(readFileSync(file), { level: 9 }).length);
  assert.ok(sizes.reduce((sum, size) => sum + size, 0) < 150 * 1024);
});
