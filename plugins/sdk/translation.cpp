// SPDX-License-Identifier: Apache-2.0
#include "plugins/sdk/translation.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace kbase::sdk {
namespace {

using model::ErrorCode;

constexpr std::size_t kMaxQueryNodes = 512;
constexpr std::size_t kMaxQueryLevels = 3;

struct Meaning {
  kb_status status;
  ErrorCode code;
};

constexpr std::array<Meaning, 12> kMeanings = {{
    {KB_NOT_FOUND, ErrorCode::NotFound},
    {KB_INVALID_ARGUMENT, ErrorCode::InvalidArgument},
    {KB_CONFLICT, ErrorCode::Conflict},
    {KB_UNAVAILABLE, ErrorCode::Unavailable},
    {KB_NO_MEMORY, ErrorCode::NoMemory},
    {KB_DEADLINE, ErrorCode::Deadline},
    {KB_BAD_UPSTREAM, ErrorCode::BadUpstream},
    {KB_CANCELLED, ErrorCode::Cancelled},
    {KB_UNSUPPORTED, ErrorCode::Unsupported},
    {KB_GONE, ErrorCode::Gone},
    {KB_CORRUPT, ErrorCode::Corrupt},
    {KB_INTERNAL, ErrorCode::Internal},
}};

/// Query node kinds in C and in the port.
constexpr std::array<std::pair<std::int32_t, model::QueryNode::Kind>, 6> kKinds = {{
    {KB_QUERY_ALL_OF, model::QueryNode::Kind::AllOf},
    {KB_QUERY_ANY_OF, model::QueryNode::Kind::AnyOf},
    {KB_QUERY_NOT, model::QueryNode::Kind::Not},
    {KB_QUERY_WORD, model::QueryNode::Kind::Word},
    {KB_QUERY_PREFIX, model::QueryNode::Kind::Prefix},
    {KB_QUERY_PHRASE, model::QueryNode::Kind::Phrase},
}};

/// Finish reasons in C and in the port.
constexpr std::array<std::pair<std::int32_t, ports::FinishReason>, 4> kReasons = {{
    {KB_FINISH_STOP, ports::FinishReason::Stop},
    {KB_FINISH_LENGTH, ports::FinishReason::Length},
    {KB_FINISH_CONTENT_FILTER, ports::FinishReason::ContentFilter},
    {KB_FINISH_OTHER, ports::FinishReason::Other},
}};

std::int32_t finish_of(ports::FinishReason reason) noexcept {
  const auto* const known =
      std::find_if(kReasons.begin(), kReasons.end(), [&](const auto& each) { return each.second == reason; });
  return known->first;
}

ports::FinishReason reason_of(std::int32_t number) noexcept {
  const auto* const known =
      std::find_if(kReasons.begin(), kReasons.end(), [&](const auto& each) { return each.first == number; });
  return known == kReasons.end() ? ports::FinishReason::Other : known->second;
}

/// Converts the list's texts into the array at `next` and advances `next`.
const kb_view* copy(model::TextList texts, kb_view*& next) noexcept {
  kb_view* const first = next;
  next = std::transform(texts.begin(), texts.end(), first, view_of);
  return first;
}

model::TextList copy(const kb_view* views, std::size_t count, std::string_view*& next) noexcept {
  std::string_view* const first = next;
  next = std::transform(views, views + count, first, text_of);
  return {first, count};
}

/// One initializer, because each read of an item runs it.
kb_item made_of(const model::ItemSummaryView& summary, const kb_view* tags, std::string_view content = {},
                const kb_view* related = nullptr, std::size_t related_count = 0,
                model::Revision revision = 0) noexcept {
  return {.struct_size = sizeof(kb_item),
          .reserved = 0,
          .id = view_of(summary.id),
          .title = view_of(summary.title),
          .category = view_of(summary.category),
          .lead = view_of(summary.excerpt),
          .tags = tags,
          .tag_count = summary.tags.size(),
          .author = view_of(summary.metadata.author),
          .created_day = number_of(summary.metadata.created),
          .updated_day = number_of(summary.metadata.updated),
          .views = summary.metadata.views,
          .further = view_of(summary.metadata.extra),
          .revision = revision,
          .content = view_of(content),
          .related = related,
          .related_count = related_count};
}

kb_item with_lists(const model::ItemView& item, kb_view*& next) noexcept {
  const kb_view* const tags = copy(item.tags, next);
  const kb_view* const related = copy(item.related, next);
  return made_of(item, tags, item.content, related, item.related.size(), item.revision);
}

model::ItemView with_lists(const kb_item& item, std::string_view*& next) noexcept {
  model::ItemView made;
  made.id = text_of(item.id);
  made.title = text_of(item.title);
  made.category = text_of(item.category);
  made.excerpt = text_of(item.lead);
  made.tags = copy(item.tags, item.tag_count, next);
  made.metadata.author = text_of(item.author);
  made.metadata.created = day_of(item.created_day);
  made.metadata.updated = day_of(item.updated_day);
  made.metadata.views = item.views;
  made.metadata.extra = text_of(item.further);
  made.content = text_of(item.content);
  made.related = copy(item.related, item.related_count, next);
  made.revision = item.revision;
  return made;
}

std::size_t nodes_of(const model::QueryNode& node) {
  std::size_t count = 1;
  for (const model::QueryNode& child : node.children) count += nodes_of(child);
  return count;
}

/// Adds `node` and its descendants to `out`; false: the tree is not valid for a query.
bool add_node(const kb_query_node& node, std::size_t level, std::size_t& room, model::QueryNode& out) {
  const auto* kind =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& known) { return known.first == node.kind; });
  if (kind == kKinds.end() || level == kMaxQueryLevels || room == 0) return false;
  --room;
  out.kind = kind->second;
  out.text = text_of(node.text);
  for (const kb_query_node* child = node.first_child; child != nullptr; child = child->next) {
    if (!add_node(*child, level + 1, room, out.children.emplace_back())) return false;
  }
  return true;
}

void copy_digest(const model::KeyDigest& from, std::uint8_t (&to)[32]) noexcept {
  std::copy(from.begin(), from.end(), to);
}

model::KeyDigest digest_of(const std::uint8_t (&bytes)[32]) noexcept {
  model::KeyDigest digest;
  std::copy(std::begin(bytes), std::end(bytes), digest.begin());
  return digest;
}

}  // namespace

kb_status status_of(ErrorCode code) noexcept {
  for (const Meaning& meaning : kMeanings)
    if (meaning.code == code) return meaning.status;
  return KB_INTERNAL;
}

ErrorCode code_of(kb_status status) noexcept {
  for (const Meaning& meaning : kMeanings)
    if (meaning.status == status) return meaning.code;
  return ErrorCode::Internal;
}

kb_explanation explanation_of(const model::Error& error) noexcept {
  auto why = sized<kb_explanation>();
  why.retry_after_ms = static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(error.retry_after.count(), 0, std::numeric_limits<std::uint32_t>::max()));
  why.message = view_of(error.message);
  why.detail = view_of(error.detail);
  why.parameter = view_of(error.parameter);
  return why;
}

model::Error error_of(kb_status status, const kb_explanation& why) {
  return {code_of(status), std::string(text_of(why.message)), std::string(text_of(why.detail)),
          std::string(text_of(why.parameter)), std::chrono::milliseconds(why.retry_after_ms)};
}

// ---------------------------------------------------------------------------------------------------- to C

kb_item RowToC::item(const model::ItemView& item) {
  kb_view* next = views_.of(item.tags.size() + item.related.size()).data();
  return with_lists(item, next);
}

kb_item RowToC::summary(const model::ItemSummaryView& summary) {
  kb_view* next = views_.of(summary.tags.size()).data();
  return made_of(summary, copy(summary.tags, next));
}

kb_category RowToC::category(const model::CategoryView& category) {
  kb_view* next = views_.of(category.subcategories.size()).data();
  auto made = sized<kb_category>();
  made.id = view_of(category.id);
  made.name = view_of(category.name);
  made.description = view_of(category.description);
  made.icon = view_of(category.icon);
  made.subcategories = copy(category.subcategories, next);
  made.subcategory_count = category.subcategories.size();
  made.item_count = category.item_count;
  made.revision = category.revision;
  return made;
}

std::span<const kb_item* const> ToC::items(std::span<const model::ItemView* const> items) {
  std::size_t lists = 0;
  for (const model::ItemView* item : items) lists += item->tags.size() + item->related.size();
  views_.resize(lists);
  kb_view* next = views_.data();
  items_.clear();
  for (const model::ItemView* item : items) items_.push_back(with_lists(*item, next));
  pointers_.clear();
  for (const kb_item& item : items_) pointers_.push_back(&item);
  return pointers_;
}

const kb_query_node* ToC::query(const model::QueryNode* root) {
  if (root == nullptr) return nullptr;
  nodes_.clear();
  nodes_.reserve(nodes_of(*root));
  return node(*root);
}

/// Requires that `nodes_` has capacity for the whole tree.
kb_query_node* ToC::node(const model::QueryNode& node) {
  kb_query_node& made = nodes_.emplace_back(sized<kb_query_node>());
  const auto* kind =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& known) { return known.second == node.kind; });
  made.kind = kind->first;
  made.text = view_of(node.text);
  const kb_query_node** place = &made.first_child;
  for (const model::QueryNode& child : node.children) {
    kb_query_node* const added = this->node(child);
    *place = added;
    place = &added->next;
  }
  return &made;
}

// -------------------------------------------------------------------------------------------------- from C

model::ItemView FromC::item(const kb_item& item) {
  std::string_view* next = texts_.of(item.tag_count + item.related_count).data();
  return with_lists(item, next);
}

std::span<const model::ItemView* const> FromC::items(const kb_item* const* items, std::size_t count) {
  std::size_t lists = 0;
  for (std::size_t i = 0; i < count; ++i) lists += items[i]->tag_count + items[i]->related_count;
  std::string_view* next = texts_.of(lists).data();
  items_.clear();
  for (std::size_t i = 0; i < count; ++i) items_.push_back(with_lists(*items[i], next));
  pointers_.clear();
  for (const model::ItemView& item : items_) pointers_.push_back(&item);
  return pointers_;
}

std::span<const std::string_view> FromC::texts(const kb_view* views, std::size_t count) {
  const std::span<std::string_view> texts = texts_.of(count);
  std::transform(views, views + count, texts.begin(), text_of);
  return texts;
}

model::CategoryView FromC::category(const kb_category& category) {
  model::CategoryView made;
  made.id = text_of(category.id);
  made.name = text_of(category.name);
  made.description = text_of(category.description);
  made.icon = text_of(category.icon);
  made.subcategories = texts(category.subcategories, category.subcategory_count);
  made.item_count = category.item_count;
  made.revision = category.revision;
  return made;
}

model::Result<model::QueryNode> FromC::query(const kb_query_node& root) {
  model::QueryNode made;
  std::size_t room = kMaxQueryNodes;
  if (root.kind == KB_QUERY_ALL_OF && add_node(root, 0, room, made)) return made;
  return model::invalid_argument("query", "The query is no tree that the port allows.");
}

// ------------------------------------------------------------------------------------------------ both ways

kb_take take_of(const ports::AcquireRequest& take) noexcept {
  auto made = sized<kb_take>();
  made.cost = take.is_charge() ? take.cost : 0;
  made.per_minute = take.limits.per_minute;
  made.per_day = take.limits.per_day;
  std::copy(take.client_id.begin(), take.client_id.end(), made.subject);
  std::copy(take.fallback_bucket.begin(), take.fallback_bucket.end(), made.group);
  return made;
}

ports::AcquireRequest take_of(const kb_take& take) noexcept {
  ports::AcquireRequest made;
  std::copy(std::begin(take.subject), std::end(take.subject), made.client_id.begin());
  made.cost = static_cast<std::uint32_t>(take.cost);
  made.mode = take.cost == 0 ? ports::AcquireRequest::Mode::Peek : ports::AcquireRequest::Mode::Charge;
  made.limits = {narrowed(take.per_minute), narrowed(take.per_day)};
  std::copy(std::begin(take.group), std::end(take.group), made.fallback_bucket.begin());
  return made;
}

void give(const ports::Decision& taken, kb_taken& out) noexcept {
  auto made = sized<kb_taken>();
  made.allowed = taken.allowed ? 1 : 0;
  made.minute_remaining = taken.minute.remaining;
  made.day_remaining = taken.day.remaining;
  made.minute_reset_ms = milliseconds_of(taken.minute.reset);
  made.day_reset_ms = milliseconds_of(taken.day.reset);
  made.account = taken.account == ports::Decision::Account::Shared ? KB_ACCOUNT_SHARED : KB_ACCOUNT_OWN;
  fill_in(made, out);
}

ports::Decision taken_of(const kb_taken& taken) noexcept {
  return {taken.allowed != 0,
          {narrowed(taken.minute_remaining), instant_of(taken.minute_reset_ms)},
          {narrowed(taken.day_remaining), instant_of(taken.day_reset_ms)},
          taken.account == KB_ACCOUNT_SHARED ? ports::Decision::Account::Shared : ports::Decision::Account::Own};
}

kb_key key_of(const model::ApiKey& key) noexcept {
  auto made = sized<kb_key>();
  made.scopes = key.scopes;
  made.id = view_of(key.id);
  made.name = view_of(key.name);
  made.plan = view_of(key.plan);
  copy_digest(key.digest, made.digest);
  if (key.previous_digest) copy_digest(*key.previous_digest, made.previous_digest);
  made.has_previous = key.previous_digest ? 1 : 0;
  made.previous_expires = milliseconds_of(key.previous_expires);
  made.expires = key.expires ? milliseconds_of(*key.expires) : KB_NEVER;
  made.created = milliseconds_of(key.created);
  made.revoked = key.revoked ? 1 : 0;
  return made;
}

model::ApiKey key_of(const kb_key& key) {
  model::ApiKey made;
  made.id = text_of(key.id);
  made.name = text_of(key.name);
  made.plan = text_of(key.plan);
  made.digest = digest_of(key.digest);
  if (key.has_previous != 0) made.previous_digest = digest_of(key.previous_digest);
  made.previous_expires = instant_of(key.previous_expires);
  if (key.expires != KB_NEVER) made.expires = instant_of(key.expires);
  made.scopes = key.scopes;
  made.created = instant_of(key.created);
  made.revoked = key.revoked != 0;
  return made;
}

kb_completion_request request_of(const ports::Prompt& prompt) noexcept {
  auto made = sized<kb_completion_request>();
  made.max_tokens = prompt.max_tokens;
  made.has_temperature = prompt.temperature ? 1 : 0;
  made.is_stream = prompt.is_stream ? 1 : 0;
  made.temperature = prompt.temperature.value_or(0);
  made.model = view_of(prompt.model);
  made.prompt = view_of(prompt.text);
  return made;
}

ports::Prompt prompt_of(const kb_completion_request& request) noexcept {
  ports::Prompt made;
  made.text = text_of(request.prompt);
  made.model = text_of(request.model);
  made.max_tokens = request.max_tokens;
  if (request.has_temperature != 0) made.temperature = request.temperature;
  made.is_stream = request.is_stream != 0;
  return made;
}

kb_completion completion_of(const ports::Completion& completion) noexcept {
  auto made = sized<kb_completion>();
  made.finish_reason = finish_of(completion.finish_reason);
  made.prompt_tokens = completion.prompt_tokens;
  made.completion_tokens = completion.completion_tokens;
  made.model = view_of(completion.model);
  return made;
}

ports::Completion completion_of(const kb_completion& completion) {
  return {std::string(text_of(completion.model)), reason_of(completion.finish_reason), completion.prompt_tokens,
          completion.completion_tokens};
}

}  // namespace kbase::sdk
