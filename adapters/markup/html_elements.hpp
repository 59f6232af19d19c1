// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <libxml/xmlstring.h>

#include <string_view>

#include "adapters/markup/document_writer.hpp"

/// What the elements of HTML and their attributes mean for the text of a page.
namespace kbase::markup {

/// `name` is in lower case, as the parser passes it.
Role role_of(std::string_view name);

/// `list`: of the parser, names and values in turn, ended by null; may be null.
Attributes read_attributes(const xmlChar** list);

}  // namespace kbase::markup
