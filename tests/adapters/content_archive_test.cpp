// SPDX-License-Identifier: Apache-2.0
#include <archive.h>
#include <archive_entry.h>

#include <atomic>
#include <filesystem>

#include "adapters/content/byte_stream.hpp"
#include "adapters/content/notebook.hpp"
#include "tests/adapters/content_sources.hpp"
#include "tests/support/gzip.hpp"

namespace kbase::content {
namespace {

namespace fs = std::filesystem;

class Archive : public ContentFiles {
 protected:
  struct File {
    std::string path, text = "# Title\n";
    unsigned type = AE_IFREG;
  };

  /// Writes an archive whose format follows from the ending of its name.
  void pack(const std::string& name, const std::vector<File>& files) {
    archive* const writer = archive_write_new();
    ASSERT_EQ(archive_write_set_format_filter_by_ext(writer, name.c_str()), ARCHIVE_OK);
    ASSERT_EQ(archive_write_open_filename(writer, path(name).c_str()), ARCHIVE_OK);
    for (const File& file : files) {
      archive_entry* const entry = archive_entry_new();
      archive_entry_set_pathname(entry, file.path.c_str());
      archive_entry_set_filetype(entry, file.type);
      archive_entry_set_perm(entry, 0644);
      archive_entry_set_mtime(entry, 1'600'000'000, 0);
      if (file.type == AE_IFLNK)
        archive_entry_set_symlink(entry, file.text.c_str());
      else
        archive_entry_set_size(entry, static_cast<la_int64_t>(file.text.size()));
      archive_write_header(writer, entry);
      if (file.type == AE_IFREG) archive_write_data(writer, file.text.data(), file.text.size());
      archive_entry_free(entry);
    }
    archive_write_free(writer);
  }

  std::string ids(const std::string& name, const SourceOptions& options = {}, const ports::Call& opening = {}) {
    const auto source = open_source(path(name), options, tests::kPlainMarkup, kToday, opening);
    if (!source) return local(source.error().message);
    std::string found = std::string((*source)->owner()) + ":";
    ports::Call call;
    const auto read = (*source)->read(call, [&](const ports::ContentRecord& record) {
      if (const auto* item = std::get_if<ports::ItemRecord>(&record.record)) {
        found += " " + std::string(item->id);
        day_ = day_text(item->updated);
      }
      if (const auto* reject = std::get_if<ports::Reject>(&record.record))
        found += " " + local(std::string(record.position.file)) + ": " + std::string(reject->reason);
      return Visit::Continue;
    });
    return read ? found : local(read.error().message);
  }

  std::string day_;
};

TEST_F(Archive, IsReadLikeItsFolder) {
  for (const char* name : {"docs.zip", "docs.tar", "docs.tar.gz", "docs.tar.xz"}) {
    pack(name, {{"guide/a.md"}, {"README.md"}, {"guide/b.txt"}, {"guide/c.png"}, {"\xC3\xBC.md"}});
    EXPECT_EQ(ids(name), "docs: docs guide/a guide/b \xC3\xBC") << name;
  }
}

TEST_F(Archive, HasTheDaysOfItsFiles) {
  pack("docs.zip", {{"a.md"}, {"b.md"}});
  EXPECT_EQ(ids("docs.zip"), "docs: a b");
  EXPECT_EQ(day_, "2020-09-13");
}

TEST_F(Archive, MayHaveOneFolderAroundItsContent) {
  pack("docs.zip", {{"site-main/a.md"}, {"site-main/b/c.md"}, {"__MACOSX/site-main/._a.md"}, {".hidden"}});
  EXPECT_EQ(ids("docs.zip"), "docs: a b/c");
}

TEST_F(Archive, LeavesOutARepositoryWhoseConfigurationCouldRunCommands) {
  pack("docs.tar", {{"a.md"}, {".git/config"}, {".git/HEAD"}, {"b/.git/config"}, {"b/.git/page.md"}});
  EXPECT_EQ(ids("docs.tar"), "docs: a");
}

TEST_F(Archive, ThatLeadsOutIsRefused) {
  for (const char* outside : {"../a.md", "/tmp/kbase-outside.md", "b/../../a.md"}) {
    pack("docs.tar", {{"b/c.md"}, {outside}});
    EXPECT_EQ(ids("docs.tar"), std::string("docs.tar: has a file that leads out of it: ") + outside);
  }
  pack("docs.tar", {{"link", "/tmp", AE_IFLNK}, {"link/a.md"}, {"b.md"}});
  EXPECT_EQ(ids("docs.tar"), "docs: b link/a") << "links are left out";
}

TEST_F(Archive, ThatIsDamagedIsNamed) {
  write("docs.zip", "PK\x03\x04 nothing");
  EXPECT_TRUE(ids("docs.zip").starts_with("docs.zip: cannot be unpacked: ")) << ids("docs.zip");
  write("docs.tar.gz", "no archive at all, but a text");
  EXPECT_TRUE(ids("docs.tar.gz").starts_with("docs.tar.gz: cannot be unpacked: ")) << ids("docs.tar.gz");
}

TEST_F(Archive, IsUnpackedIntoAChosenFolder) {
  SourceOptions options;
  options.unpack_folder = path("chosen");
  pack("docs.zip", {{"a.md"}});
  EXPECT_TRUE(ids("docs.zip", options).starts_with("docs.zip: no temporary folder can be created in chosen: "));
  fs::create_directory(options.unpack_folder);
  EXPECT_EQ(ids("docs.zip", options), "docs: a");
  pack("docs.tar", {{"../a.md"}});
  ids("docs.tar", options);
  EXPECT_TRUE(fs::is_empty(options.unpack_folder)) << "nothing is left behind";
}

TEST_F(Archive, IsNotUnpackedForACancelledCall) {
  pack("docs.tar.gz", {{"a.md"}});
  const std::atomic<bool> is_cancelled = true;
  ports::Call cancelled;
  cancelled.cancel = &is_cancelled;
  SourceOptions options;
  options.unpack_folder = path("chosen");
  fs::create_directory(options.unpack_folder);
  EXPECT_EQ(ids("docs.tar.gz", options, cancelled), "the read was cancelled");
  EXPECT_TRUE(fs::is_empty(options.unpack_folder));
}

/// What is left out counts too: it must be decompressed to find what follows.
TEST_F(Archive, UnpacksToABoundedSize) {
  SourceOptions options;
  options.unpack_folder = path("chosen");
  fs::create_directory(options.unpack_folder);
  const std::vector<char> zeros(std::size_t{64} << 20);
  const std::uint64_t size = kMaxUnpackedBytes + 4 * zeros.size();
  for (const char* file : {".git/objects", "a.md"}) {
    archive* const writer = archive_write_new();
    archive_write_set_format_pax(writer);
    ASSERT_EQ(archive_write_add_filter_zstd(writer), ARCHIVE_OK);
    ASSERT_EQ(archive_write_open_filename(writer, path("docs.tar.zst").c_str()), ARCHIVE_OK);
    archive_entry* const entry = archive_entry_new();
    archive_entry_set_pathname(entry, file);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_size(entry, static_cast<la_int64_t>(size));
    ASSERT_EQ(archive_write_header(writer, entry), ARCHIVE_OK);
    for (std::uint64_t written = 0; written < size; written += zeros.size())
      ASSERT_EQ(archive_write_data(writer, zeros.data(), zeros.size()), static_cast<la_ssize_t>(zeros.size()));
    archive_entry_free(entry);
    archive_write_free(writer);
    EXPECT_EQ(ids("docs.tar.zst", options), "docs.tar.zst: " + std::string(kUnpacksToTooMuch)) << file;
    EXPECT_TRUE(fs::is_empty(options.unpack_folder));
  }
}

TEST_F(Archive, ItsCompressedFilesUnpackToABoundedSize) {
  const std::string line = R"({"id": "a", "title": "A", "category": "c", "content": "c"})"
                           "\n";
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += line;
  const std::string packed = tests::packed(lines);
  pack("docs.tar", {{"a.md"}, {"one.jsonl.gz", packed}, {"two.jsonl.gz", packed}});
  SourceOptions options;
  options.max_unpacked_bytes = 2 * lines.size();
  EXPECT_FALSE(ids("docs.tar", options).find("unpacks to") != std::string::npos);
  options.max_unpacked_bytes = 2 * lines.size() - 1;
  EXPECT_NE(ids("docs.tar", options).find("two.jsonl.gz: unpacks to more"), std::string::npos)
      << ids("docs.tar", options);
}

std::string text_of_notebook(std::string_view notebook) {
  const auto text = notebook_text(notebook);
  return text ? *text : text.error().message;
}

TEST(Notebook, IsTheMarkdownOfItsCells) {
  EXPECT_EQ(text_of_notebook(R"({"metadata": {"language_info": {"name": "julia"}}, "nbformat": 4, "cells": [
      {"cell_type": "raw", "source": "---\ntitle: T\n---"},
      {"cell_type": "markdown", "source": ["# One\n", "text"]},
      {"cell_type": "code", "source": "a = 1\n```", "outputs": [{"text": "not shown"}]},
      {"cell_type": "code", "source": []},
      {"cell_type": "raw", "source": "left out"}]})"),
            "---\ntitle: T\n---\n\n# One\ntext\n\n````julia\na = 1\n```\n````\n");
  EXPECT_EQ(text_of_notebook(R"({"worksheets": [{"cells": [{"cell_type": "heading", "level": 2, "source": "Old"},
      {"cell_type": "code", "input": ["x\n", "y"]}]}]})"),
            "## Old\n\n```python\nx\ny\n```\n");
}

TEST(Notebook, ThatIsNoneIsRefused) {
  EXPECT_EQ(text_of_notebook("{"), "is not a notebook: it is not JSON");
  EXPECT_EQ(text_of_notebook("{}"), "is not a notebook: it has no list \"cells\"");
  EXPECT_EQ(text_of_notebook(R"({"cells": [1, {"cell_type": 2}, {"cell_type": "heading", "level": 99, "source": 3}]})"),
            "###### \n");
}

}  // namespace
}  // namespace kbase::content
