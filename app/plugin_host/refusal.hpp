// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "domain/base/result.hpp"

namespace kbase::plugin_host {

/// Why a file is not accepted as a plugin: what was found, what is expected and a remedy, as the continuation of its
/// name.
inline Error refusal(std::string words) { return {ErrorCode::Unsupported, std::move(words)}; }

/// Returns the whole sentence: "plugin PATH is not an ELF file; ...".
inline Error refusal_of(const std::filesystem::path& path, const Error& why) {
  return refusal("plugin " + path.string() + " " + why.message);
}

}  // namespace kbase::plugin_host
