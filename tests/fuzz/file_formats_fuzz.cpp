// SPDX-License-Identifier: Apache-2.0
// Any bytes are a table, a Stack Exchange dump, a JSON document, a notebook or rules of --map, or are rejected with a
// reason. Items have valid members.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "adapters/content/notebook.hpp"
#include "adapters/content/posts_reader.hpp"
#include "adapters/content/record_parser.hpp"
#include "adapters/content/table_reader.hpp"
#include "domain/base/text.hpp"
#include "domain/model/ids.hpp"

namespace kbase::content {
namespace {

/// Returns the bytes in parts, so that the parts of a record come from several.
class MemoryStream final : public ByteStream {
 public:
  MemoryStream(std::string_view bytes, std::size_t part) : rest_(bytes), part_(part) {}

  Result<std::string_view> next() override {
    const std::string_view part = rest_.substr(0, part_);
    rest_.remove_prefix(part.size());
    return part;
  }

 private:
  std::string_view rest_;
  const std::size_t part_;
};

Visit check(const ports::ContentRecord& record) {
  if (const auto* reject = std::get_if<ports::Reject>(&record.record))
    if (reject->reason.empty()) std::abort();
  if (const auto* item = std::get_if<ports::ItemRecord>(&record.record)) {
    if (!model::id_defect(item->id).empty() || !model::id_defect(item->category).empty()) std::abort();
    for (const std::string_view* const member : model::text_members(*item))
      if (!utf8::is_valid(*member)) std::abort();
  }
  return Visit::Continue;
}

void check(const Error& error) {
  if (error.message.empty()) std::abort();
}

}  // namespace
}  // namespace kbase::content

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kbase;
  using namespace kbase::content;
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 2), size - 2);
  MemoryStream stream(bytes, std::size_t{data[1]} + 1);
  const ports::Call call;
  const auto visit = [](const ports::ContentRecord& record) { return check(record); };
  Result<Visit> outcome = Visit::Continue;
  switch (data[0] % 5) {
    case 0: outcome = read_table(stream, "file", {}, call, visit); break;
    case 1: outcome = read_posts(stream, "file", "", "category", call, visit); break;
    case 2: outcome = read_json_document(stream, "file", {}, call, visit); break;
    case 3:
      if (const auto text = notebook_text(bytes); !text) check(text.error());
      break;
    default:
      if (const auto map = MemberMap::parse({std::string(bytes)}); !map)
        check(map.error());
      else
        outcome = read_table(stream, "file", *map, call, visit);
  }
  if (!outcome) check(outcome.error());
  return 0;
}
