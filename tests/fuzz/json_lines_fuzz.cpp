// SPDX-License-Identifier: Apache-2.0
// Any line parses to a record or is rejected with a reason. A valid item or category is unchanged after it is exported
// and read again.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "adapters/content/content_source.hpp"
#include "adapters/content/record_parser.hpp"

namespace kbase::content {
namespace {

model::ItemView view_of(const ports::ItemRecord& record) {
  model::ItemView item = record;
  item.metadata.created = record.created.value_or(model::Day());
  item.metadata.updated = record.updated.value_or(model::Day());
  return item;
}

model::CategoryView view_of(const ports::CategoryRecord& record) {
  return {record.id, record.name, record.description, record.icon, record.subcategories, 0, 0};
}

template <class Kind> void expect_round_trip(const Kind& record) {
  std::string line;
  append_line(line, view_of(record));
  RecordParser parser(RecordKind::Item);
  const Record again = parser.parse(line);
  const auto* read = std::get_if<Kind>(&again);
  if (read == nullptr || !same_content(view_of(*read), view_of(record))) std::abort();
}

}  // namespace
}  // namespace kbase::content

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kbase;
  content::RecordParser parser(content::RecordKind::Item);
  const content::Record record = parser.parse({reinterpret_cast<const char*>(data), size});
  if (const auto* item = std::get_if<ports::ItemRecord>(&record)) content::expect_round_trip<ports::ItemRecord>(*item);
  if (const auto* category = std::get_if<ports::CategoryRecord>(&record))
    content::expect_round_trip<ports::CategoryRecord>(*category);
  return 0;
}
