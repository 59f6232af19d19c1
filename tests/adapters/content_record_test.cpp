// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "tests/adapters/content_sources.hpp"

namespace kbase::content {
namespace {

using namespace std::string_literals;

class ContentRecords : public ContentFiles {
 protected:
  /// The record that a line parses to, without its position.
  std::string record(const std::string& line) {
    const Reading reading = read("a.jsonl", line);
    if (reading.records.size() != 1) return std::to_string(reading.records.size()) + " records " + reading.error;
    EXPECT_EQ(reading.records[0].substr(0, 3), "1: ");
    return reading.records[0].substr(3);
  }
  /// An item that is valid except for these additional members.
  std::string item_with(const std::string& members) {
    return record(R"({"id":"a","title":"","category":"c",)" + members + "}");
  }
};

TEST_F(ContentRecords, AreItemsInTheSpecifiedFormat) {
  EXPECT_EQ(record(R"({"id":"a","title":"T","category":"c","content":"x\ny","tags":["t","u"],"related":["b"],)"
                   R"("metadata":{"author":"Ada","created":"2024-02-29","updated":"2024-03-01","views":7}})"),
            "item id=a title=T category=c content=x\ny tags=[t|u] related=[b] author=Ada created=2024-02-29 "
            "updated=2024-03-01 views=7 further=");
  EXPECT_EQ(record(R"({"category":"c","title":"","id":"a","type":"item"})"),
            "item id=a title= category=c content= tags=[] related=[] author= created=- updated=- views=0 further=");
}

TEST_F(ContentRecords, AreCategoriesDeletionsAndActivityByTheirType) {
  EXPECT_EQ(record(R"({"type":"category","id":"c","name":"C","description":"D","icon":"*","subcategories":["d","e"]})"),
            "category id=c name=C description=D icon=* subcategories=[d|e]");
  EXPECT_EQ(record(R"({"id":"c","type":"category"})"), "category id=c name= description= icon= subcategories=[]");
  EXPECT_EQ(record(R"({"type":"delete","id":"a"})"), "delete id=a");
  EXPECT_EQ(record(R"({"type":"activity","item":"a","days":{"2024-03-02":5,"2024-03-01":2,"2024-03-03":0}})"),
            "activity item=a 2024-03-01=2 2024-03-02=5");
  EXPECT_EQ(record(R"({"type":"page","id":"a"})"),
            R"(reject type "page" is unknown; expected item, category, delete, activity or synonyms)");
}

TEST_F(ContentRecords, AreSynonyms) {
  EXPECT_EQ(record(R"({"type":"synonyms","words":["k8s","kubernetes"],"source":"docs"})"),
            "synonyms from= words=[k8s|kubernetes] source=docs");
  EXPECT_EQ(record(R"({"type":"synonyms","from":"laptop","to":["notebook"]})"),
            "synonyms from=laptop words=[notebook] source=");
  EXPECT_EQ(record(R"({"type":"synonyms","from":"laptop","to":"notebook"})"),
            "synonyms from=laptop words=[notebook] source=");
  EXPECT_EQ(record(R"({"type":"synonyms","from":"laptop","to":[]})"), "synonyms from=laptop words=[] source=");
  EXPECT_EQ(record(R"({"type":"synonyms","words":["k8s"]})"), "synonyms from= words=[k8s] source=");
  EXPECT_EQ(record(R"({"type":"synonyms"})"), "reject words is missing");
  EXPECT_EQ(record(R"({"type":"synonyms","from":"a"})"), "reject to is missing");
  EXPECT_EQ(record(R"({"type":"synonyms","to":["a"]})"), "reject from is missing");
  EXPECT_EQ(record(R"({"type":"synonyms","from":" ","to":["a"]})"), "reject from has an empty word");
  EXPECT_EQ(record(R"({"type":"synonyms","words":["a",""]})"), "reject words has an empty word");
  EXPECT_EQ(record(R"({"type":"synonyms","words":[]})"),
            "reject words is empty; its first word names the synonyms to replace or remove");
  EXPECT_EQ(record(R"({"type":"synonyms","from":"a","to":["b"],"words":["c"]})"),
            "reject words does not go with from and to; write two lines");
  EXPECT_EQ(record(R"({"type":"synonyms","words":["a",1]})"), "reject words must be an array of strings");
  EXPECT_EQ(record(R"({"type":"synonyms","words":["a",")" + std::string(129, 'b') + R"("]})"),
            "reject words: \"" + std::string(80, 'b') + "...\" is longer than 128 bytes");
}

TEST_F(ContentRecords, KeepExtraMetadataAsCompactJson) {
  EXPECT_EQ(item_with(R"("metadata":{"z": [1, 2.50, -3, {"k": null}], "views": 3, "a": {"b": [], "c": {}}, "t": true, )"
                      R"("s": "q\"\\\n\u0001\u00e9"})"),
            "item id=a title= category=c content= tags=[] related=[] author= created=- updated=- views=3 "
            R"(further="z":[1,2.50,-3,{"k":null}],"a":{"b":[],"c":{}},"t":true,"s":"q\"\\\n\u0001é")");
}

TEST_F(ContentRecords, IgnoreUnknownMembers) {
  EXPECT_EQ(record(R"({"x":{"id":5,"y":[{}]},"id":"a","title":"","category":"c","x":1,"views":"many","name":3})"),
            "item id=a title= category=c content= tags=[] related=[] author= created=- updated=- views=0 further=");
}

TEST_F(ContentRecords, ReportIgnoredMembersOnce) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(
      read("a.jsonl", R"({"x":{"id":5},"id":"a","title":"","contnet":"T","category":"c","x":1,"metadata":{"y":1}})"
                      "\n"
                      R"({"id":"b","title":"","category":"c"})")
          .unknown,
      Texts{"ignored [x|contnet] kept []"});
  EXPECT_EQ(read("a.json", R"([{"id":"a","titel":"T","category":"c"}])").unknown, Texts{"ignored [titel] kept []"})
      << "also in an invalid record";
  EXPECT_EQ(read("a.jsonl", R"({"id":"a","title":"","category":"c","description":"D","type":"item"})").unknown,
            Texts{"ignored [description] kept []"})
      << "a member of another record type";
  std::string many = R"({"id":"a","title":"","category":"c")";
  for (int i = 0; i < 100'000; ++i) many += ",\"" + std::to_string(i) + "\":0";
  EXPECT_LT(read("a.jsonl", many + "}").unknown.at(0).size(), 300U) << "the first of many";
}

TEST_F(ContentRecords, KeepNulAndAllOtherJsonCharacters) {
  EXPECT_EQ(
      item_with(R"("content":"a\u0000b\ud83d\ude00")"),
      "item id=a title= category=c content=a\0b\xF0\x9F\x98\x80 tags=[] related=[] author= created=- updated=- "s +
          "views=0 further=");
}

TEST_F(ContentRecords, AreRejectedIfAMemberIsMissingOrOfAnotherType) {
  EXPECT_EQ(record(R"({"title":"","category":"c"})"),
            "reject id is missing; --map id=NAME takes it from another member");
  EXPECT_EQ(record(R"({"id":"a","category":"c"})"),
            "reject title is missing; --map title=NAME takes it from another member");
  EXPECT_EQ(record(R"({"id":"a","title":""})"),
            "reject category is missing; --map category=\"'NAME'\" sets it for all records");
  EXPECT_EQ(record(R"({"id":5.5,"title":"","category":"c"})"), "reject id must be a string or an integer");
  EXPECT_EQ(record(R"({"id":"a","title":null,"category":"c"})"), "reject title must be a string");
  EXPECT_EQ(item_with(R"("content":["x"])"), "reject content must be a string");
  EXPECT_EQ(item_with(R"("content":null)"), "reject content must be a string");
  EXPECT_EQ(item_with(R"("tags":7)"), "reject tags must be an array of strings");
  EXPECT_EQ(item_with(R"("tags":["x",1])"), "reject tags must be an array of strings");
  EXPECT_EQ(item_with(R"("tags":[["x"]])"), "reject tags must be an array of strings");
  EXPECT_EQ(item_with(R"("metadata":[])"), "reject metadata must be an object");
  EXPECT_EQ(item_with(R"("metadata":{"author":{}})"), "reject metadata.author must be a string");
  EXPECT_EQ(record(R"({"type":7,"id":"a"})"), "reject type must be a string");
  EXPECT_EQ(record(R"({"type":"activity","item":"a"})"), "reject days is missing");
  EXPECT_EQ(record(R"({"type":"category","name":"c"})"),
            "reject id is missing; --map id=NAME takes it from another member");
  EXPECT_EQ(record("5"), "reject a record must be a JSON object");
  EXPECT_EQ(record("[{}]"), "reject a record must be a JSON object");
}

TEST_F(ContentRecords, AreRejectedWithInvalidViews) {
  const std::string wanted = "reject metadata.views must be an integer from 0 to 9007199254740991";
  for (const char* views : {"-1", "1.5", "1e3", "\"1\"", "null", "[1]", "9007199254740992", "99999999999999999999"})
    EXPECT_EQ(item_with(R"("metadata":{"views":)"s + views + "}"), wanted) << views;
  EXPECT_NE(item_with(R"("metadata":{"views":9007199254740991})").find("views=9007199254740991"), std::string::npos);
}

TEST_F(ContentRecords, AreRejectedWithInvalidDates) {
  EXPECT_EQ(item_with(R"("metadata":{"created":"2023-02-29"})"),
            R"(reject metadata.created: "2023-02-29" is not a valid date; expected YYYY-MM-DD)");
  EXPECT_NE(item_with(R"("metadata":{"updated":"2024-01-02T23:30:00-05:00"})").find("updated=2024-01-03"),
            std::string::npos);
  for (const char* time : {"2024-02-30T00:00:00Z", "2024-01-02T25:00:00Z", "2024-01-02T23:60:00Z",
                           "2024-01-02T23:00:00+99000000", "2024-01-02T900000000:00", "2024-01-02Tx"})
    EXPECT_EQ(item_with(R"("metadata":{"updated":")" + std::string(time) + R"("})").substr(0, 26),
              "reject metadata.updated: \"")
        << time;
  EXPECT_EQ(item_with(R"("metadata":{"updated":"2024-1-1"})").substr(0, 26), "reject metadata.updated: \"");
  EXPECT_EQ(record(R"({"type":"activity","item":"a","days":{"yesterday":1}})").substr(0, 26),
            "reject days: \"yesterday\" i");
  EXPECT_EQ(record(R"({"type":"activity","item":"a","days":{"2024-01-01":1.5}})"),
            "reject days must be an object of dates and counts from 0 to 9007199254740991");
  EXPECT_EQ(record(R"({"type":"activity","item":"a","days":{"2024-01-01":1,"2024-01-01":2}})"),
            "reject days has 2024-01-01 twice");
}

TEST_F(ContentRecords, AreRejectedWithInvalidIds) {
  EXPECT_EQ(record(R"({"id":"","title":"","category":"c"})"), "reject id: an id must not be empty");
  EXPECT_EQ(record(R"({"id":"..","title":"","category":"c"})"), "reject id: an id must be neither '.' nor '..'");
  EXPECT_EQ(record(R"({"id":"a","title":"","category":"\n"})"),
            "reject category: an id must not have control characters");
  EXPECT_EQ(item_with(R"("related":["b",""])"), "reject related: an id must not be empty");
  EXPECT_EQ(record(R"({"type":"delete","id":")" + std::string(257, 'x') + "\"}"),
            "reject id: an id has at most 256 bytes");
}

TEST_F(ContentRecords, AreRejectedWithDuplicateMembers) {
  EXPECT_EQ(item_with(R"("id":"b")"), "reject id is given twice");
  EXPECT_EQ(item_with(R"("metadata":{"views":1,"views":2})"), "reject metadata.views is given twice");
  EXPECT_EQ(item_with(R"("metadata":{"x":1,"x":2})"), R"(reject metadata has "x" twice)");
  EXPECT_EQ(item_with(R"("metadata":{"x":[{"":1,"":2}]})"), R"(reject metadata has "" twice)");
  EXPECT_EQ(item_with(R"("metadata":{"x":{"k":1},"y":{"k":1}})").substr(0, 4), "item");
}

TEST_F(ContentRecords, AreRejectedWithMoreThan16KiBOfExtraMetadata) {
  const auto extra = [&](std::size_t bytes) {  // "x":"..." with a total of `bytes` bytes
    return item_with(R"("metadata":{"x":")" + std::string(bytes - 6, '.') + "\"}");
  };
  EXPECT_EQ(extra(16 * 1024).substr(0, 4), "item");
  EXPECT_EQ(extra(16 * 1024 + 1), "reject metadata has more than 16 KiB of extra members");
  EXPECT_EQ(item_with(R"("metadata":{"x":)" + std::string(20000, '[') + std::string(20000, ']') + "}"),
            "reject metadata has more than 16 KiB of extra members");
}

TEST_F(ContentRecords, ReportThePositionOfInvalidJson) {
  EXPECT_EQ(record(R"({"id":"a",})").substr(0, 33), "reject not JSON at column 11: syn");
  EXPECT_EQ(record(R"({"id":"a")").substr(0, 32), "reject not JSON at column 10: sy");
  EXPECT_EQ(record("hello").substr(0, 31), "reject not JSON at column 1: sy");
  EXPECT_EQ(record(R"({}{})").substr(0, 31), "reject not JSON at column 3: sy");
  EXPECT_NE(item_with(R"("content":"\ud800")").find("surrogate"), std::string::npos);
  EXPECT_NE(item_with(R"("content":"\udc00")").find("surrogate"), std::string::npos);
  EXPECT_NE(item_with("\"content\":\"\xC3\x28\"").find("UTF-8"), std::string::npos);
  EXPECT_NE(item_with("\"content\":\"\xED\xA0\x80\"").find("UTF-8"), std::string::npos);
  EXPECT_EQ(record("{}\0{"s), "reject not JSON at column 3: a NUL character, which JSON writes as \\u0000");
  EXPECT_EQ(item_with("\"content\":\"a\tb\"").substr(0, 15), "reject not JSON");
  EXPECT_EQ(item_with(R"("metadata":{"x":1e999})").substr(0, 15), "reject not JSON");
}

}  // namespace
}  // namespace kbase::content
