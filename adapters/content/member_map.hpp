// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/content/record_draft.hpp"
#include "domain/base/result.hpp"

namespace kbase::content {

/// Which member of an item each member of a JSON record, or each column of a table, becomes. Immutable, so any thread
/// may use it.
class MemberMap {
 public:
  /// Every member keeps its name.
  MemberMap() = default;

  /// Parses rules as "title=question,content=answer,category='faq'": a member of an item, and the name that the source
  /// has for it, or a constant text in single quotes ('' is a quote in it). A member that a rule names is not read from
  /// its own name. One name may be used for several members, such as id and title. InvalidArgument: a rule has another
  /// form, or names no member of items, or one twice.
  static Result<MemberMap> parse(const std::vector<std::string>& texts);

  /// Returns the member that `name` becomes; nullopt: a rule or no rule gives it a meaning. `of_metadata`: `name` is a
  /// member of the metadata of a JSON record.
  std::optional<Member> member_of(std::string_view name, bool of_metadata = false) const;

  /// As member_of(), for the column of a table: members of the metadata have their own names there, and case does not
  /// matter.
  std::optional<Member> column_member(std::string_view name) const;

  /// Sets the constants, and the members that have the value of another one. Call it when the draft has all others.
  void complete(RecordDraft& draft) const;

  /// The name that the source has for `member`; empty: a constant sets it.
  std::string_view source_of(Member member) const;

  bool is_empty() const { return rules_.empty(); }

 private:
  struct Rule {
    Member member;
    std::string source;
    bool is_constant = false;
    std::optional<Member> copied = {};  ///< the member that an earlier rule reads from the same name
  };

  const Rule* rule_for(Member member) const;
  std::optional<Member> member_of_rule(std::string_view name) const;

  std::vector<Rule> rules_;
};

}  // namespace kbase::content
