// SPDX-License-Identifier: Apache-2.0
#include "domain/model/account.hpp"

#include <algorithm>
#include <array>

#include "domain/base/encoding.hpp"
#include "domain/base/text.hpp"

namespace kbase::model {
namespace {

constexpr std::array<std::string_view, 3> kStateNames{"pending", "active", "blocked"};

/// RFC 5322 section 3.2.3.
bool is_atom_character(char c) {
  return ascii::is_alphanumeric(c) || std::string_view("!#$%&'*+-/=?^_`{|}~").find(c) != std::string_view::npos;
}

bool is_dot_atom(std::string_view text) {
  if (text.empty() || text.front() == '.' || text.back() == '.') return false;
  if (text.find("..") != std::string_view::npos) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return c == '.' || is_atom_character(c); });
}

/// Non-ASCII characters are left to the conversion to ASCII (RFC 5891).
bool may_be_domain(std::string_view text) {
  if (text.empty() || text.front() == '.' || text.back() == '.') return false;
  if (text.find("..") != std::string_view::npos || text.find('.') == std::string_view::npos) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return c == '.' || c == '-' || ascii::is_alphanumeric(c) || static_cast<unsigned char>(c) >= 0x80;
  });
}

}  // namespace

std::string surplus_id(const ClientId& client) { return "surplus" + to_hex(client); }

std::string_view name_of(AccountState state) { return kStateNames[static_cast<std::size_t>(state)]; }

std::optional<Email> parse_email(std::string_view text) {
  const std::size_t at = text.rfind('@');
  if (at == std::string_view::npos || text.size() > kMaxEmailBytes || at > kMaxLocalBytes || !utf8::is_valid(text))
    return std::nullopt;
  const Email email{text.substr(0, at), text.substr(at + 1)};
  if (!is_dot_atom(email.local) || !may_be_domain(email.domain)) return std::nullopt;
  return email;
}

}  // namespace kbase::model
