// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/content_source.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "adapters/content/archive.hpp"
#include "adapters/content/byte_stream.hpp"
#include "adapters/content/converters.hpp"
#include "adapters/content/file_tree.hpp"
#include "adapters/content/folder_source.hpp"
#include "adapters/content/posts_reader.hpp"
#include "adapters/content/record_parser.hpp"
#include "adapters/content/table_reader.hpp"
#include "domain/base/result.hpp"

namespace kbase::content {
namespace {

enum class Format { JsonLines, JsonDocument, Table, Posts };

class FileSource final : public ports::ContentSource {
 public:
  FileSource(std::string name, Format format, MemberMap map, std::string prefix)
      : name_(std::move(name)),
        map_(std::move(map)),
        prefix_(std::move(prefix)),
        owner_(name_ == "-" ? "stdin" : std::filesystem::path(name_).filename().string()),
        format_(format) {}

  Status open() {
    std::error_code unknown;  // set for standard input and pipes, which have no size
    if (const auto size = std::filesystem::file_size(name_, unknown); !unknown) meter_.expect(size);
    auto stream = KBASE_TRY(ByteStream::open(name_, meter_));
    stream_ = std::move(stream);
    return {};
  }

  std::string_view name() const override { return name_; }
  std::string_view owner() const override { return owner_; }
  std::optional<double> progress() const override { return meter_.fraction(); }

  Status read(ports::Call& call, Visitor<ports::ContentRecord> visitor) override {
    switch (format_) {
      case Format::JsonDocument: KBASE_TRY(read_json_document(*stream_, name_, map_, call, visitor)); break;
      case Format::JsonLines: KBASE_TRY(read_json_lines(*stream_, name_, default_kind(), map_, call, visitor)); break;
      case Format::Table: KBASE_TRY(read_table(*stream_, name_, map_, call, visitor)); break;
      case Format::Posts: KBASE_TRY(read_posts(*stream_, name_, prefix_, posts_category(), call, visitor)); break;
    }
    return {};
  }

 private:
  /// A dump has the name of its site on its folder.
  std::string posts_category() const {
    std::error_code failed;
    const std::filesystem::path path = std::filesystem::weakly_canonical(name_, failed);
    const std::string folder = path.parent_path().filename().string();
    return prefix_ + (folder.empty() ? std::string("questions") : folder);
  }

  RecordKind default_kind() const {
    const std::string file = std::filesystem::path(name_).filename().string();
    return file == "categories.jsonl" || file == "categories.jsonl.gz" ? RecordKind::Category : RecordKind::Item;
  }

  const std::string name_;
  const MemberMap map_;
  const std::string prefix_;  // empty, or ends with a slash
  const std::string owner_;
  const Format format_;
  Meter meter_;
  std::unique_ptr<ByteStream> stream_;
};

std::optional<Format> detect_format(std::string_view name) {
  if (name == "-") return Format::JsonLines;
  if (name.ends_with(".gz")) name.remove_suffix(3);
  if (name.ends_with(".jsonl") || name.ends_with(".ndjson")) return Format::JsonLines;
  if (name.ends_with(".json")) return Format::JsonDocument;
  if (name.ends_with(".csv") || name.ends_with(".tsv")) return Format::Table;
  if (name.ends_with(".xml")) return Format::Posts;
  return std::nullopt;
}

}  // namespace

Result<std::unique_ptr<ports::ContentSource>> open_source(std::string name, const SourceOptions& options,
                                                          const ports::Markup& markup, model::Day today,
                                                          const ports::Call& call) {
  std::error_code ignored;
  const bool exists = name == "-" || std::filesystem::exists(name, ignored);
  if (!exists) return unreadable(name, "no such file or folder");
  const auto format = detect_format(name);
  const std::string ending = ending_of(std::filesystem::path(name).filename().string());
  const bool is_folder = name != "-" && std::filesystem::is_directory(name, ignored);
  if (is_folder || is_archive_name(name) || is_page_ending(ending) || Converters(options.converters).knows(ending))
    return open_pages(std::move(name), options, markup, today, call);
  if (!format)
    return unreadable(name,
                      "is not a supported source; expected a .jsonl, .ndjson, .json, .csv or .tsv file, a Posts.xml, a "
                      "page (.md, .mdx, .html, "
                      ".txt, .ipynb and others), also with .gz, a folder of pages or an archive of one (.zip, .tar, "
                      ".tar.gz and others), or - for standard input");
  auto map = KBASE_TRY(MemberMap::parse(options.map));
  auto source = std::make_unique<FileSource>(std::move(name), *format, std::move(map),
                                             options.prefix.empty() ? std::string() : options.prefix + '/');
  KBASE_TRY(source->open());
  return {std::move(source)};
}

}  // namespace kbase::content
