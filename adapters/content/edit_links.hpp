// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "adapters/content/front_matter.hpp"

/// Where the pages of a site can be edited, as the configuration of its generator says. Each function returns an
/// address with "{path}" for the path of a page's file; empty: the configuration does not say.
namespace kbase::content {

/// Relative to `docs_dir`. https://www.mkdocs.org/user-guide/configuration/#edit_uri
std::string mkdocs_edit_address(const Value& config);

/// Relative to the folder of book.toml. https://rust-lang.github.io/mdBook/format/configuration/renderers.html
std::string mdbook_edit_address(const Value& config);

/// Relative to the folder of the configuration, which is JavaScript: only literals are understood.
/// https://docusaurus.io/docs/api/plugins/@docusaurus/plugin-content-docs#editUrl
std::string docusaurus_edit_address(std::string_view config);

/// Relative to the folder of `.vitepress`; JavaScript. https://vitepress.dev/reference/default-theme-edit-link
std::string vitepress_edit_address(std::string_view config);

/// Relative to the folder of the configuration; JavaScript. https://starlight.astro.build/reference/configuration/
std::string starlight_edit_address(std::string_view config);

/// Relative to the folder of conf.py, which is Python: `html_context` of the theme of Read the Docs.
/// https://docs.readthedocs.com/platform/stable/guides/edit-source-links-sphinx.html
std::string sphinx_edit_address(std::string_view config);

/// Relative to the folder of the configuration: the theme Just the Docs.
/// https://just-the-docs.com/docs/configuration/#footer-content
std::string jekyll_edit_address(const Value& config);

/// Relative to the folder of the configuration: the theme Docsy.
/// https://www.docsy.dev/docs/adding-content/repository-links/
std::string hugo_edit_address(const Value& config);

/// Returns the address of the file at `path` in `address`, which has "{path}".
std::string edit_address(std::string_view address, std::string_view path);

}  // namespace kbase::content
