// SPDX-License-Identifier: Apache-2.0
#include "adapters/idn/domain_names.hpp"

#include <idn2.h>
#include <algorithm>
#include <memory>

#include "domain/base/text.hpp"

namespace kbase::idn {
namespace {

constexpr std::size_t kMaxNameBytes = 253;  // RFC 1035 section 2.3.4, without the final dot
constexpr std::size_t kMaxLabelBytes = 63;

/// Whether each label has letters, digits and hyphens, none at its ends (RFC 1123 section 2.1).
bool is_host_name(std::string_view name) {
  if (name.empty() || name.size() > kMaxNameBytes) return false;
  while (true) {
    const std::string_view label = name.substr(0, name.find('.'));
    if (label.empty() || label.size() > kMaxLabelBytes || label.front() == '-' || label.back() == '-') return false;
    if (!std::all_of(label.begin(), label.end(), [](char c) { return c == '-' || ascii::is_alphanumeric(c); }))
      return false;
    if (label.size() == name.size()) return true;
    name.remove_prefix(label.size() + 1);
  }
}

}  // namespace

std::optional<std::string> DomainNames::to_ascii(std::string_view name) const {
  if (name.find('\0') != std::string_view::npos) return std::nullopt;  // would end the name for libidn2
  char* converted = nullptr;
  const int flags = IDN2_NONTRANSITIONAL | IDN2_NFC_INPUT;
  if (idn2_to_ascii_8z(std::string(name).c_str(), &converted, flags) != IDN2_OK) return std::nullopt;
  const std::unique_ptr<char, void (*)(void*)> owner(converted, idn2_free);
  std::string ascii = ascii::to_lower(converted);
  return is_host_name(ascii) ? std::optional(std::move(ascii)) : std::nullopt;
}

}  // namespace kbase::idn
