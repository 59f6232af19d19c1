// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "adapters/text/analyzer.hpp"
#include "adapters/text/query.hpp"
#include "domain/model/function_ref.hpp"
#include "domain/model/item.hpp"

namespace kbase::memory_index {

/// An item with the positions of its terms. Immutable, so any thread may read it.
class Document {
 public:
  Document(const model::ItemView& item, text::Analyzer& analyzer);

  const model::ItemView& item() const { return item_.view(); }
  text::Language language() const { return language_; }
  double length() const { return length_; }  ///< number of words, weighted by field as in frequency()

  /// Returns the frequency of the phrase, weighted by field: an occurrence in the title counts 2.5, in a tag 1.5, in
  /// the content 1.
  double frequency(const text::QueryPhrase& phrase) const;

  /// Visits each distinct term of the item that begins with `beginning`, in its exact form. The views are valid for the
  /// lifetime of the document.
  void visit_words(std::string_view beginning, model::FunctionRef<void(std::string_view)> visitor) const;

 private:
  struct Place {
    std::uint32_t field;  ///< 0: the content, 1: the title, then one per tag
    std::uint32_t position;
    auto operator<=>(const Place&) const = default;
  };

  void add_field(text::Analyzer& analyzer, std::string_view text);
  std::vector<Place> places_of(const text::QueryWord& word) const;
  static double weight_of(std::uint32_t field);

  model::Item item_;
  text::Language language_;
  std::map<std::string, std::vector<Place>, std::less<>> places_;  // by term
  std::uint32_t fields_ = 0;
  double length_ = 0;
};

}  // namespace kbase::memory_index
