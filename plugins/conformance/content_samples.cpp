// SPDX-License-Identifier: Apache-2.0
#include "plugins/conformance/content_samples.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "domain/base/result.hpp"

namespace kbase::conformance {
namespace {
using std::chrono::year;

constexpr std::array<std::string_view, 2> kTags{"first tag", "second"};
constexpr std::array<std::string_view, 2> kRelated{"another", "a third"};
constexpr std::array<std::string_view, 2> kSubcategories{"lower shelf", "upper shelf"};

bool same(model::TextList a, model::TextList b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

void append_utf8(std::string& text, char32_t c) {
  const auto put = [&text](char32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | c >> 6);
    put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | c >> 12);
    put(0x80 | (c >> 6 & 0x3F));
    put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3F));
    put(0x80 | (c >> 6 & 0x3F));
    put(0x80 | (c & 0x3F));
  }
}

std::string format_error(const Error& error) { return "error " + std::string(name_of(error.code)); }

void join(std::string& list, std::string_view entry) {
  if (!list.empty()) list += '|';
  list += entry;
}

}  // namespace

model::ItemView item_of(std::string_view id, std::string_view category) {
  model::ItemView item;
  item.id = id;
  item.title = "A title";
  item.category = category;
  item.excerpt = "The content";
  item.tags = kTags;
  item.metadata.author = "An author";
  item.metadata.created = model::Day(year(2026) / 1 / 2);
  item.metadata.updated = model::Day(year(2026) / 2 / 3);
  item.metadata.views = 7;
  item.metadata.extra = R"({"source":"sample"})";
  item.content = "The content";
  item.related = kRelated;
  return item;
}

model::ItemView described_item_of(std::string_view id) {
  static constexpr std::array<std::string_view, 2> kAliases{"another name", ""};
  static constexpr std::array<std::string_view, 2> kSections{"1 0 first The first",
                                                             "2 8 second-one The second, with words"};
  model::ItemView item = item_of(id);
  item.url = "https://example.org/a?b#c";
  item.summary = "What it is";
  item.aliases = kAliases;
  item.language = "pt-BR";
  item.version = "1.20";
  item.format = "html";
  item.sections = kSections;
  item.source = "the manual";
  return item;
}

model::CategoryView category_of(std::string_view id) {
  model::CategoryView category;
  category.id = id;
  category.name = id;
  category.description = "A description";
  category.icon = "📚";
  category.subcategories = kSubcategories;
  return category;
}

std::string unicode_text(std::size_t bytes, char32_t start) {
  std::string text;
  text.reserve(bytes + 4);
  for (char32_t c = start; text.size() + 4 <= bytes; ++c) {
    if (c == 0xD800) c = 0xE000;  // UTF-8 has no surrogates
    if (c > 0x10FFFF) c = 0;
    append_utf8(text, c);
  }
  text.append(bytes - text.size(), '.');
  return text;
}

Status apply(ports::ItemWriter& writer, const Batch& batch) {
  ports::Call call;
  for (const model::CategoryView& category : batch.categories) KBASE_TRY(writer.put_category(call, category));
  std::vector<const model::ItemView*> items;
  for (const model::ItemView& item : batch.items) items.push_back(&item);
  KBASE_TRY(writer.put(call, items));
  const auto removed = [](const Result<bool>& result) -> Status {
    if (!result) return result.error();
    if (!*result) return Error{ErrorCode::Internal, "there was nothing to remove"};
    return {};
  };
  for (const std::string_view id : batch.removed_items) KBASE_TRY(removed(writer.remove(call, id)));
  for (const std::string_view id : batch.removed_categories) KBASE_TRY(removed(writer.remove_category(call, id)));
  return {};
}

Result<model::Revision> commit(ports::ItemStore& store, const Batch& batch) {
  ports::Call call;
  auto writer = KBASE_TRY(store.begin(call));
  KBASE_TRY(apply(*writer, batch));
  return writer->commit(call);
}

std::string_view difference(const model::ItemSummaryView& a, const model::ItemSummaryView& b) {
  if (a.id != b.id) return "id";
  if (a.title != b.title) return "title";
  if (a.category != b.category) return "category";
  if (a.excerpt != b.excerpt) return "excerpt";
  if (!same(a.tags, b.tags)) return "tags";
  if (a.metadata.author != b.metadata.author) return "author";
  if (a.metadata.created != b.metadata.created) return "created";
  if (a.metadata.updated != b.metadata.updated) return "updated";
  if (a.metadata.views != b.metadata.views) return "views";
  if (a.metadata.extra != b.metadata.extra) return "extra";
  if (a.url != b.url) return "url";
  if (a.language != b.language) return "language";
  if (a.version != b.version) return "version";
  return {};
}

std::string_view difference(const model::ItemView& a, const model::ItemView& b) {
  if (a.content != b.content) return "content";
  if (!same(a.related, b.related)) return "related";
  if (a.summary != b.summary) return "summary";
  if (!same(a.aliases, b.aliases)) return "aliases";
  if (a.format != b.format) return "format";
  if (!same(a.sections, b.sections)) return "sections";
  if (a.source != b.source) return "source";
  return difference(static_cast<const model::ItemSummaryView&>(a), static_cast<const model::ItemSummaryView&>(b));
}

std::string_view difference(const model::CategoryView& a, const model::CategoryView& b) {
  if (a.id != b.id) return "id";
  if (a.name != b.name) return "name";
  if (a.description != b.description) return "description";
  if (a.icon != b.icon) return "icon";
  if (!same(a.subcategories, b.subcategories)) return "subcategories";
  return {};
}

std::string recent_ids(ports::ItemStore& store, std::optional<std::string_view> category, ports::Slice slice) {
  ports::Call call;
  std::string ids;
  const auto status = store.recent(call, category, slice, [&ids](const model::ItemSummaryView& item) {
    join(ids, item.id);
    return Visit::Continue;
  });
  return status ? ids : format_error(status.error());
}

std::string category_ids(ports::ItemStore& store, ports::Slice slice) {
  ports::Call call;
  std::string ids;
  const auto status = store.categories(call, slice, [&ids](const model::CategoryView& category) {
    join(ids, category.id);
    return Visit::Continue;
  });
  return status ? ids : format_error(status.error());
}

std::string summary_ids(ports::ItemStore& store, const std::vector<std::string_view>& asked) {
  ports::Call call;
  std::string ids;
  const auto status = store.summaries(call, asked, [&ids](const model::ItemSummaryView& item) {
    join(ids, item.id);
    return Visit::Continue;
  });
  return status ? ids : format_error(status.error());
}

std::string title_of(ports::ItemStore& store, std::string_view id) {
  ports::Call call;
  std::string title;
  const auto status = store.get(call, id, [&title](const model::ItemView& item) {
    title = item.title;
    return Visit::Continue;
  });
  if (status) return title;
  return status.error().code == ErrorCode::NotFound ? "none" : format_error(status.error());
}

model::Revision revision_of(ports::ItemStore& store) {
  ports::Call call;
  const auto revision = store.revision(call);
  return revision ? *revision : std::numeric_limits<model::Revision>::max();
}

Result<Feed> feed_after(ports::ItemStore& store, model::Revision after) {
  ports::Call call;
  Feed feed;
  const auto up_to = store.changes(call, after, [&feed](const ports::Change& change) {
    using Kind = ports::Change::Kind;
    const bool put = change.kind == Kind::ItemPut || change.kind == Kind::CategoryPut;
    const bool of_item = change.kind == Kind::ItemPut || change.kind == Kind::ItemRemoved;
    if (!feed.text.empty()) feed.text += ' ';
    feed.text += put ? '+' : '-';
    feed.text += of_item ? std::string(change.id) : '[' + std::string(change.id) + ']';
    feed.revisions.push_back(change.revision);
    return Visit::Continue;
  });
  if (!up_to) return up_to.error();
  feed.up_to = *up_to;
  return feed;
}

std::string feed_text_after(ports::ItemStore& store, model::Revision after) {
  const auto feed = feed_after(store, after);
  return feed ? feed->text : format_error(feed.error());
}

}  // namespace kbase::conformance
