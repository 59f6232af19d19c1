// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/member_map.hpp"
#include "tests/adapters/content_sources.hpp"

namespace kbase::content {
namespace {

class Table : public ContentFiles {
 protected:
  /// The records of a table as "id|title|category|content tags author views", and rejects as "LINE: reason", in lines.
  std::string rows(const std::string& name, const std::string& bytes, const std::vector<std::string>& map = {}) {
    const auto source = open_source(write(name, bytes), {.map = map}, tests::kPlainMarkup, kToday, {});
    if (!source) return local(source.error().message);
    std::string text;
    ports::Call call;
    const auto read = (*source)->read(call, [&](const ports::ContentRecord& record) {
      if (!text.empty()) text += "\n";
      if (const auto* item = std::get_if<ports::ItemRecord>(&record.record))
        text.append(item->id)
            .append("|")
            .append(item->title)
            .append("|")
            .append(item->category)
            .append("|")
            .append(item->content)
            .append(" ")
            .append(joined(item->tags))
            .append(item->metadata.author)
            .append(std::to_string(item->metadata.views));
      if (const auto* reject = std::get_if<ports::Reject>(&record.record))
        text.append(std::to_string(record.position.line)).append(": ").append(reject->reason);
      ignored_ = joined(record.unknown.ignored);
      return Visit::Continue;
    });
    return read ? text : local(read.error().message);
  }

  std::string ignored_;
};

TEST_F(Table, HasAnItemInEachRow) {
  EXPECT_EQ(rows("a.csv",
                 "id,Title,category,content,tags,author,Views,price\r\n"
                 "1,One,c,\"a, \"\"b\"\"\nsecond line\",\"x, y\",Ada,7,3.50\r\n"
                 "\r\n"
                 "2,Two,c,,,,,\n"),
            "1|One|c|a, \"b\"\nsecond line [x|y]Ada7\n2|Two|c| []0");
  EXPECT_EQ(ignored_, "[price]");
}

TEST_F(Table, MayHaveOtherSeparators) {
  EXPECT_EQ(rows("a.csv", "\xEF\xBB\xBFid;title;category\n1;\"One; two\";c\n"), "1|One; two|c| []0");
  EXPECT_EQ(rows("a.tsv", "id\ttitle\tcategory\n1\tOne, 5\" wide\tc\n2\tTwo\td\n"),
            "1|One, 5\" wide|c| []0\n2|Two|d| []0");
}

TEST_F(Table, NamesRowsThatAreNotItems) {
  EXPECT_EQ(rows("a.csv",
                 "id,title,category,views\n1,One,c\n,Two,c,\n3,Three,c,many\n4,Fo\xFFur,c,\n5,\"Five,c,\n6,Six,c,1\n"),
            "2: has 3 fields, but the header line has 4\n3: id is missing; --map id=NAME takes it from another member\n"
            "4: metadata.views must be an integer from 0 to 9007199254740991\n5: is not valid UTF-8\n"
            "6: a quoted field does not end");
}

TEST_F(Table, NamesAColumnThatIsMissing) {
  EXPECT_EQ(rows("a.csv", ""), "a.csv: is empty; expected a line with the names of the columns");
  EXPECT_EQ(rows("a.csv", "id,question\n"),
            "a.csv:1: has no column \"title\"; name another column with --map title=COLUMN");
  EXPECT_EQ(
      rows("a.csv", "id,title\n"),
      "a.csv:1: has no column \"category\"; name another column with --map category=COLUMN, or a category for all "
      "items with --map \"category='NAME'\"");
  EXPECT_EQ(rows("a.csv", "id,title,category\n", {"title=Question"}),
            "a.csv:1: has no column \"Question\", which --map names for title");
}

TEST_F(Table, TakesMembersFromOtherNames) {
  EXPECT_EQ(rows("a.csv", "nr,question,answer,title\n1,Why?,So.,ignored\n",
                 {"id=nr,title=question", "content=answer,category='It''s, FAQ'"}),
            "1|Why?|It's, FAQ|So. []0");
  EXPECT_EQ(rows("a.csv", "question,answer\nWhy?,So.\n", {"id=question,title=question,content=answer,category='faq'"}),
            "Why?|Why?|faq|So. []0");
}

TEST_F(Table, RulesAreAlsoThoseOfJson) {
  EXPECT_EQ(rows("a.jsonl",
                 R"({"nr": 7, "question": "Why?", "answer": "So.", "title": {}, "by": "Ada", "seen": 3})"
                 "\n",
                 {"id=nr,title=question,content=answer,category='faq',metadata.author=by,views=seen"}),
            "7|Why?|faq|So. []Ada3");
  EXPECT_EQ(rows("a.json", R"({"faq": [{"question": "Why?"}]})", {"id=question,title=question,category='faq'"}),
            "Why?|Why?|faq| []0");
}

std::string defect(const std::string& rules) {
  const auto map = MemberMap::parse({rules});
  return map ? "" : map.error().message;
}

TEST(MemberMap, NamesARuleThatIsInvalid) {
  EXPECT_EQ(defect("title=question,,content=answer"), "\"\" is not a rule; expected MEMBER=NAME or MEMBER='TEXT'");
  EXPECT_EQ(defect("question"), "\"question\" is not a rule; expected MEMBER=NAME or MEMBER='TEXT'");
  EXPECT_EQ(defect("titel=a"), "\"titel=a\" does not begin with a member of items, such as title or content");
  EXPECT_EQ(defect("title="), "\"title=\" names no member of the source");
  EXPECT_EQ(defect("title='a"), "\"title='a\" has a text without a closing quote");
  EXPECT_EQ(defect("title='a'b"), "\"title='a'b\" is followed by other text; expected a comma");
  EXPECT_EQ(defect("title=a,title=b"), "\"title=b\" names a member that another rule names");
  EXPECT_EQ(defect("views='7'"), "\"views='7'\" sets a number; name a member of the source");
  EXPECT_EQ(defect("tags=a,title=a"), "\"title=a\" uses a name that is a list in another rule");
}

}  // namespace
}  // namespace kbase::content
