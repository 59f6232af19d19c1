// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/base.h>

#include <string_view>

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

}  // namespace kbase::plugin_host
