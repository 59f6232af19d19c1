// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/model/document.hpp"
#include "domain/model/item.hpp"

namespace kbase::native_index {

/// What a hit shows of its item besides the columns and the excerpt. Stored as one text next to the content.
struct Details {
  std::string_view title, url, language, version;
  std::vector<std::string_view> tags;  ///< empty if the columns have all
  std::size_t sections = 0;  ///< offset of the encoded sections, see SectionFinder; the last part of the details
};

/// Replaces `packed` by the details of the item.
void pack_details(const model::ItemView& item, std::string& packed);

/// Reads what pack_details() wrote into `details`, as views of `packed`, which may end after a part of the sections.
/// False: the bytes are damaged or end earlier.
[[nodiscard]] bool unpack_details(std::string_view packed, Details& details);

/// Finds the section that contains a place of the content among the encoded sections of details. The details may be
/// given in parts, each of which begins where an encoded section begins.
class SectionFinder {
 public:
  /// `place`: byte offset in the content.
  explicit SectionFinder(std::size_t place) : place_(place) {}

  /// Continues with `packed`. Returns its size, or the offset of the first encoded section that is incomplete.
  std::size_t add(std::string_view packed);

  bool is_done() const { return is_done_; }                                  ///< no later section can contain the place
  const std::optional<model::Section>& section() const { return section_; }  ///< nullopt: before the first section

 private:
  std::size_t place_;
  bool is_done_ = false;
  std::optional<model::Section> section_;
};

/// Offsets of encoded sections in the details of an item, see PieceMark::section.
class SectionOffsets {
 public:
  /// `packed` must be the item's details and outlive the object.
  explicit SectionOffsets(std::string_view packed);

  /// Returns the offset of the last section that begins at or before `place`; of the first one if no section does.
  /// Places must ascend.
  std::size_t at(std::size_t place);

 private:
  std::string_view packed_;
  std::size_t last_ = 0;  // of the section that at() returned last
  std::size_t next_ = 0;  // of the section after it
};

}  // namespace kbase::native_index
