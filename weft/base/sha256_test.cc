// SHA-256 against the examples of the standard, in pieces of every size.
#include "weft/base/sha256.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

namespace weft {
namespace {

std::string hash(std::string_view bytes, size_t piece) {
  Sha256 out;
  for (size_t i = 0; i < bytes.size(); i += piece) {
    out.add(bytes.data() + i, std::min(piece, bytes.size() - i));
  }
  return out.hex();
}

TEST(Sha256, GivesTheHashesOfTheStandard) {
  EXPECT_EQ(hash("", 1), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hash("abc", 3), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Sha256, DoesNotDependOnThePieces) {
  const std::string bytes(1000, 'x');
  const std::string whole = hash(bytes, bytes.size());
  for (const size_t piece : {1, 7, 63, 64, 65, 128, 999}) EXPECT_EQ(hash(bytes, piece), whole);
}

}  // namespace
}  // namespace weft
