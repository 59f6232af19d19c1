// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/base.h>

#include <string_view>

#include "app/plugin_host/known_ports.hpp"
#include "domain/model/result.hpp"

namespace kbase::plugin_host {

/// Whether the text is one or more SPDX licence expressions' worth of syntax (SPDX specification 2.3, annex D): names
/// joined by AND, OR and WITH, and parentheses. Whether the names are on SPDX's list is not asked.
bool is_licence_expression(std::string_view text);

/// "org.example.jsonlines": two or more parts of a-z, 0-9, - and _, joined by dots.
bool is_reverse_domain(std::string_view text);

/// The members of a plugin's descriptor. Unsupported, in words that follow the plugin's name.
model::Status check_descriptor(const kb_plugin* descriptor);

/// The start and the functions of a table that is offered for a port. Unsupported, in words that follow the plugin's
/// name.
model::Status check_table(const KnownPort& port, const void* table);

}  // namespace kbase::plugin_host
