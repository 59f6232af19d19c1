// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "adapters/native_index/files/section_file.hpp"
#include "adapters/native_index/files/section_file_writer.hpp"
#include "adapters/native_index/segments/scoring.hpp"

namespace kbase::native_index {

/// Writes the section that says what the others were made with.
model::Status write_info(SectionFileWriter& file, const ImpactScale& scale);

/// Corrupt.
model::Result<ImpactScale> read_info(const SectionFile& file);

}  // namespace kbase::native_index
