// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/content_source.hpp"

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "adapters/content/byte_stream.hpp"
#include "adapters/content/folder_source.hpp"
#include "adapters/content/json_document.hpp"
#include "adapters/content/json_lines.hpp"

namespace kbase::content {
namespace {

enum class Format { JsonLines, JsonDocument };

class FileSource final : public ports::ContentSource {
 public:
  FileSource(std::string name, Format format) : name_(std::move(name)), format_(format) {}

  model::Status open() {
    std::error_code unknown;  // set for standard input and pipes, which have no size
    if (const auto size = std::filesystem::file_size(name_, unknown); !unknown) meter_.expect(size);
    auto stream = ByteStream::open(name_, meter_);
    if (!stream) return stream.error();
    stream_ = std::move(*stream);
    return {};
  }

  std::string_view name() const override { return name_; }
  std::optional<double> progress() const override { return meter_.fraction(); }

  model::Status read(ports::Call& call, model::Visitor<ports::ContentRecord> visitor) override {
    const auto outcome = format_ == Format::JsonDocument ? read_json_document(*stream_, name_, call, visitor)
                                                         : read_json_lines(*stream_, name_, untyped(), call, visitor);
    if (!outcome) return outcome.error();
    return {};
  }

 private:
  RecordKind untyped() const {
    const std::string file = std::filesystem::path(name_).filename().string();
    return file == "categories.jsonl" || file == "categories.jsonl.gz" ? RecordKind::Category : RecordKind::Item;
  }

  std::string name_;
  Format format_;
  Meter meter_;
  std::unique_ptr<ByteStream> stream_;
};

std::optional<Format> format_of(std::string_view name) {
  if (name == "-") return Format::JsonLines;
  if (name.ends_with(".gz")) name.remove_suffix(3);
  if (name.ends_with(".jsonl") || name.ends_with(".ndjson")) return Format::JsonLines;
  if (name.ends_with(".json")) return Format::JsonDocument;
  return std::nullopt;
}

}  // namespace

model::Result<std::unique_ptr<ports::ContentSource>> open_source(std::string name) {
  std::error_code ignored;
  if (name != "-" && std::filesystem::is_directory(name, ignored)) return FolderSource::open(std::move(name));
  const auto format = format_of(name);
  if (!format && !std::filesystem::exists(name, ignored)) return unreadable(name, "there is no such file or folder");
  if (!format)
    return unreadable(name,
                      "is no source: wanted a file .jsonl, .ndjson or .json (also with .gz), a folder of "
                      "Markdown files, or - for standard input");
  auto source = std::make_unique<FileSource>(std::move(name), *format);
  if (auto opened = source->open(); !opened) return opened.error();
  return {std::move(source)};
}

}  // namespace kbase::content
