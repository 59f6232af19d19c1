// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "adapters/native_index/files/section_file.hpp"
#include "adapters/native_index/files/section_file_writer.hpp"
#include "adapters/native_index/segments/scoring.hpp"

namespace kbase::native_index {

/// Writes the info section: the pivot that the segment's impacts use.
model::Status write_info(SectionFileWriter& file, const ImpactScale& scale);

/// Reads the info section. Errors: Corrupt.
model::Result<ImpactScale> read_info(const SectionFile& file);

}  // namespace kbase::native_index
