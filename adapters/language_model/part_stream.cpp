// SPDX-License-Identifier: Apache-2.0
#include "adapters/language_model/part_stream.hpp"

#include "adapters/language_model/complaint.hpp"

namespace kbase::language_model {

model::Result<bool> PartStream::next_event() {
  data_.clear();
  has_data_ = false;
  while (true) {
    const auto found = lines_.next();
    if (!found || !*found) return found;
    if (!lines_.line().empty()) {
      if (auto read = read_field(lines_.line()); !read) return read.error();
    } else if (has_data_) {
      part_ = data_;
      return true;
    }
  }
}

model::Status PartStream::read_field(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (line.substr(0, colon) != "data") return {};
  std::string_view value = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (data_.size() + value.size() > kMaxLineBytes)
    return nonsense("an event of its stream has more than " + std::to_string(kMaxLineBytes) + " bytes");
  if (has_data_) data_ += '\n';
  data_ += value;
  has_data_ = true;
  return {};
}

model::Result<bool> PartStream::next_line() {
  while (true) {
    const auto found = lines_.next();
    if (!found || !*found) return found;
    part_ = lines_.line();
    if (part_.find_first_not_of(" \t") != std::string_view::npos) return true;
  }
}

}  // namespace kbase::language_model
