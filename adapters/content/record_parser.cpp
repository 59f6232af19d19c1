// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/record_parser.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace kbase::content {
namespace {

using Json = nlohmann::json;

/// Handler of nlohmann's SAX events that fills the draft. Builds no tree: a string moves from the parser's buffer into
/// the draft by a swap.
class DraftFiller {
 public:
  DraftFiller(RecordDraft& draft, const MemberMap& map) : draft_(draft), map_(map) {}

  /// An answer of the server has null for a page without an address.
  bool null() {
    if (context_ == Context::Record && member_ == Member::Url) return true;
    return literal("null");
  }
  bool boolean(bool value) { return literal(value ? "true" : "false"); }
  bool number_float(Json::number_float_t, const std::string& text) { return literal(text); }

  bool number_integer(Json::number_integer_t value) {
    if (value >= 0) return number_unsigned(static_cast<std::uint64_t>(value));
    if (context_ == Context::Record && member_ && shape_of(*member_) == Shape::Id) {
      set_id(std::to_string(value));
      return true;
    }
    return literal(std::to_string(value));
  }

  bool number_unsigned(Json::number_unsigned_t value) {
    if (value <= kMaxCount && is_in_members() && member_ == Member::Views)
      draft_.set_views(value);
    else if (value <= kMaxCount && context_ == Context::Days)
      add_day(value);
    else if (context_ == Context::Record && member_ && shape_of(*member_) == Shape::Id)
      set_id(std::to_string(value));
    else
      return literal(std::to_string(value));
    return true;
  }

  bool string(std::string& text) {
    if (context_ == Context::List)
      draft_.list(*member_).push(text);
    else if (context_ == Context::Extra || (context_ == Context::Metadata && !member_))
      draft_.extra().string(text);
    else if (is_in_members() && member_ && is_text(shape_of(*member_)))
      draft_.set_text(*member_, text);
    else if (is_in_members() && member_ && shape_of(*member_) == Shape::TextList)
      draft_.set_list(*member_, text);
    else
      mismatch();
    return true;
  }

  bool key(std::string& name) {
    if (context_ == Context::Record || context_ == Context::Metadata) {
      member_ = map_.member_of(name, context_ == Context::Metadata);
      if (member_)
        draft_.begin(*member_);
      else if (context_ == Context::Record)
        draft_.ignore_member(name);
    }
    if (context_ == Context::Extra || (context_ == Context::Metadata && !member_)) draft_.extra().key(name);
    if (context_ == Context::Days) day_ = name;
    return true;
  }

  bool start_object(std::size_t) {
    if (context_ == Context::None)
      context_ = Context::Record;
    else if (context_ == Context::Record && member_ == Member::Metadata)
      context_ = Context::Metadata;
    else if (context_ == Context::Record && member_ == Member::Days)
      context_ = Context::Days;
    else
      descend('{');
    return true;
  }

  bool start_array(std::size_t) {
    if (context_ == Context::Record && member_ && shape_of(*member_) == Shape::TextList)
      context_ = Context::List;
    else
      descend('[');
    return true;
  }

  bool end_object() {
    if (context_ == Context::Extra || context_ == Context::Ignored)
      ascend('}');
    else
      context_ = context_ == Context::Record ? Context::None : Context::Record;
    return true;
  }

  bool end_array() {
    if (context_ == Context::List)
      context_ = Context::Record;
    else
      ascend(']');
    return true;
  }

  bool binary(Json::binary_t&) { return false; }  // JSON text has no binary values

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) {
    error_position = position;
    error_text = error.what();
    return false;
  }

  bool is_object() const { return is_object_; }

  std::size_t error_position = 0;
  std::string error_text;

 private:
  enum class Context : std::uint8_t {
    None,
    Record,
    Metadata,
    Days,
    /// A list member.
    List,
    /// A value inside an extra metadata member.
    Extra,
    /// A value inside a member that is ignored.
    Ignored,
  };

  static bool is_text(Shape shape) { return shape == Shape::Text || shape == Shape::Id; }
  void set_id(std::string text) { draft_.set_text(*member_, text); }
  bool is_in_members() const { return context_ == Context::Record || context_ == Context::Metadata; }

  /// Handles a value that is neither a string nor a count.
  bool literal(std::string_view text) {
    if (context_ == Context::Extra || (context_ == Context::Metadata && !member_))
      draft_.extra().literal(text);
    else
      mismatch();
    return true;
  }

  void add_day(std::uint64_t views) { draft_.add_day(day_, views); }

  void mismatch() {
    if (context_ == Context::None) is_object_ = false;
    if (context_ == Context::Days) draft_.mismatch(Member::Days);
    if ((is_in_members() || context_ == Context::List) && member_ && shape_of(*member_) != Shape::Any)
      draft_.mismatch(*member_);
  }

  void descend(char bracket) {
    const bool extra = context_ == Context::Extra || (context_ == Context::Metadata && !member_);
    if (extra)
      draft_.extra().open(bracket);
    else
      mismatch();
    if (context_ != Context::Extra && context_ != Context::Ignored) {
      outer_context_ = context_;
      context_ = extra ? Context::Extra : Context::Ignored;
    }
    ++depth_;
  }

  void ascend(char bracket) {
    if (context_ == Context::Extra) draft_.extra().close(bracket);
    if (--depth_ == 0) context_ = outer_context_;
  }

  RecordDraft& draft_;
  const MemberMap& map_;
  Context context_ = Context::None;
  Context outer_context_ = Context::None;  // state outside the outermost Extra or Ignored value
  std::size_t depth_ = 0;                  // number of open brackets in that value
  std::optional<Member> member_;
  std::string day_;
  bool is_object_ = true;
};

/// Returns only the cause in "[json.exception.x] parse error at line 1, column 2: cause; last read: '...'".
std::string_view cause_of(std::string_view error) {
  if (const std::size_t id = error.find("] "); id != std::string_view::npos) error.remove_prefix(id + 2);
  if (error.starts_with("parse error at ")) error.remove_prefix(std::min(error.find(": "), error.size() - 2) + 2);
  return error.substr(0, error.find("; last read:"));
}

}  // namespace

Record RecordParser::parse(std::string_view json) {
  draft_.clear();
  defect_line_ = 0;
  // nlohmann treats a NUL outside a string as the end of its input.
  if (const std::size_t nul = json.find('\0'); nul != std::string_view::npos)
    return reject_json(json, nul + 1, "a NUL character, which JSON writes as \\u0000");
  DraftFiller filler(draft_, map_);
  if (!Json::sax_parse(json.data(), json.data() + json.size(), &filler))
    return reject_json(json, filler.error_position, cause_of(filler.error_text));
  if (!filler.is_object()) return ports::Reject{"a record must be a JSON object"};
  map_.complete(draft_);
  if (!id_.empty() && draft_.lacks(Member::Id)) {
    std::string id = id_;
    draft_.begin(Member::Id);
    draft_.set_text(Member::Id, id);
  }
  if (!id_.empty() && draft_.has(Member::Id) && draft_.text(Member::Id) != id_)
    return ports::Reject{"id: differs from the id in the address; leave it out"};
  return draft_.build_record(untyped_);
}

Record RecordParser::reject_json(std::string_view json, std::size_t position, std::string_view reason) {
  const std::string_view before = json.substr(0, position == 0 ? 0 : position - 1);
  defect_line_ = static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t line_start = before.rfind('\n') + 1;  // 0 if there is no line feed
  reason_ = "not JSON at column " + std::to_string(std::max<std::size_t>(position, 1) - line_start);
  reason_.append(": ").append(reason);
  return ports::Reject{reason_};
}

}  // namespace kbase::content
