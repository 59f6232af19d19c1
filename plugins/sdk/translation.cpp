// SPDX-License-Identifier: Apache-2.0
#include "plugins/sdk/translation.hpp"

#include "domain/base/text.hpp"
#include "domain/model/ids.hpp"

namespace kbase::sdk {
namespace {

constexpr std::size_t kMaxQueryNodes = 512;
constexpr std::size_t kMaxQueryLevels = 3;
constexpr std::size_t kMaxListed = std::size_t{1} << 20;
constexpr std::size_t kMaxValueBytes = std::size_t{16} << 20;
constexpr std::size_t kMaxTextBytes = std::size_t{1} << 30;

// The server prints, adds and compares only times of the years 0 to 9999.
constexpr model::Day kFirstDay{std::chrono::year(0) / 1 / 1};
constexpr model::Day kLastDay{std::chrono::year(9999) / 12 / 31};
constexpr std::int64_t kDayMs = 86'400'000;

constexpr std::array<std::pair<kb_status, ErrorCode>, 12> kCodes = {{
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

bool is_view(kb_view view) noexcept { return view.size < kMaxTextBytes && (view.data != nullptr || view.size == 0); }

/// Adds `node` and its descendants to `out`; false: the tree is not valid for a query.
bool add_node(const kb_query_node& node, std::size_t level, std::size_t& capacity, model::QueryNode& out) {
  const auto* const kind = std::find_if(kQueryChoices.begin(), kQueryChoices.end(),
                                        [&](const auto& known) { return known.number == node.kind; });
  if (kind == kQueryChoices.end() || level == kMaxQueryLevels || capacity == 0) return false;
  --capacity;
  out.kind = kind->value;
  out.text = text_of(node.text);
  out.is_optional = node.struct_size >= offsetof(kb_query_node, optional) + sizeof node.optional && node.optional != 0;
  for (const kb_query_node* child = node.first_child; child != nullptr; child = child->next)
    if (!add_node(*child, level + 1, capacity, out.children.emplace_back())) return false;
  return true;
}

}  // namespace

kb_status status_of(ErrorCode code) noexcept {
  for (const auto& [status, each] : kCodes)
    if (each == code) return status;
  return KB_INTERNAL;
}

ErrorCode code_of(kb_status status) noexcept {
  for (const auto& [each, code] : kCodes)
    if (each == status) return code;
  return ErrorCode::Internal;
}

kb_explanation explanation_of(const Error& error) noexcept {
  auto why = sized<kb_explanation>();
  why.retry_after_ms = static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(error.retry_after.count(), 0, std::numeric_limits<std::uint32_t>::max()));
  why.message = view_of(error.message);
  why.detail = view_of(error.detail);
  why.parameter = view_of(error.parameter);
  return why;
}

Error error_of(kb_status status, const kb_explanation& why) {
  return {code_of(status), std::string(text_of(why.message)), std::string(text_of(why.detail)),
          std::string(text_of(why.parameter)), std::chrono::milliseconds(why.retry_after_ms)};
}

kb_take to_c(const ports::AcquireRequest& request) noexcept {
  auto take = sized<kb_take>();
  take.cost = request.is_charge() ? request.cost : 0;
  take.per_minute = request.limits.per_minute;
  take.per_day = request.limits.per_day;
  std::copy(request.client_id.begin(), request.client_id.end(), take.subject);
  std::copy(request.fallback_bucket.begin(), request.fallback_bucket.end(), take.group);
  return take;
}

ports::AcquireRequest from_c(const kb_take& take) noexcept {
  ports::AcquireRequest request;
  std::copy(std::begin(take.subject), std::end(take.subject), request.client_id.begin());
  request.cost = static_cast<std::uint32_t>(take.cost);
  request.mode = take.cost == 0 ? ports::AcquireRequest::Mode::Peek : ports::AcquireRequest::Mode::Charge;
  request.limits = {narrowed(take.per_minute), narrowed(take.per_day)};
  std::copy(std::begin(take.group), std::end(take.group), request.fallback_bucket.begin());
  return request;
}

void ToC::text(kb_view& to, const std::optional<model::Instant>& from) {
  if (!from) {
    to = {};
    return;
  }
  const std::string text = model::format_instant(*from);
  const auto copy = arena_.make<char>(text.size());
  std::copy(text.begin(), text.end(), copy.begin());
  to = {copy.data(), copy.size()};
}

const kb_query_node& ToC::node(const model::QueryNode& node) {
  kb_query_node& made = arena_.make<kb_query_node>(1).front() = sized<kb_query_node>();
  made.kind = value(node.kind, kQueryChoices);
  made.text = view_of(node.text);
  made.optional = node.is_optional ? 1 : 0;
  const kb_query_node** link = &made.first_child;
  for (const model::QueryNode& child : node.children) {
    auto& added = const_cast<kb_query_node&>(this->node(child));
    *link = &added;
    link = &added.next;
  }
  return made;
}

void FromC::ref(const kb_query_node* from, const model::QueryNode*& to) {
  to = nullptr;
  if (from == nullptr) return;
  std::size_t capacity = kMaxQueryNodes;
  to = &query_.emplace();
  if (from->kind != KB_QUERY_ALL_OF || !add_node(*from, 0, capacity, *query_))
    fail("passed a query that is not a valid tree");
}

void FromC::text(kb_view from, std::optional<model::Instant>& to) {
  std::optional<std::string_view> text;
  this->text(from, text);
  to = text ? model::parse_instant(*text) : std::nullopt;
  if (text.has_value() != to.has_value()) fail("passed a time that is not YYYY-MM-DDTHH:MM:SSZ");
}

bool FromC::check_id(kb_view view) noexcept {
  const bool is_id = view.size >= 1 && view.size <= model::kMaxIdBytes && view.data != nullptr;
  return (is_id && utf8::is_valid(text_of(view))) || fail("passed an id that is not 1 to 256 bytes of UTF-8");
}

bool FromC::check_bytes(kb_view view) noexcept {
  return (is_view(view) && view.size <= kMaxValueBytes) || fail("passed a value without an address, or above 16 MiB");
}

bool FromC::check_text(kb_view view) noexcept {
  if (!is_view(view)) return fail("passed a text without an address, or of 1 GiB or more");
  text_bytes_ += view.size;
  return utf8::is_valid(text_of(view)) || fail("passed a text that is not UTF-8");
}

void FromC::check_day(std::int32_t number) noexcept {
  if (number < kFirstDay.time_since_epoch().count() || number > kLastDay.time_since_epoch().count())
    fail("passed a day outside the years 0 to 9999");
}

void FromC::check_instant(std::int64_t milliseconds) noexcept {
  if (milliseconds < kFirstDay.time_since_epoch().count() * kDayMs ||
      milliseconds >= (kLastDay.time_since_epoch().count() + 1) * kDayMs)
    fail("passed an instant outside the years 0 to 9999");
}

bool FromC::check_size(const void* first, std::size_t count) noexcept {
  return (count <= kMaxListed && (first != nullptr || count == 0)) ||
         fail("passed a list without an address, or of more than 1,048,576 elements");
}

bool FromC::check_list(const kb_view* views, std::size_t count) noexcept {
  return check_size(views, count) && std::all_of(views, views + count, [&](kb_view view) { return check_text(view); });
}

}  // namespace kbase::sdk
