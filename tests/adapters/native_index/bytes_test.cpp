// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/files/section_file.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace kbase::tests {
namespace {

using native_index::ByteReader;
using native_index::ByteWriter;

TEST(Bytes, AreReadAsWritten) {
  std::string bytes;
  ByteWriter writer(bytes);
  writer.u8(200);
  writer.u16(60'000);
  writer.u32(4'000'000'000);
  writer.u64(std::numeric_limits<std::uint64_t>::max() - 1);
  writer.bytes("text");
  writer.align(8);
  EXPECT_EQ(writer.size() % 8, 0U);

  ByteReader reader(bytes);
  EXPECT_EQ(reader.u8(), 200);
  EXPECT_EQ(reader.u16(), 60'000);
  EXPECT_EQ(reader.u32(), 4'000'000'000);
  EXPECT_EQ(reader.u64(), std::numeric_limits<std::uint64_t>::max() - 1);
  EXPECT_EQ(reader.bytes(4), "text");
  reader.align(8);
  EXPECT_TRUE(reader.at_end());
  EXPECT_FALSE(reader.failed());
}

TEST(Bytes, StoreNumbersInLittleEndianOrder) {
  std::string bytes;
  ByteWriter(bytes).u32(0x04030201);
  EXPECT_EQ(bytes, "\x01\x02\x03\x04");
}

TEST(Bytes, StoreVarintsWithSevenBitsPerByte) {
  std::string bytes;
  ByteWriter writer(bytes);
  writer.varint(127);
  writer.varint(300);
  EXPECT_EQ(bytes, "\x7F\xAC\x02");
}

TEST(Bytes, StoreVarintsOfEveryWidth) {
  for (unsigned bits = 0; bits <= 64; ++bits)
    for (const std::uint64_t step : {std::uint64_t{0}, std::uint64_t{1}}) {
      const std::uint64_t number = (bits == 64 ? 0 : std::uint64_t{1} << bits) - step;
      std::string bytes;
      ByteWriter(bytes).varint(number);
      EXPECT_LE(bytes.size(), native_index::kMaxVarintBytes);
      ByteReader reader(bytes);
      EXPECT_EQ(reader.varint(), number);
      EXPECT_TRUE(reader.at_end());
      EXPECT_FALSE(reader.failed());
    }
}

TEST(ByteReader, FailsPermanentlyAfterReadingBeyondItsEnd) {
  ByteReader reader(std::string_view("\x01\x02\x03"));
  EXPECT_EQ(reader.u32(), 0U);
  EXPECT_TRUE(reader.failed());
  EXPECT_EQ(reader.u8(), 0U) << "three bytes were left, but the reader has failed";
  EXPECT_EQ(reader.bytes(1), "");
  EXPECT_EQ(reader.remaining(), 0U);
}

TEST(ByteReader, RejectsASizeThatOverflows) {
  ByteReader reader(std::string_view("abc"));
  reader.skip(1);
  EXPECT_EQ(reader.bytes(std::numeric_limits<std::uint64_t>::max()), "");
  EXPECT_TRUE(reader.failed());
}

TEST(ByteReader, RejectsAVarintWithoutEnd) {
  ByteReader reader(std::string_view("\x80\x80"));
  EXPECT_EQ(reader.varint(), 0U);
  EXPECT_TRUE(reader.failed());
}

TEST(ByteReader, RejectsAVarintOfMoreThan64Bits) {
  ByteReader overflowing(std::string_view("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02"));
  EXPECT_EQ(overflowing.varint(), 0U);
  EXPECT_TRUE(overflowing.failed());
  ByteReader overlong(std::string_view("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"));
  EXPECT_EQ(overlong.varint(), 0U);
  EXPECT_TRUE(overlong.failed());
}

TEST(ByteReader, ReadsNothingFromAnEmptyBuffer) {
  ByteReader reader;
  EXPECT_TRUE(reader.at_end());
  EXPECT_EQ(reader.varint(), 0U);
  EXPECT_TRUE(reader.failed());
}

}  // namespace
}  // namespace kbase::tests
