// SPDX-License-Identifier: Apache-2.0
// Uses the generated TypeScript client as a user's program would: node client_test.js URL KEY TIGHT_KEY WRITE_KEY.
// TIGHT_KEY is a key of a plan with few requests a minute, WRITE_KEY has the scope "write". The kbase serves the manual.
import { strict as assert } from "node:assert";
import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./schema.js";

type Api = Client<paths>;
type Schemas = components["schemas"];

function clientOf(baseUrl: string, key?: string): Api {
  return createClient<paths>({ baseUrl, headers: key ? { Authorization: `Bearer ${key}` } : {} });
}

async function testSearchPageByPage(api: Api) {
  const found: string[] = [];
  let pages = 0;
  for (let offset: number | null = 0; offset !== null && pages < 4; ++pages) {
    const query: paths["/search"]["get"]["parameters"]["query"] = { q: "rate limit", limit: 3, offset, match: "any" };
    const { data: page, response } = await api.GET("/search", { params: { query } });
    assert(page, "a page");
    assert.equal(response.headers.get("X-Search-Match"), "any");
    for (const result of page.data) {
      found.push(result.id);
      assert(result.relevance >= 0 && result.relevance <= 1);
    }
    offset = page.pagination.next_offset;
  }
  assert.equal(pages, 4);
  assert.equal(new Set(found).size, 12);
}

async function testAdditionsToSearch(api: Api) {
  const query = { q: "rate limit", tag: ["limits"], facets: ["category" as const], highlight: true };
  const page = (await api.GET("/search", { params: { query } })).data;
  assert(page && page.facets?.category?.length);
  const counted = page.facets.category.reduce((sum, { count }) => sum + count, 0);
  assert.equal(counted, page.pagination.total);
  const [first] = page.data;
  assert(first?.excerpt_parts);
  assert.equal(first.excerpt_parts.map(({ text }) => text).join(""), first.excerpt);
  const suggestions = (await api.GET("/suggest", { params: { query: { q: "rate li" } } })).data?.data ?? [];
  assert(suggestions.some(({ kind, text }) => kind === "query" && text.startsWith("rate li")));
  assert(suggestions.some(({ kind, id }) => kind === "title" && id !== undefined));
  const params = { path: { id: "guide/compression" }, query: { limit: 50 } };
  const related = (await api.GET("/item/{id}/related", { params })).data?.data ?? [];
  assert(related[0]?.stored && related.some(({ stored }) => !stored));
}

async function testRefusedParameter(api: Api) {
  const { data, error } = await api.GET("/search", { params: { query: { q: "a" } } });
  assert.equal(data, undefined);
  assert(error && error.error.code === "INVALID_PARAMETER");
  assert.equal(error.error.details?.["parameter"], "q");
}

async function testItems(api: Api) {
  const path = { id: "guide/compression" };
  const { data: item, response } = await api.GET("/item/{id}", { params: { path } });
  assert(item);
  assert.equal(item.data.title, "Compression");
  const header = { "If-None-Match": response.headers.get("ETag") ?? "" };
  const again = await api.GET("/item/{id}", { params: { path, header } });
  assert.equal(again.response.status, 304);
  const [first] = item.data.related;
  assert(first);
  const related = await api.GET("/item/{id}", { params: { path: { id: first } } });
  assert.equal(related.data?.data.id, first);
  for (const id of ["no such/item?", "ünknown"]) {
    const missing = await api.GET("/item/{id}", { params: { path: { id } } });
    assert.equal(missing.response.status, 404);
    assert.equal(missing.error?.error.code, "NOT_FOUND");
  }
}

async function testLists(api: Api) {
  const categories = (await api.GET("/categories", { params: { query: { include_counts: false } } })).data;
  const first = categories?.data[0];
  assert(first && first.item_count === undefined);
  const params = { path: { id: first.id }, query: { include_items: true, limit: 2 } };
  assert.equal((await api.GET("/category/{id}", { params })).data?.data.items?.length, 2);
  const popular = await api.GET("/popular", { params: { query: { period: "all", limit: 3 } } });
  assert.equal(popular.data?.data.length, 3);
  assert.equal((await api.GET("/recent")).data?.data.length, 10);
  const statistics = (await api.GET("/stats")).data;
  assert.equal(Object.keys(statistics?.data.daily_activity ?? {}).length, 30);
  assert.match((await api.GET("/openapi.json")).data?.openapi ?? "", /^3\.1\./);
}

async function testKeys(url: string) {
  const { response, error } = await clientOf(url, "kb_nothing").GET("/recent");
  assert.equal(response.status, 401);
  assert.match(response.headers.get("WWW-Authenticate") ?? "", /^Bearer/);
  assert.equal(error?.error.code, "UNAUTHORIZED");
}

async function testQuota(api: Api) {
  for (let i = 0; i < 1000; ++i) {
    const { error, response } = await api.GET("/recent", { params: { query: { limit: 1 } } });
    if (response.status !== 429) continue;
    assert(error && error.error.code === "RATE_LIMIT_EXCEEDED");
    assert.equal(error.error.details?.["limit"], Number(response.headers.get("X-RateLimit-Limit")));
    assert(Number(response.headers.get("Retry-After")) >= 1);
    return;
  }
  assert.fail("the key with few requests has many");
}

async function* eventsOf(stream: ReadableStream<Uint8Array>) {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of stream) {
    text += decoder.decode(bytes, { stream: true });
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const lines = text.slice(0, end).split("\n");
      text = text.slice(end + 2);
      const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? "";
      yield { event: field("event"), data: field("data") };
    }
  }
}

async function testExternal(api: Api, keyless: Api) {
  const health = (await keyless.GET("/health")).data;
  assert(health);
  const user = await api.GET("/external/codehost/{username}", { params: { path: { username: "ada" } } });
  if (health.services.external_apis.codehost === "available") assert.equal(user.data?.data.profile.username, "ada");
  else assert.equal(user.error?.error.code, "SERVICE_UNAVAILABLE");

  const body: Schemas["CompletionRequest"] = { prompt: "Why is the sky blue?", max_tokens: 50, stream: false };
  assert.equal((await keyless.POST("/external/llm", { body })).response.status, 401);
  const { data: answer, response } = await api.POST("/external/llm", { body });
  if (health.services.external_apis.llm !== "available") {
    assert.equal(response.status, 503);
    assert(Number(response.headers.get("Retry-After")) >= 1);
    return;
  }
  assert(typeof answer === "object" && "success" in answer);
  const { data: stream } = await api.POST("/external/llm", { body: { ...body, stream: true }, parseAs: "stream" });
  assert(stream);
  let text = "";
  let last = "";
  for await (const { event, data } of eventsOf(stream as ReadableStream<Uint8Array>)) {
    last = event;
    if (event === "delta") text += (JSON.parse(data) as Schemas["StreamDelta"]).text;
    if (event === "done") assert((JSON.parse(data) as Schemas["StreamDone"]).usage.total_tokens > 0);
  }
  assert.equal(last, "done");
  assert.equal(text, answer.data.completion);
}

async function testWriting(api: Api) {
  const path = { id: "written/typescript" };
  const body: Schemas["ItemDraft"] = { title: "Written", category: "guide", content: "Written by a client." };
  const header = { "If-None-Match": "*" };
  const created = await api.PUT("/item/{id}", { params: { path, header }, body });
  assert.equal(created.response.status, 201);
  assert.equal(created.data?.data.outcome, "created");
  const refused = await api.PUT("/item/{id}", { params: { path, header }, body });
  assert.equal(refused.error?.error.code, "PRECONDITION_FAILED");
  const tag = { "If-Match": created.response.headers.get("ETag") ?? "" };
  assert.equal((await api.DELETE("/item/{id}", { params: { path, header: tag } })).response.status, 204);
  const items = [1, 2, 3].map((number) => ({ id: `written/${number}`, title: "Line", category: "guide" }));
  const sendLines = async (lines: string, prune: boolean) => {
    const params = { query: { source: "typescript", prune, prune_limit: 100 } };
    const headers = { "Content-Type": "application/x-ndjson" };
    return (await api.POST("/import", { params, headers, body: lines, bodySerializer: (text) => text })).data;
  };
  assert.equal((await sendLines(items.map((item) => JSON.stringify(item)).join("\n"), false))?.data.added, 3);
  assert.equal((await sendLines("", true))?.data.removed, 3);
}

const [url, key, tightKey, writeKey] = process.argv.slice(2);
assert(url && key && tightKey && writeKey, "URL KEY TIGHT_KEY WRITE_KEY");
const api = clientOf(url, key);
await testSearchPageByPage(api);
await testAdditionsToSearch(api);
await testRefusedParameter(api);
await testItems(api);
await testLists(api);
await testKeys(url);
await testExternal(api, clientOf(url));
await testWriting(clientOf(url, writeKey));
await testQuota(clientOf(url, tightKey));
console.log("the TypeScript client works");
