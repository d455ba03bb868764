// CRC-32C: known values, and both ways alike.
#include "weft/base/crc32c.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

// From RFC 3720, B.4.
TEST(Crc32c, gives_the_values_of_the_standard) {
  EXPECT_EQ(crc32c(bytes_in("")), 0u);
  EXPECT_EQ(crc32c(bytes_in("123456789")), 0xe3069283u);
  EXPECT_EQ(crc32c(bytes_in(std::string(32, '\0'))), 0x8a9136aau);
  EXPECT_EQ(crc32c(bytes_in(std::string(32, '\xff'))), 0x62a8ab43u);
  EXPECT_EQ(crc_text(0x0a9136aa), "0a9136aa");
}

TEST(Crc32c, is_the_same_by_table_and_in_pieces) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i * 37 + i / 7);
  for (size_t size = 0; size < text.size(); ++size) {
    const std::string_view part = std::string_view(text).substr(0, size);
    const uint32_t whole = crc32c(bytes_in(part));
    EXPECT_EQ(portable_crc32c(bytes_in(part)), whole);
    EXPECT_EQ(crc32c(bytes_in(part.substr(size / 3)), crc32c(bytes_in(part.substr(0, size / 3)))),
              whole);
  }
}

TEST(Crc32c, of_a_source_is_that_of_its_bytes) {
  const std::string text(3'000'001, 'x');
  EXPECT_EQ(crc32c(MemorySource(bytes_in(text), "text")), crc32c(bytes_in(text)));
}

}  // namespace
}  // namespace weft
