// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "adapters/content/byte_stream.hpp"
#include "adapters/content/content_source.hpp"
#include "domain/model/item.hpp"
#include "tests/support/outcome.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kbase::tests {
namespace {

using content::open_backup_sink;
using content::open_backup_source;
using testing::HasSubstr;

model::ApiKey sample_key() {
  model::ApiKey key;
  key.id = "key_1";
  key.name = "Búho \"7\"";
  key.plan = "developer";
  key.digest.fill(0xAB);
  key.previous_digest.emplace().fill(0x0C);
  key.previous_expires = model::Instant(std::chrono::milliseconds(1'795'359'552'625));
  key.expires = model::Instant(std::chrono::milliseconds(-1));
  key.scopes = 5;
  key.created = model::Instant(std::chrono::milliseconds(1'795'359'552'001));
  key.revoked = true;
  key.account = "acc_a";
  key.suspended = true;
  return key;
}

bool is_same(const model::ApiKey& a, const model::ApiKey& b) {
  return a.id == b.id && a.name == b.name && a.plan == b.plan && a.digest == b.digest &&
         a.previous_digest == b.previous_digest && a.previous_expires == b.previous_expires && a.expires == b.expires &&
         a.scopes == b.scopes && a.created == b.created && a.revoked == b.revoked && a.account == b.account &&
         a.suspended == b.suspended;
}

class BackupFile : public testing::Test {
 protected:
  std::string path(const std::string& name = "backup") const { return (folder_.path() / name).string(); }

  static model::Day day(std::string_view text) { return *model::parse_day(text); }

  /// Writes a backup with one record of each kind.
  ports::BackupSummary write() {
    auto sink = open_backup_sink(path(), "1.0.0");
    EXPECT_TRUE(succeeded(sink));
    EXPECT_TRUE(succeeded((*sink)->begin({"kbase", {0xF0, 1}, model::Instant(std::chrono::seconds(1'795'359'552))})));
    const std::string_view texts[] = {"one", "t\"wo"};
    const std::vector<ports::DayViews> days{{day("2026-03-01"), 2}, {day("2026-03-02"), 3}};
    model::CategoryView category;
    category.id = "shelf";
    category.name = "The \\ shelf";
    category.icon = "📦";
    category.subcategories = texts;
    model::ItemView item;
    item.id = "a/b";
    item.title = "Title\n";
    item.category = "shelf";
    item.content = std::string_view("NUL \0 and more", 14);
    item.tags = texts;
    item.related = texts;
    item.metadata = {"Ann", day("2020-01-02"), day("2021-03-04"), 42, R"("x":{"y":[1.50,null]})"};
    for (const ports::BackupRecord& record :
         {ports::BackupRecord(sample_key()), ports::BackupRecord(ports::KeyUsage{"key_1", day("2026-03-01"), 7}),
          ports::BackupRecord(ports::JournalMark{{1, 2, 255}, 1ULL << 63U}),
          ports::BackupRecord(ports::ActivityRecord{"a/b", days}), ports::BackupRecord(category),
          ports::BackupRecord(item), ports::BackupRecord(model::SynonymsView{"pc", texts, "docs"})})
      EXPECT_TRUE(succeeded((*sink)->put(record)));
    auto summary = (*sink)->finish(99);
    EXPECT_TRUE(succeeded(summary));
    return *summary;
  }

  Result<ports::BackupSummary> read(const std::string& name) {
    auto source = open_backup_source(name);
    if (!source) return source.error();
    ports::Call call;
    descriptions_.clear();
    return (*source)->read(call, [this](const ports::BackupRecord& record) {
      std::visit([this](const auto& one) { describe(one); }, record);
      return Visit::Continue;
    });
  }

  /// Lines of the backup that write() wrote.
  std::vector<std::string> lines() const {
    content::Meter meter;
    const auto stream = content::ByteStream::open(path(), meter);
    std::istringstream text(*content::read_all(**stream, "backup", 1 << 20));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }

  /// Returns the error of reading these lines, or "none".
  std::string complaint(const std::vector<std::string>& lines) {
    std::ofstream file(path("lines"), std::ios::binary);
    for (const std::string& line : lines) file << line << '\n';
    file.close();
    const auto summary = read(path("lines"));
    if (summary) return "none";
    EXPECT_EQ(summary.error().code, ErrorCode::InvalidArgument);
    const std::string& message = summary.error().message;
    EXPECT_TRUE(message.starts_with(path("lines"))) << message;
    return message.substr(path("lines").size());
  }

  void describe(const model::ApiKey& key) {
    descriptions_.push_back(is_same(key, sample_key()) ? "the key" : "another key");
  }
  void describe(const ports::KeyUsage& usage) {
    descriptions_.push_back("usage " + std::string(usage.id) + ' ' + model::format_day(usage.day) + ' ' +
                            std::to_string(usage.requests));
  }
  void describe(const ports::JournalMark& mark) {
    descriptions_.push_back("journal " + std::to_string(mark.journal[2]) + ' ' + std::to_string(mark.sequence));
  }
  void describe(const ports::ActivityRecord& activity) {
    std::string text = "viewed " + std::string(activity.item);
    for (const ports::DayViews& of_day : activity.days)
      text += ' ' + model::format_day(of_day.day) + ':' + std::to_string(of_day.views);
    descriptions_.push_back(text);
  }
  void describe(const model::SynonymsView& synonyms) {
    descriptions_.push_back("synonyms " + std::string(synonyms.from) + ' ' + std::string(synonyms.words[0]) + ' ' +
                            std::string(synonyms.source));
  }
  void describe(const model::CategoryView& category) {
    descriptions_.push_back("category " + std::string(category.name) + ' ' + std::string(category.icon) + ' ' +
                            std::string(category.subcategories[1]));
  }
  void describe(const model::ItemView& item) {
    descriptions_.push_back("item " + std::string(item.id) + ' ' + std::to_string(item.content.size()) + ' ' +
                            std::string(item.tags[0]) + std::string(item.related[1]) + ' ' +
                            model::format_day(item.metadata.created) + ' ' + std::to_string(item.metadata.views) + ' ' +
                            std::string(item.metadata.extra));
  }

  TemporaryFolder folder_;
  std::vector<std::string> descriptions_;
};

TEST_F(BackupFile, ReadsBackToTheSameRecords) {
  const ports::BackupSummary written = write();
  const auto summary = read(path());
  ASSERT_TRUE(succeeded(summary));
  EXPECT_EQ(descriptions_, (std::vector<std::string>{
                               "the key", "usage key_1 2026-03-01 7", "journal 255 9223372036854775808",
                               "viewed a/b 2026-03-01:2 2026-03-02:3", "category The \\ shelf 📦 t\"wo",
                               R"(item a/b 14 onet"wo 2020-01-02 42 "x":{"y":[1.50,null]})", "synonyms pc one docs"}));
  EXPECT_EQ(summary->head.instance, "kbase");
  EXPECT_EQ(summary->head.store_id, (model::StoreId{0xF0, 1}));
  EXPECT_EQ(summary->head.started, written.head.started);
  EXPECT_EQ(summary->revision, 99u);
  EXPECT_EQ(summary->counts, (ports::BackupCounts{1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(summary->sha256, written.sha256);
}

TEST_F(BackupFile, IsReadableOnlyByItsOwner) {
  std::ofstream(path()) << "an older, world-readable file";
  write();
  struct stat status {};
  ASSERT_EQ(::stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

/// The file must remain readable for years without kbase.
TEST_F(BackupFile, IsGzipOfSelfDescribingLines) {
  write();
  const std::vector<std::string> all = lines();
  ASSERT_EQ(all.size(), 9u);
  EXPECT_EQ(all[0],
            R"({"type":"backup","format":1,"program":"1.0.0","instance":"kbase",)"
            R"("lineage":"f0010000000000000000000000000000","taken":"2026-11-22T14:59:12Z","taken_ms":1795359552000})");
  EXPECT_EQ(all[2], R"({"type":"usage","key":"key_1","day":"2026-03-01","requests":7})");
  EXPECT_EQ(all[4], R"({"type":"activity","item":"a/b","days":{"2026-03-01":2,"2026-03-02":3}})");
  EXPECT_EQ(all[7], R"({"type":"synonyms","from":"pc","to":["one","t\"wo"],"source":"docs"})");
  EXPECT_THAT(all[8], HasSubstr(R"({"type":"end","revision":99,"keys":1,"usage":1,"journals":1,"viewed":1,)"
                                R"("categories":1,"items":1,"synonyms":1,"sha256":")"));
}

TEST_F(BackupFile, IsAlsoReadUncompressed) {
  write();
  EXPECT_EQ(complaint(lines()), "none");
  EXPECT_EQ(descriptions_.size(), 7u);
}

TEST_F(BackupFile, ReplacesTheOldFileOnlyWhenComplete) {
  std::ofstream(path()) << "old";
  {
    auto sink = open_backup_sink(path(), "1.0.0");
    ASSERT_TRUE(succeeded(sink));
    ASSERT_TRUE(succeeded((*sink)->begin({"kbase", {}, {}})));
    ASSERT_TRUE(succeeded((*sink)->put(sample_key())));
  }
  std::ifstream file(path());
  std::string text;
  std::getline(file, text);
  EXPECT_EQ(text, "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 1) << "the new file was removed";
}

TEST_F(BackupFile, IsRejectedIfTruncated) {
  write();
  std::vector<std::string> all = lines();
  for (all.pop_back(); !all.empty(); all.pop_back())
    EXPECT_EQ(complaint(all), ": the backup is truncated: its last line is missing; use a complete copy");
  EXPECT_EQ(complaint({}), ": is empty; expected a backup");

  const auto size = std::filesystem::file_size(path());
  for (std::uintmax_t left = size - 1; left > 2; left -= 7) {
    std::filesystem::resize_file(path(), left);
    EXPECT_TRUE(failed(read(path()), ErrorCode::InvalidArgument)) << left;
    if (left < 10) break;
  }
}

TEST_F(BackupFile, IsRejectedIfAByteChanged) {
  write();
  const std::vector<std::string> all = lines();
  std::vector<std::string> changed = all;
  changed[2].replace(changed[2].size() - 2, 1, "8");
  EXPECT_EQ(complaint(changed), ": the checksum does not match, so the backup is damaged; restore from another copy");
  changed = all;
  changed.erase(changed.begin() + 3);
  EXPECT_THAT(complaint(changed), HasSubstr("the checksum does not match"));
  changed = all;
  changed[8].replace(changed[8].find(R"("items":1)") + 8, 1, "2");
  EXPECT_THAT(complaint(changed), HasSubstr("the checksum does not match"));
  changed = all;
  changed.push_back(all[6]);
  EXPECT_EQ(complaint(changed), ":10: the backup has data after its last line; restore from another copy");
}

TEST_F(BackupFile, IsRejectedIfItsGzipIsDamaged) {
  write();
  std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(60);
  file << "~~~~";
  file.close();
  EXPECT_TRUE(failed(read(path()), ErrorCode::InvalidArgument));
}

TEST_F(BackupFile, OfANewerFormatNamesTheVersionThatWroteIt) {
  write();
  std::vector<std::string> all = lines();
  all[0] = R"({"type":"backup","format":2,"program":"3.1.0","else":{}})";
  EXPECT_EQ(
      complaint(all),
      ":1: the backup has format 2, and this version of kbase reads format 1; restore it with kbase 3.1.0 or newer");
}

TEST_F(BackupFile, IsDistinguishedFromOtherFiles) {
  EXPECT_THAT(complaint({R"({"id":"a","title":"","category":"c"})"}),
              HasSubstr(":1: is not the first line of a backup (expected a file written by `kbase backup`"));
  EXPECT_THAT(complaint({"not JSON"}), HasSubstr(":1: is not a JSON object"));
  EXPECT_TRUE(failed(read(path("missing")), ErrorCode::InvalidArgument));
  EXPECT_TRUE(failed(read(folder_.path().string()), ErrorCode::InvalidArgument));
  EXPECT_TRUE(failed(open_backup_source("-"), ErrorCode::InvalidArgument));
}

TEST_F(BackupFile, NamesTheInvalidLine) {
  write();
  const std::vector<std::string> all = lines();
  const auto with = [&](std::size_t place, std::string line) {
    std::vector<std::string> changed = all;
    changed[place] = std::move(line);
    return complaint(changed);
  };
  EXPECT_EQ(with(1, R"({"type":"key","id":"","name":""})"), ":2: id is empty");
  EXPECT_EQ(with(1, R"({"type":"key","id":"a","name":5})"), ":2: name must be a string");
  EXPECT_EQ(with(2, R"({"type":"usage","key":"a","day":"2026-02-30","requests":1})"),
            ":3: day must be a valid date in the form YYYY-MM-DD");
  EXPECT_EQ(with(2, R"({"type":"usage","key":"a","day":"2026-02-03","requests":-1})"),
            ":3: requests must be a non-negative integer");
  EXPECT_EQ(with(3, R"({"type":"journal","id":"0","sequence":1})"), ":4: id must have 32 hexadecimal digits");
  EXPECT_EQ(with(3, R"({"type":"journal","id":"0000000000000000000000000000000G","sequence":1})"),
            ":4: id must be hexadecimal");
  EXPECT_EQ(with(3, R"({"type":"journal",)"), ":4: is not a JSON object");
  EXPECT_EQ(with(4, R"({"type":"activity","item":"a"})"), ":5: days is missing");
  EXPECT_EQ(with(5, R"({"type":"delete","id":"a"})"), ":6: the record is of a kind that no backup contains");
  EXPECT_EQ(with(6, R"({"id":"a","title":"","category":"c"})"),
            ":7: metadata.created and metadata.updated are missing");
  EXPECT_EQ(with(6, all[1]), ":7: the record is out of order: records of a later kind come before it");
  EXPECT_EQ(with(7, R"({"type":"end","revision":1})"), ":8: keys is missing");
}

TEST_F(BackupFile, ReadsTheSameFileEvenIfItsNameIsReplaced) {
  const ports::BackupSummary written = write();
  auto source = open_backup_source(path());
  ports::Call call;
  const auto skip = [](const ports::BackupRecord&) { return Visit::Continue; };
  ASSERT_TRUE(succeeded((*source)->read(call, skip)));
  std::ofstream(path("other")) << "another file\n";
  std::filesystem::rename(path("other"), path());
  const auto again = (*source)->read(call, skip);
  ASSERT_TRUE(succeeded(again));
  EXPECT_EQ(again->sha256, written.sha256);
}

TEST_F(BackupFile, StopsWhenTheVisitorStops) {
  write();
  auto source = open_backup_source(path());
  ports::Call call;
  int visits = 0;
  const auto stop = [&visits](const ports::BackupRecord&) {
    ++visits;
    return Visit::Stop;
  };
  EXPECT_TRUE(failed((*source)->read(call, stop), ErrorCode::Cancelled));
  EXPECT_EQ(visits, 1);
}

}  // namespace
}  // namespace kbase::tests
