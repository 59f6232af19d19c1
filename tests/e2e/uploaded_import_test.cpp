// SPDX-License-Identifier: Apache-2.0
// Imports over HTTP: POST /import.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/e2e/knowledge_base.hpp"
#include "tests/e2e/raw_connection.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/gzip.hpp"

namespace kbase::tests {
namespace {

using nlohmann::json;

std::string line_of(const std::string& id, const std::string& title = "Moon") {
  return json{{"id", id}, {"title", title}, {"category", "space"}, {"content", "The moon orbits the earth."}}.dump() +
         '\n';
}

/// A tar archive (POSIX.1-1988, ustar) of small files.
std::string archive_of(const std::vector<std::pair<std::string, std::string>>& files) {
  std::string archive;
  for (const auto& [name, text] : files) {
    std::string head(512, '\0');
    const auto put = [&head](std::size_t at, const std::string& value) { head.replace(at, value.size(), value); };
    char size[12];
    std::snprintf(size, sizeof size, "%011zo", text.size());
    put(0, name);
    put(100, "0000644");
    put(124, size);
    put(136, "15165432000");
    put(148, "        ");
    put(156, "0");
    put(257, "ustar");
    put(263, "00");
    unsigned sum = 0;
    for (const char c : head) sum += static_cast<unsigned char>(c);
    char checksum[8];
    std::snprintf(checksum, sizeof checksum, "%06o", sum);
    put(148, checksum);
    archive += head + text + std::string((512 - text.size() % 512) % 512, '\0');
  }
  return archive + std::string(1024, '\0');
}

class UploadedImport : public ChangingTest {
 protected:
  UploadedImport()
      : served_(GetParam(), fixture_corpus_file(), Quota::Lifted, {"--set", "server.max_import_bytes=1MiB"}),
        key_(served_.base().create_key("premium", {"--scopes", "read,write"}).text),
        writer_(served_.client(key_)) {}

  Response send(const std::string& query, std::string body, std::vector<std::string> fields = {}) {
    fields.push_back("Content-Type: application/x-ndjson");
    return writer_.send({.method = "POST",
                         .target = "/import" + query,
                         .fields = std::move(fields),
                         .body = std::move(body),
                         .whole_target = {}});
  }

  json import(const std::string& query, std::string body, std::vector<std::string> fields = {}) {
    const Response response = send(query, std::move(body), std::move(fields));
    EXPECT_EQ(response.status, 200) << response.body;
    return response.json().value("data", json());
  }

  /// Head of an import whose body follows.
  std::string head(const std::string& framing) const {
    return "POST /api/v1/import?source=docs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + key_ + "\r\n" + framing +
           "\r\n\r\n";
  }

  long status_of(const std::string& id) { return writer_.get("/item/" + id).status; }
  std::filesystem::path uploads() { return served_.base().folder() / "data" / "uploads"; }
  bool keeps_nothing() const { return GetParam().storage == Storage::Memory; }

  ServedBase served_;
  const std::string key_;
  Client writer_;
};

INSTANTIATE_TEST_SUITE_P(Storage, UploadedImport, every_storage(), name_of);

#define SKIP_WITHOUT_STORAGE() \
  if (keeps_nothing()) GTEST_SKIP() << "the storage memory keeps no changes"

TEST_P(UploadedImport, AStorageInMemoryRefusesAllChanges) {
  if (!keeps_nothing()) GTEST_SKIP() << "this storage keeps changes";
  EXPECT_EQ(send("?source=docs", line_of("a")).status, 409);
  for (const char* method : {"PUT", "DELETE"})
    EXPECT_EQ(writer_
                  .send({.method = method,
                         .target = "/item/a",
                         .fields = {"Content-Type: application/json"},
                         .body = json{{"title", "a"}, {"category", "b"}}.dump(),
                         .whole_target = {}})
                  .status,
              409);
}

TEST_P(UploadedImport, ReportsWhatChangedAndShowsIt) {
  SKIP_WITHOUT_STORAGE();
  json report = import("?source=docs", line_of("a") + line_of("b"));
  EXPECT_EQ(report["added"], 2);
  EXPECT_TRUE(report["rejections"].empty());
  EXPECT_EQ(status_of("a"), 200);
  EXPECT_TRUE(eventually(kWithinFiveSeconds, [&] {
    return writer_.get("/search?q=moon+orbits").json()["pagination"]["total"].get<int>() >= 2;
  }));

  report = import("?source=docs", line_of("a", "Changed") + line_of("b"));
  EXPECT_EQ(report["changed"], 1);
  EXPECT_EQ(report["unchanged"], 1);
  report = import("?source=docs&dry_run=true&prune=true", line_of("a", "Changed"));
  EXPECT_EQ(report["removed"], 1);
  EXPECT_EQ(status_of("b"), 200);
  report = import("?source=docs", line_of("a", "Changed"));
  EXPECT_EQ(report["missing"], 1);
  report = import("?source=docs&prune=true", line_of("a", "Changed"));
  EXPECT_EQ(report["removed"], 1);
  EXPECT_EQ(status_of("b"), 404);
}

TEST_P(UploadedImport, ReportsWhatTheCommandReports) {
  SKIP_WITHOUT_STORAGE();
  const std::string lines = line_of("a") + "{\"id\":\"b\"}\n" + "no JSON\n" + line_of("c") +
                            R"({"type":"category","id":"space","name":"Space"})" + "\n" + line_of("a", "Again");
  const json report = import("?source=docs&on_error=skip", lines);
  const KnowledgeBase other(GetParam());
  const Outcome command = other.run({"import", "--source", "docs", "--on-error", "skip", "-"}, lines);
  for (const char* name : {"added", "changed", "unchanged", "removed", "rejected"})
    EXPECT_NE(command.output.find(name + (' ' + report[name].dump())), std::string::npos) << command.output << report;
  ASSERT_EQ(report["rejections"].size(), 2u);
  for (const json& each : report["rejections"])
    EXPECT_NE(command.errors.find(each["reason"].get<std::string>()), std::string::npos) << each << command.errors;
}

TEST_P(UploadedImport, ABadLineStopsItAndNothingIsStored) {
  SKIP_WITHOUT_STORAGE();
  const Response refused = send("?source=docs", line_of("a") + "{\"id\":\"b\"}\n");
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.json()["error"]["code"], "INVALID_BODY");
  EXPECT_NE(refused.json()["error"]["message"].get<std::string>().find("body:2: title is missing"), std::string::npos);
  EXPECT_EQ(status_of("a"), 404);
}

TEST_P(UploadedImport, ItemsOfAnotherSourceAreRejected) {
  SKIP_WITHOUT_STORAGE();
  import("?source=docs", line_of("a"));
  const json report = import("?source=other&on_error=skip", line_of("a", "Taken") + line_of("b"));
  EXPECT_EQ(report["rejected"], 1);
  EXPECT_EQ(report["added"], 1);
  EXPECT_EQ(writer_.get("/item/a").json()["data"]["title"], "Moon");
  EXPECT_EQ(import("?source=other&take_over=true", line_of("a", "Taken"))["changed"], 1);
  EXPECT_EQ(writer_.get("/item/a").json()["data"]["title"], "Taken");
}

TEST_P(UploadedImport, NotesWhatTheCommandPrints) {
  SKIP_WITHOUT_STORAGE();
  const std::string misspelled = R"({"id":"a","titel":"A","title":"A","category":"c","content":"c"})"
                                 "\n";
  const json notes = import("?source=docs", misspelled + line_of("a"))["notes"];
  ASSERT_EQ(notes.size(), 2u) << notes;
  EXPECT_EQ(notes[0], "body:2: 'a' is a duplicate in this source; it replaces the earlier record");
  EXPECT_EQ(notes[1], "ignored: 'titel' in 1 record; did you mean 'title'?");
  EXPECT_EQ(import("?source=docs", "")["notes"][0].get<std::string>().substr(0, 22), "body: no records found");

  const Response imported = writer_.send({.method = "POST",
                                          .target = "/import?source=pages",
                                          .fields = {"Content-Type: application/x-tar"},
                                          .body = archive_of({{"p.md", "# A\n"}, {"b.rst", "B\n=\n"}, {"c.png", ""}}),
                                          .whole_target = {}});
  const json of_pages = imported.json()["data"]["notes"];
  ASSERT_EQ(of_pages.size(), 2u) << of_pages;
  EXPECT_EQ(of_pages[0], "skipped: 1 .png, 1 .rst");
  EXPECT_TRUE(of_pages[1].get<std::string>().starts_with("pages that need a program")) << of_pages;
}

TEST_P(UploadedImport, ReadsMembersWithOtherNames) {
  SKIP_WITHOUT_STORAGE();
  const std::string line = R"({"nr": "a", "question": "Why?", "content": "Because."})"
                           "\n";
  EXPECT_EQ(import("?source=faq&map=id%3Dnr,title%3Dquestion&map=category%3D%27faq%27", line)["added"], 1);
  const json item = writer_.get("/item/a").json()["data"];
  EXPECT_EQ(item["title"], "Why?");
  EXPECT_EQ(item["category"], "faq");
  EXPECT_EQ(send("?source=faq&map=x", line).status, 400);
}

TEST_P(UploadedImport, ReadsCompressedAndChunkedBodies) {
  SKIP_WITHOUT_STORAGE();
  EXPECT_EQ(import("?source=docs", packed(line_of("a")), {"Content-Encoding: gzip"})["added"], 1);
  EXPECT_EQ(send("?source=docs", packed(line_of("a")).substr(0, 40), {"Content-Encoding: gzip"}).status, 400);
  RawConnection connection(served_.server().base_url());
  const std::string lines = line_of("b") + line_of("c");
  ASSERT_TRUE(connection.send(head("Transfer-Encoding: chunked")));
  for (const char byte : lines) ASSERT_TRUE(connection.send("1\r\n" + std::string(1, byte) + "\r\n"));
  ASSERT_TRUE(connection.send("0\r\n\r\n"));
  const std::string answer = connection.receive_all();
  EXPECT_NE(answer.find("\"added\":2"), std::string::npos) << answer;
}

TEST_P(UploadedImport, ReadsAnArchiveOfPages) {
  SKIP_WITHOUT_STORAGE();
  const std::string archive = archive_of({{"handbook/moon.md", "---\ntitle: The moon\n---\n\nIt orbits the earth.\n"},
                                          {"handbook/planets/mars.md", "# Mars\n\nA red planet.\n"}});
  const auto upload = [&](const std::string& type, const std::string& body) {
    return writer_.send({.method = "POST",
                         .target = "/import?source=handbook&prune=true",
                         .fields = {"Content-Type: " + type},
                         .body = body,
                         .whole_target = {}});
  };
  for (const std::string& body : {archive, packed(archive)}) {
    const Response imported = upload("application/x-tar", body);
    ASSERT_EQ(imported.status, 200) << imported.body;
  }
  EXPECT_EQ(writer_.get("/item/moon").json()["data"]["title"], "The moon");
  EXPECT_EQ(writer_.get("/item/planets%2Fmars").json()["data"]["title"], "Mars");

  const auto put_below = [&](const std::string& query) {
    return writer_
        .send({.method = "POST",
               .target = "/import?source=other&" + query,
               .fields = {"Content-Type: application/x-tar"},
               .body = archive,
               .whole_target = {}})
        .status;
  };
  EXPECT_EQ(put_below("prefix=other&ids=name"), 200);
  EXPECT_EQ(status_of("other%2Fmars"), 200);
  EXPECT_EQ(put_below("prefix=a%0Ab"), 400);
  EXPECT_EQ(put_below("ids=other"), 400);
  EXPECT_EQ(put_below("map=title%3Dname"), 400);
  EXPECT_EQ(send("?source=other&prefix=other", line_of("c")).status, 400);

  const Response damaged = upload("application/x-tar", "no archive at all");
  EXPECT_EQ(damaged.status, 400);
  EXPECT_EQ(damaged.body.find("upload-"), std::string::npos) << damaged.body;
  const Response outside = upload("application/x-tar", archive_of({{"../evil.md", "# Evil"}}));
  EXPECT_EQ(outside.status, 400);
  EXPECT_EQ(outside.body.find(served_.base().folder().string()), std::string::npos) << outside.body;
  EXPECT_EQ(status_of("moon"), 200);
  EXPECT_TRUE(std::filesystem::is_empty(uploads()));
}

TEST_P(UploadedImport, WhatAKilledServerLeavesIsRemovedAtTheNextStart) {
  std::filesystem::create_directories(uploads() / "upload-x");
  std::filesystem::copy_file(fixture_corpus_file(), uploads() / "upload-x" / "a.jsonl");
  served_.restart();
  EXPECT_TRUE(std::filesystem::is_empty(uploads()));
}

TEST_P(UploadedImport, ABodyThatEndsEarlyChangesNothing) {
  SKIP_WITHOUT_STORAGE();
  const std::string before = served_.base().exported();
  for (const char* framing : {"Content-Length: 100000", "Transfer-Encoding: chunked"}) {
    RawConnection connection(served_.server().base_url());
    ASSERT_TRUE(connection.send(head(framing)));
    const std::string lines = line_of("a") + line_of("b");
    ASSERT_TRUE(connection.send(framing[0] == 'C' ? lines : "ff\r\n" + lines));
  }
  // The next import begins when the server has noticed that these ended.
  EXPECT_TRUE(eventually(kWithinFiveSeconds, [&] { return send("?source=none", "").status == 200; }));
  EXPECT_EQ(status_of("a"), 404);
  EXPECT_EQ(served_.base().exported(), before);
}

TEST_P(UploadedImport, OnlyOneRunsAtATime) {
  SKIP_WITHOUT_STORAGE();
  const std::string lines = line_of("a");
  RawConnection first(served_.server().base_url());
  ASSERT_TRUE(first.send(head("Expect: 100-continue\r\nContent-Length: " + std::to_string(lines.size()))));
  ASSERT_NE(first.receive().find("100 Continue"), std::string::npos);
  const Response second = send("?source=docs", line_of("b"));
  EXPECT_EQ(second.status, 409);
  EXPECT_GE(second.number("retry-after"), 1);
  ASSERT_TRUE(first.send(lines));
  EXPECT_NE(first.receive_all().find("\"added\":1"), std::string::npos);
  EXPECT_EQ(import("?source=docs", line_of("a") + line_of("b"))["added"], 1);
}

TEST_P(UploadedImport, ALargerBodyThanPermittedIsRefused) {
  SKIP_WITHOUT_STORAGE();
  std::string lines;
  while (lines.size() < 1'200'000) lines += line_of("a" + std::to_string(lines.size()));
  EXPECT_EQ(send("?source=docs", lines).status, 413);
  RawConnection connection(served_.server().base_url());
  ASSERT_TRUE(connection.send(head("Transfer-Encoding: chunked") + "200000\r\n"));
  connection.send(lines);
  EXPECT_NE(connection.receive_all().find(" 413 "), std::string::npos);
  EXPECT_EQ(status_of("a0"), 404);
}

TEST_P(UploadedImport, APruneThatRemovesMostItemsNeedsPermission) {
  SKIP_WITHOUT_STORAGE();
  std::string lines;
  for (int i = 0; i < 500; ++i) lines += line_of("a" + std::to_string(i));
  import("?source=docs", lines);
  const Response refused = send("?source=docs&prune=true", line_of("a0"));
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.json()["error"]["details"]["parameter"], "prune_limit");
  EXPECT_EQ(import("?source=docs&prune=true&prune_limit=100", line_of("a0"))["removed"], 499);
}

TEST_P(UploadedImport, OnlyTheScopeWriteAllowsIt) {
  const auto status_with = [&](const std::string& key) {
    Client client = served_.client(key);
    return client
        .send(
            {.method = "POST", .target = "/import?source=docs", .fields = {}, .body = line_of("a"), .whole_target = {}})
        .status;
  };
  EXPECT_EQ(status_with(""), 401);
  EXPECT_EQ(status_with("kb_nothing"), 401);
  EXPECT_EQ(status_with(served_.base().create_key("premium").text), 403);
  EXPECT_EQ(status_of("a"), 404);
}

TEST_P(UploadedImport, InvalidParametersAndTypesAreRefused) {
  for (const char* query :
       {"", "?source=", "?source=a%0Ab", "?source=docs&prune=maybe", "?source=docs&on_error=ignore"})
    EXPECT_EQ(send(query, line_of("a")).status, 400) << query;
  const Response form = writer_.send({.method = "POST",
                                      .target = "/import?source=docs",
                                      .fields = {"Content-Type: multipart/form-data; boundary=x"},
                                      .body = line_of("a"),
                                      .whole_target = {}});
  EXPECT_EQ(form.status, 415);
}

}  // namespace
}  // namespace kbase::tests
