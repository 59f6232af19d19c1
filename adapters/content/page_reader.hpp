// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "adapters/content/page_members.hpp"
#include "ports/driven/content_source.hpp"
#include "ports/driven/markup.hpp"

namespace kbase::content {

/// What is known of a page before it is read.
struct PageFile {
  std::string id;        ///< id unless the front matter has one
  std::string category;  ///< category unless the front matter has one
  std::string name;      ///< title where the page has none
  model::Format format = model::Format::Markdown;
  std::string language, version;    ///< as its path says; empty: it does not
  std::optional<model::Day> named;  ///< date in the name of the file
  std::optional<model::Day> day;    ///< day of the last commit, or of the last modification
  bool has_name_as_title = false;   ///< the name is the title, and properties alone are a page (Logseq)
  bool has_local_id = false;        ///< an `id` in the front matter replaces only the last part of the id
};

/// Turns the text of a page into an item. Reuses its memory. Not thread-safe.
class PageReader {
 public:
  /// `markup` must outlive the object. `today`: pages that expired before this day are left out. `keeps_drafts`: drafts
  /// are pages.
  PageReader(const ports::Markup& markup, model::Day today, bool keeps_drafts)
      : markup_(markup), today_(today), keeps_drafts_(keeps_drafts) {}

  /// A page that is left out: a draft, expired, excluded from the search, or empty.
  struct LeftOut {};
  struct Defect {
    std::uint64_t line = 0;  ///< 0: the file as a whole
    std::string reason;
  };
  using Outcome = std::variant<ports::ItemRecord, LeftOut, Defect>;

  /// Returns the item, as a view of this object that is valid until the next call. `resolve` may replace the body, for
  /// example by one with its includes; it must return a text that stays valid as long.
  Outcome read(std::string_view text, const PageFile& file, FunctionRef<std::string_view(std::string_view)> resolve);

  /// Values of the last page that were ignored.
  const std::vector<PageMembers::Warning>& warnings() const { return members_.warnings; }
  /// Names in the last page's front matter that kbase does not know.
  model::TextList unknown() const { return unknown_; }

 private:
  Outcome read_page(std::string_view text, const PageFile& file,
                    FunctionRef<std::string_view(std::string_view)> resolve);
  bool is_left_out() const;
  void set_title(const PageFile& file, std::string_view body);
  void set_address(const PageFile& file);
  void take_head(std::string_view html);
  void set_dates(const PageFile& file, ports::ItemRecord& item) const;

  const ports::Markup& markup_;
  const model::Day today_;
  const bool keeps_drafts_;
  PageMembers members_;
  bool is_empty_ = false;  // the page has markup, but no text
  std::string cleaned_, id_, title_, url_;
  std::vector<std::string_view> unknown_, tags_, aliases_, related_;
};

/// Returns the line of the first byte that is not UTF-8, counted from 1; nullopt: the text is valid.
std::optional<std::uint64_t> invalid_line(std::string_view text);

}  // namespace kbase::content
