// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "domain/model/account.hpp"
#include "domain/model/api_key.hpp"
#include "domain/model/insight.hpp"
#include "domain/model/item.hpp"
#include "domain/model/synonyms.hpp"

// The columns of the tables, in the order in which the code below reads them.
#define KBASE_SUMMARY_COLUMNS \
  "revision, id, category, created, updated, views, title, lead, tags, author, further, url, language, version"
#define KBASE_ITEM_COLUMNS KBASE_SUMMARY_COLUMNS ", summary, aliases, format, sections, source, related, content"
#define KBASE_CATEGORY_COLUMNS "revision, id, name, description, icon, subcategories, items"
#define KBASE_SYNONYMS_COLUMNS "origin, words, source"
#define KBASE_KEY_COLUMNS \
  "id, name, plan, digest, previous_digest, previous_expires, expires, scopes, created, revoked, account, suspended"
#define KBASE_ACCOUNT_COLUMNS "id, email, plan, state, created"
#define KBASE_TOKEN_COLUMNS "digest, email, signs_up, expires"
#define KBASE_SESSION_COLUMNS "digest, account, created, expires"
#define KBASE_QUERY_COLUMNS "query, day, searches, without_result, with_click"
#define KBASE_FEEDBACK_COLUMNS "item, day, reader, is_helpful, comment"
#define KBASE_MAIL_COLUMNS "id, email, kind, state, client, created, due, attempts, recipient"

/// Conversion of SQL rows to model types, shared by all databases whose tables have these columns in this order. A
/// `Row` returns the values of its columns, counted from 0, by text(), number(), integer(), day(), instant(), bytes(),
/// list() and is_null(). list() returns false if the bytes are not a valid list.
namespace kbase::records {

/// Reads item rows up to the column `version`. The returned view references the memory of the row and of this object
/// and is valid until the next read. Returns null if the row is damaged.
template <class Row> class SummaryRow {
 public:
  const model::ItemSummaryView* operator()(const Row& row) { return read(row, view_) ? &view_ : nullptr; }

  /// Reads the row into `view`, which may be part of a larger object. Returns false if the row is damaged.
  bool read(const Row& row, model::ItemSummaryView& view) {
    view.id = row.text(1);
    view.category = row.text(2);
    view.metadata.created = row.day(3);
    view.metadata.updated = row.day(4);
    view.metadata.views = row.number(5);
    view.title = row.text(6);
    view.excerpt = row.text(7);
    if (!row.list(8, tags_)) return false;
    view.tags = tags_;
    view.metadata.author = row.text(9);
    view.metadata.extra = row.text(10);
    view.url = row.text(11);
    view.language = row.text(12);
    view.version = row.text(13);
    return true;
  }

 private:
  model::ItemSummaryView view_;
  std::vector<std::string_view> tags_;
};

/// Reads item rows with all columns. Lifetime and errors are those of SummaryRow.
template <class Row> class ItemRow {
 public:
  const model::ItemView* operator()(const Row& row) {
    if (!summary_.read(row, view_) || !row.list(15, aliases_) || !row.list(17, sections_) || !row.list(19, related_))
      return nullptr;
    view_.summary = row.text(14);
    view_.aliases = aliases_;
    view_.format = row.text(16);
    view_.sections = sections_;
    view_.source = row.text(18);
    view_.related = related_;
    view_.content = row.text(20);
    view_.revision = row.number(0);
    return &view_;
  }

 private:
  SummaryRow<Row> summary_;
  model::ItemView view_;
  std::vector<std::string_view> aliases_, sections_, related_;
};

/// Returns the values of KBASE_ITEM_COLUMNS.
inline auto item_values(const model::ItemView& item, model::Revision revision) {
  const model::MetadataView& metadata = item.metadata;
  return std::tuple(revision, item.id, item.category, metadata.created, metadata.updated, metadata.views, item.title,
                    item.excerpt, item.tags, metadata.author, metadata.extra, item.url, item.language, item.version,
                    item.summary, item.aliases, item.format, item.sections, item.source, item.related, item.content);
}
inline constexpr int kItemColumns = std::tuple_size_v<decltype(item_values({}, 0))>;

/// Reads category rows up to the column `items`. Lifetime and errors are those of SummaryRow.
template <class Row> class CategoryRow {
 public:
  const model::CategoryView* operator()(const Row& row) {
    view_.revision = row.number(0);
    view_.id = row.text(1);
    view_.name = row.text(2);
    view_.description = row.text(3);
    view_.icon = row.text(4);
    if (!row.list(5, subcategories_)) return nullptr;
    view_.subcategories = subcategories_;
    view_.item_count = row.number(6);
    return &view_;
  }

 private:
  model::CategoryView view_;
  std::vector<std::string_view> subcategories_;
};

/// Reads synonyms. Lifetime and errors are those of SummaryRow.
template <class Row> class SynonymsRow {
 public:
  const model::SynonymsView* operator()(const Row& row) {
    if (!row.list(1, words_)) return nullptr;
    view_ = {row.text(0), words_, row.text(2)};
    return &view_;
  }

 private:
  model::SynonymsView view_;
  std::vector<std::string_view> words_;
};

template <class Row> std::optional<model::KeyDigest> read_digest(const Row& row, int column) {
  const auto stored = row.bytes(column);
  model::KeyDigest digest{};
  if (stored.size() != digest.size()) return std::nullopt;
  std::copy(stored.begin(), stored.end(), digest.begin());
  return digest;
}

/// Returns nullopt if the row is damaged.
template <class Row> std::optional<model::ApiKey> read_key(const Row& row) {
  const auto digest = read_digest(row, 3);
  if (!digest) return std::nullopt;
  model::ApiKey key;
  key.id = row.text(0);
  key.name = row.text(1);
  key.plan = row.text(2);
  key.digest = *digest;
  key.previous_digest = read_digest(row, 4);
  key.previous_expires = row.instant(5);
  if (!row.is_null(6)) key.expires = row.instant(6);
  key.scopes = static_cast<model::Scopes>(row.integer(7));
  key.created = row.instant(8);
  key.revoked = row.integer(9) != 0;
  key.account = row.text(10);
  key.suspended = row.integer(11) != 0;
  return key;
}

/// Returns the value of an enumeration whose last value is `last`; nullopt: the number is not one of it.
template <class Enum> std::optional<Enum> read_choice(std::int64_t number, Enum last) {
  if (number < 0 || number > static_cast<std::int64_t>(last)) return std::nullopt;
  return static_cast<Enum>(number);
}

/// Return nullopt if the row is damaged.
template <class Row> std::optional<model::Account> read_account(const Row& row) {
  const auto state = read_choice(row.integer(3), model::AccountState::Blocked);
  if (!state) return std::nullopt;
  return model::Account{std::string(row.text(0)), std::string(row.text(1)), std::string(row.text(2)), *state,
                        row.instant(4)};
}
template <class Row> std::optional<model::SignInToken> read_token(const Row& row) {
  const auto digest = read_digest(row, 0);
  if (!digest) return std::nullopt;
  return model::SignInToken{*digest, std::string(row.text(1)), row.integer(2) != 0, row.instant(3)};
}
template <class Row> std::optional<model::Session> read_session(const Row& row) {
  const auto digest = read_digest(row, 0);
  if (!digest) return std::nullopt;
  return model::Session{*digest, std::string(row.text(1)), row.instant(2), row.instant(3)};
}
template <class Row> std::optional<model::QueuedMail> read_mail(const Row& row) {
  const auto kind = read_choice(row.integer(2), model::MailKind::Approved);
  const auto state = read_choice(row.integer(3), model::MailState::Surplus);
  const auto client = row.bytes(4), recipient = row.bytes(8);
  model::QueuedMail mail;
  if (!kind || !state || client.size() != mail.client.size() || recipient.size() != mail.recipient.size())
    return std::nullopt;
  std::copy(client.begin(), client.end(), mail.client.begin());
  std::copy(recipient.begin(), recipient.end(), mail.recipient.begin());
  mail.id = row.text(0);
  mail.email = row.text(1);
  mail.kind = *kind;
  mail.state = *state;
  mail.created = row.instant(5);
  mail.due = row.instant(6);
  mail.attempts = static_cast<std::uint32_t>(row.integer(7));
  return mail;
}

/// The text is valid as long as the row.
template <class Row> std::optional<model::QueryCount> read_query(const Row& row) {
  return model::QueryCount{row.text(0), row.day(1), row.number(2), row.number(3), row.number(4)};
}
/// Returns nullopt if the row is damaged. The texts are valid as long as the row.
template <class Row> std::optional<model::Feedback> read_feedback(const Row& row) {
  const auto reader = row.bytes(2);
  model::Feedback feedback{row.text(0), row.day(1), {}, row.integer(3) != 0, row.text(4)};
  if (reader.size() != feedback.reader.size()) return std::nullopt;
  std::copy(reader.begin(), reader.end(), feedback.reader.begin());
  return feedback;
}

}  // namespace kbase::records
