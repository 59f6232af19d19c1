// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/base.h>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "app/plugin_host/file_trust.hpp"
#include "app/plugin_host/known_ports.hpp"
#include "domain/base/result.hpp"

namespace kbase::plugin_host {

/// Returns true if the text has the syntax of an SPDX licence expression (SPDX specification 2.3, annex D): names
/// joined by AND, OR and WITH, and parentheses. Does not check the names against SPDX's list.
bool is_licence_expression(std::string_view text);

/// Returns true for text such as "org.example.jsonlines": two or more parts of a-z, 0-9, - and _, joined by dots.
bool is_reverse_domain(std::string_view text);

/// Checks the members of a plugin's descriptor. Error: Unsupported; the message continues a sentence that begins with
/// the plugin's name.
Status check_descriptor(const kb_plugin* descriptor);

/// Checks the start and the functions of the table that a plugin offers for a port. Error: Unsupported; the message
/// continues a sentence that begins with the plugin's name.
Status check_table(const KnownPort& port, const void* table);

/// Returns true if the view can be a text: it has an address and less than 1 GiB.
inline bool is_valid_view(kb_view view) noexcept {
  return (view.data != nullptr || view.size == 0) && view.size < (std::size_t{1} << 30);
}

/// Copies at most `max_bytes` as valid UTF-8; invalid bytes become U+FFFD.
std::string to_valid_utf8(kb_view view, std::size_t max_bytes);

/// Why a file is not accepted as a plugin: what was found, what is expected and a remedy, as the continuation of its
/// name.
inline Error refusal(std::string words) { return {ErrorCode::Unsupported, std::move(words)}; }

/// Returns the whole sentence: "plugin PATH is not an ELF file; ...".
inline Error refusal_of(const std::filesystem::path& path, const Error& why) {
  return refusal("plugin " + path.string() + " " + why.message);
}

/// A version of the plugin ABI.
struct AbiVersion {
  std::uint32_t major;
  std::uint32_t minor;
};

/// Returns this server's version: that of the <kbase/base.h> that it was built with.
AbiVersion own_abi();

/// Returns "1.4".
std::string text_of(std::uint32_t major, std::uint32_t minor);

/// Checks that the server can load a plugin with this note: the majors are equal, and the server's minor is at least
/// the one that the plugin needs. Error: Unsupported; the message continues a sentence that begins with the plugin's
/// name.
Status check_abi(const AbiNote& plugin, AbiVersion server);

}  // namespace kbase::plugin_host
