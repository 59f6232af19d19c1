// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>
#include <atomic>

#include "adapters/content/content_source.hpp"
#include "tests/adapters/content_sources.hpp"
#include "tests/support/gzip.hpp"

namespace kbase::content {
namespace {

using namespace std::string_literals;
using tests::packed;

std::string line(const std::string& id) { return R"({"id":")" + id + R"(","title":"","category":"c"})"; }

std::string item(int line_number, const std::string& id) {
  return std::to_string(line_number) + ": item id=" + id +
         " title= category=c content= tags=[] related=[] author= created=- updated=- views=0 further=";
}

class JsonLines : public ContentFiles {};
class JsonDocument : public ContentFiles {};
class Gzip : public ContentFiles {};
class Source : public ContentFiles {};

TEST_F(JsonLines, AcceptByteOrderMarksCarriageReturnsAndBlankLines) {
  const Reading reading =
      read("a.ndjson", "\xEF\xBB\xBF" + line("a") + "\r\n\r\n \t\n" + line("b") + "\n\n" + line("c"));
  EXPECT_EQ(reading.records, (std::vector<std::string>{item(1, "a"), item(4, "b"), item(6, "c")}));
  EXPECT_EQ(reading.error, "");
  EXPECT_EQ(reading.progress, 1.0);
}

TEST_F(JsonLines, ReturnInvalidLinesUnchangedAndContinue) {
  const Reading reading = read("a.jsonl", line("a") + "\n{\"id\": []}\r\n" + line("b"));
  ASSERT_EQ(reading.records.size(), 3u);
  EXPECT_EQ(reading.records[1], "2: reject id must be a string or an integer");
  EXPECT_EQ(reading.texts, std::vector<std::string>{"{\"id\": []}"});
  EXPECT_EQ(reading.records[2], item(3, "b"));
}

TEST_F(JsonLines, AreJoinedAcrossChunks) {
  const std::string filler(300 * 1024, 'x');
  const std::string large = R"({"id":"a","title":")" + filler + R"(","category":"c"})";
  const Reading reading = read("a.jsonl", large + "\n" + line("b") + "\n" + large);
  ASSERT_EQ(reading.records.size(), 3u);
  EXPECT_GT(reading.records[0].size(), filler.size());
  EXPECT_EQ(reading.records[1], item(2, "b"));
  EXPECT_EQ(reading.records[2].substr(1), reading.records[0].substr(1));
}

TEST_F(JsonLines, LongerThan64MiBAreRejectedWithoutAllocatingThem) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the memory of the sanitizer would be counted";
#endif
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  const std::string name = path("a.jsonl.gz");
  {
    const std::string mebibyte(1 << 20, 'x');
    gzFile file = gzopen(name.c_str(), "wb1");
    for (int i = 0; i < 300; ++i) gzwrite(file, mebibyte.data(), static_cast<unsigned>(mebibyte.size()));
    gzputs(file, ("\n" + line("b") + "\n").c_str());
    gzclose(file);
  }
  const Reading reading = read_source(name);
  getrusage(RUSAGE_SELF, &after);
  EXPECT_EQ(reading.records, (std::vector<std::string>{"1: reject the record is longer than 64 MiB", item(2, "b")}));
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 250 * 1024) << "KiB";
}

TEST_F(JsonLines, OfAFileNamedCategoriesAreCategories) {
  EXPECT_EQ(read("categories.jsonl", R"({"id":"c","name":"C"})").records,
            (std::vector<std::string>{"1: category id=c name=C description= icon= subcategories=[]"}));
}

TEST_F(JsonDocument, IsAnArrayOrAnObjectWithOneArray) {
  const std::vector<std::string> wanted = {item(2, "a"), item(3, "b")};
  EXPECT_EQ(read("a.json", "[\n" + line("a") + ",\n" + line("b") + "\n]\n").records, wanted);
  EXPECT_EQ(read("b.json",
                 "{\"success\": true, \"data\": [\n" + line("a") + " ,\n" + line("b") + "], \"next\": {\"x\": [1]}}")
                .records,
            wanted);
  EXPECT_EQ(read("c.json", "\xEF\xBB\xBF []").error, "");
}

TEST_F(JsonDocument, ReportsTheLineOfAnInvalidElementAndContinues) {
  const Reading reading = read("a.json", "[\n  {\"id\": \"]},[\\\"\",\n   oops},\n  7, " + line("b") + "]");
  ASSERT_EQ(reading.records.size(), 3u) << reading.error;
  EXPECT_EQ(reading.records[0].substr(0, 29), "3: reject not JSON at column ");
  EXPECT_EQ(reading.records[1], "4: reject a record must be a JSON object");
  EXPECT_EQ(reading.records[2], item(4, "b"));
  EXPECT_EQ(reading.texts[1], "7");
}

TEST_F(JsonDocument, IsOneRecordWithoutAnArrayOfObjects) {
  EXPECT_EQ(read("a.json",
                 "\n{\"id\": \"a\",\n \"title\": \"T\", \"category\": \"c\", \"tags\": [\"x\", \"y\"], "
                 "\"metadata\": {\"author\": \"A\"}, \"related\": []}\n")
                .records,
            (std::vector<std::string>{"2: item id=a title=T category=c content= tags=[x|y] related=[] author=A "
                                      "created=- updated=- views=0 further="}));
  EXPECT_EQ(read("b.json", "{}").records,
            std::vector<std::string>{"1: reject id is missing; --map id=NAME takes it from another member"});
}

TEST_F(JsonDocument, HasNoRecordsIfItsArrayIsEmpty) {
  const Reading reading = read("a.json", "{\"success\": true, \"items\": [ ], \"names\": [\"x\"]}");
  EXPECT_EQ(reading.error, "");
  EXPECT_TRUE(reading.records.empty());
  EXPECT_EQ(read("b.json", "{\"tags\": [], \"title\": \"T\"}").records.size(), 1U);
}

TEST_F(JsonDocument, IgnoresArraysWithoutObjects) {
  EXPECT_EQ(
      read("a.json", "{\"errors\": [], \"names\": [\"x\"], \"items\": [" + line("a") + "], \"n\": [ 1 ]}").records,
      std::vector<std::string>{item(1, "a")});
}

TEST_F(JsonDocument, IsRejectedIfInvalidOrWithSeveralArrays) {
  const auto error_of = [&](const std::string& text) { return local(read("a.json", text).error); };
  EXPECT_EQ(error_of(""), "a.json:1: the document is empty");
  EXPECT_EQ(error_of("\n5"), "a.json:2: expected a JSON array, or an object that contains one");
  EXPECT_EQ(error_of("{\"a\": [{}], \"b\": [{}]}"),
            "a.json:1: the document has more than one array of objects; expected one array of records");
  EXPECT_EQ(error_of("{\"a\": nope, \"b\": []}"), "a.json:1: not JSON: a member of the document is malformed");
  EXPECT_EQ(error_of("{\"a\" [] }"), "a.json:1: not JSON: ':' is missing");
  EXPECT_EQ(error_of("{\"a\": [],}"), "a.json:1: not JSON: the name of a member is missing");
  EXPECT_EQ(error_of("[" + line("a") + "\n" + line("b")), "a.json:2: not JSON: the document is incomplete");
  EXPECT_EQ(error_of("[" + line("a") + ",\n]"), "a.json:2: not JSON: a value is missing");
  EXPECT_EQ(error_of("[" + line("a") + "}"), "a.json:1: not JSON: ',' is missing");
  EXPECT_EQ(error_of("[\"" + line("a")), "a.json:1: not JSON: the document is incomplete");
  EXPECT_EQ(
      error_of("{\"id\": \"a\"}\n{\"id\": \"b\"}"),
      "a.json:2: unexpected text after the end of the document (a JSON Lines file must be named .jsonl or .ndjson)");
  EXPECT_EQ(
      error_of("[]\n[]"),
      "a.json:2: unexpected text after the end of the document (a JSON Lines file must be named .jsonl or .ndjson)");
}

TEST_F(Gzip, IsDecompressedInEveryFormIncludingSeveralMembers) {
  const std::vector<std::string> wanted = {item(1, "a"), item(2, "b")};
  EXPECT_EQ(read("a.jsonl.gz", packed(line("a") + "\n") + packed(line("b"))).records, wanted);
  EXPECT_EQ(read("a.json.gz", packed("[" + line("a") + ",\n" + line("b") + "]")).records, wanted);
  EXPECT_EQ(read("named-wrongly.jsonl", packed(line("a") + "\n" + line("b"))).records, wanted);
  std::string large;
  for (int i = 0; i < 20000; ++i) large += line("x" + std::to_string(i)) + "\n";
  EXPECT_EQ(read("large.jsonl.gz", packed(large)).records.size(), 20000u);
}

TEST_F(Gzip, ThatIsDamagedIsReportedWithItsFile) {
  const std::string whole = packed(line("a") + "\n" + line("b"));
  EXPECT_EQ(local(read("a.jsonl.gz", whole.substr(0, whole.size() - 1)).error),
            "a.jsonl.gz: the gzip data is truncated: the file is incomplete");
  EXPECT_EQ(local(read("a.jsonl.gz", "").error), "a.jsonl.gz: the gzip data is truncated: the file is incomplete");
  EXPECT_EQ(local(read("a.jsonl.gz", line("a")).error), "a.jsonl.gz: is not gzip data");
  std::string broken = whole;
  broken[broken.size() - 6] ^= 1;  // a byte of the checksum
  EXPECT_EQ(local(read("a.jsonl.gz", broken).error), "a.jsonl.gz: invalid gzip data: incorrect data check");
  EXPECT_EQ(local(read("a.jsonl.gz", whole + "rest").error), "a.jsonl.gz: invalid gzip data: incorrect header check");
}

TEST_F(Source, ThatIsInvalidIsNamed) {
  EXPECT_EQ(read_source("/nowhere/a.jsonl").error, "/nowhere/a.jsonl: no such file or folder");
  EXPECT_EQ(read_source("/nowhere").error, "/nowhere: no such file or folder");
  EXPECT_EQ(local(read("a.xlsx", "x").error).substr(0, 35), "a.xlsx: is not a supported source; ");
}

TEST_F(Source, StopsWhenTheVisitorStopsOrTheCallIsCancelled) {
  const auto source = open_source(write("a.jsonl", line("a") + "\n" + line("b")), {}, tests::kPlainMarkup, kToday, {});
  ASSERT_TRUE(source);
  int visited = 0;
  ports::Call call;
  const auto stopped = (*source)->read(call, [&](const ports::ContentRecord&) {
    ++visited;
    return Visit::Stop;
  });
  EXPECT_TRUE(stopped);
  EXPECT_EQ(visited, 1);

  const std::atomic<bool> cancel = true;
  call.cancel = &cancel;
  const auto again = open_source(path("a.jsonl"), {}, tests::kPlainMarkup, kToday, {});
  const auto cancelled = (*again)->read(call, [](const ports::ContentRecord&) { return Visit::Continue; });
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, ErrorCode::Cancelled);
}

class Sink : public ContentFiles {
 protected:
  /// Writes one record of each kind.
  void fill(ports::ContentSink& sink) {
    const std::vector<std::string_view> words = {"one", "t\"w\\o"};
    model::CategoryView category;
    category.id = "c";
    category.name = "C";
    category.icon = "\xE2\x98\x85";
    category.subcategories = words;
    model::ItemView item;
    item.id = "a";
    item.title = "T\t\x01";
    item.category = "c";
    item.content = std::string_view("x\0y", 3);
    item.tags = words;
    item.metadata = {"Ada", *model::parse_day("0024-02-29"), *model::parse_day("2024-03-01"), 7,
                     R"("z":[1,{"k":2.50}])"};
    const std::vector<ports::DayViews> days = {{*model::parse_day("2024-03-01"), 2},
                                               {*model::parse_day("2024-03-02"), 5}};
    EXPECT_TRUE(sink.put(category));
    EXPECT_TRUE(sink.put(item));
    EXPECT_TRUE(sink.put({"a", days}));
  }
};

TEST_F(Sink, WritesRecordsThatASourceReadsBack) {
  for (const char* name : {"a.jsonl", "a.jsonl.gz"}) {
    const auto sink = open_sink(path(name));
    ASSERT_TRUE(sink) << sink.error().message;
    fill(**sink);
    ASSERT_TRUE((*sink)->finish());
    EXPECT_EQ(
        read_source(path(name)).records,
        (std::vector<std::string>{"1: category id=c name=C description= icon=\xE2\x98\x85 subcategories=[one|t\"w\\o]",
                                  "2: item id=a title=T\t\x01 category=c content=x\0y tags=[one|t\"w\\o] related=[] "
                                  "author=Ada created=0024-02-29 "
                                  "updated=2024-03-01 views=7 further=\"z\":[1,{\"k\":2.50}]"s,
                                  "3: activity item=a 2024-03-01=2 2024-03-02=5"}));
  }
}

TEST_F(Sink, KeepsTheOldFileUntilFinished) {
  write("a.jsonl", "old");
  {
    const auto sink = open_sink(path("a.jsonl"));
    ASSERT_TRUE(sink);
    fill(**sink);
  }
  std::ifstream stream(path("a.jsonl"));
  EXPECT_EQ(std::string((std::istreambuf_iterator<char>(stream)), {}), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path("")), {}), 1) << "no other file remains";
}

TEST_F(Sink, NamesTheFileThatItCannotWrite) {
  const auto sink = open_sink("/nowhere/a.jsonl");
  ASSERT_FALSE(sink);
  EXPECT_EQ(sink.error().message, "/nowhere/a.jsonl: No such file or directory");
  const auto full = open_sink("/dev/full");
  ASSERT_TRUE(full);
  fill(**full);
  const auto finished = (*full)->finish();
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().message, "/dev/full: no space left to write it; free disk space and try again");
}

}  // namespace
}  // namespace kbase::content
