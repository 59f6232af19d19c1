// SPDX-License-Identifier: Apache-2.0
#include "adapters/markup/document_writer.hpp"

#include <algorithm>
#include <utility>

namespace kbase::markup {
namespace {

/// Returns the end of the words from `begin` on that are one space apart, as most are.
const char* end_of_words(const char* begin, const char* end) {
  for (const char* at = begin; at != end; ++at)
    if (is_space(*at) && (*at != ' ' || at + 1 == end || is_space(at[1]))) return at;
  return end;
}

}  // namespace

model::Document DocumentWriter::take() && {
  if (document_.heading.empty()) document_.heading = std::move(title_);
  document_.text.erase(document_.text.find_last_not_of('\n') + 1);
  return std::move(document_);
}

void DocumentWriter::start(Role role, std::string_view name, const Attributes& attributes) {
  const bool is_frame = role == Role::Frame && is_page_;
  if (hidden_ != 0 || is_frame || role == Role::Hidden || (attributes.is_hidden && role != Role::Heading)) {
    ++hidden_;
    return;
  }
  if (role != Role::Inline) begin_block(role);
  if (role == Role::Main) ++main_;
  if (role == Role::Preformatted) ++preformatted_;
  if (role == Role::Title) is_title_ = true;
  if (role == Role::Heading) begin_heading(name, attributes.id);
  const std::string_view anchor = attributes.id.empty() && name == "a" ? attributes.name : attributes.id;
  if (!anchor.empty() && role != Role::Heading) note_anchor(anchor);
}

void DocumentWriter::end(Role role) {
  if (hidden_ != 0) {
    --hidden_;
    return;
  }
  if (role == Role::Heading) end_heading();
  if (role == Role::Title) is_title_ = false;
  if (role == Role::Preformatted && preformatted_ > 0) --preformatted_;
  if (role == Role::Main && main_ > 0) --main_;
  if (role != Role::Inline) begin_block(role);
}

void DocumentWriter::characters(std::string_view text) {
  if (is_title_) return append_title(text);
  if (!is_shown()) return;
  if (preformatted_ > 0 && !in_heading_) return append_code(text);
  while (!text.empty()) {
    const auto* const begin = std::find_if_not(text.begin(), text.end(), is_space);
    if (begin != text.begin()) has_space_ = true;
    const auto* const end = end_of_words(begin, text.end());
    if (begin != end) append_words({begin, static_cast<std::size_t>(end - begin)});
    text.remove_prefix(static_cast<std::size_t>(end - text.begin()));
  }
}

void DocumentWriter::begin_block(Role role) {
  if (role == Role::Cell || (role == Role::Break && in_heading_))
    has_space_ = true;
  else
    has_break_ = true;
}

void DocumentWriter::separate() {
  std::string& text = document_.text;
  if (!text.empty() && text.back() != '\n') {
    if (has_break_)
      text += '\n';
    else if (has_space_)
      text += ' ';
  }
  has_break_ = has_space_ = false;
}

void DocumentWriter::append_words(std::string_view words) {
  if (in_heading_) {
    if (heading_.empty())
      has_break_ = has_break_ || !document_.text.empty();
    else if (has_space_ || has_break_)
      heading_ += ' ', has_break_ = false, has_space_ = true;
  }
  separate();
  if (in_heading_ && heading_.empty()) begin_ = document_.text.size();
  if (in_heading_) heading_ += words;
  document_.text += words;
}

void DocumentWriter::append_code(std::string_view code) {
  if (has_break_) {
    // The first line feed of a block is not part of it.
    separate();
  }
  document_.text += code;
  has_space_ = false;
}

void DocumentWriter::append_title(std::string_view text) {
  for (const char c : text)
    if (!is_space(c) || (!title_.empty() && title_.back() != ' ')) title_ += is_space(c) ? ' ' : c;
}

void DocumentWriter::note_anchor(std::string_view anchor) {
  if (in_heading_) {
    if (heading_anchor_.empty()) heading_anchor_ = anchor;
    return;
  }
  anchor_ = anchor;
  anchor_at_ = document_.text.size();
}

void DocumentWriter::begin_heading(std::string_view name, std::string_view id) {
  in_heading_ = true;
  level_ = static_cast<std::uint32_t>(name[1] - '0');
  heading_.clear();
  heading_anchor_ = id;
  // The id of a section whose first text is the heading, or of an anchor before it.
  if (heading_anchor_.empty() && !anchor_.empty() && anchor_at_ == document_.text.size())
    heading_anchor_ = std::exchange(anchor_, {});
}

void DocumentWriter::end_heading() {
  last_heading_ = {};
  if (!std::exchange(in_heading_, false) || heading_.empty()) return;
  if (document_.heading.empty()) document_.heading = heading_;
  if (std::any_of(heading_anchor_.begin(), heading_anchor_.end(), is_space)) heading_anchor_.clear();
  std::string anchor = heading_anchor_.empty() ? slug_of(heading_) : std::exchange(heading_anchor_, {});
  anchor = anchors_.add(anchor.empty() ? std::string("section") : std::move(anchor));
  last_heading_ = {level_, std::exchange(heading_, {}), std::move(anchor), begin_};
  if (level_ <= model::kMaxSectionLevel) document_.sections.push_back(last_heading_);
}

}  // namespace kbase::markup
