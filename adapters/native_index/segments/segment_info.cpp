// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/segments/segment_info.hpp"

#include <bit>
#include <cmath>
#include <string>

#include "adapters/native_index/files/bytes.hpp"
#include "adapters/native_index/segments/segment_format.hpp"

namespace kbase::native_index {

model::Status write_info(SectionFileWriter& file, const ImpactScale& scale) {
  std::string info;
  ByteWriter(info).u32(std::bit_cast<std::uint32_t>(scale.pivot()));
  if (const auto begun = file.begin(kInfoSection); !begun) return begun;
  return file.append(info);
}

model::Result<ImpactScale> read_info(const SectionFile& file) {
  if (const auto verified = file.verify(kInfoSection); !verified) return verified.error();
  ByteReader info(file.section(kInfoSection));
  const auto pivot = std::bit_cast<float>(info.u32());
  if (info.failed() || !info.at_end() || !std::isfinite(pivot) || pivot < 1)
    return damaged("the impacts of " + file.path().string() + " are of no known scale");
  return ImpactScale(pivot);
}

}  // namespace kbase::native_index
