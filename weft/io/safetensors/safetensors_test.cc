// Safetensors: the bytes of the format, and headers that lie.
#include "weft/io/safetensors/safetensors.h"

#include <gtest/gtest.h>

#include "weft/base/error.h"
#include "weft/weft.h"

namespace weft::io {
namespace {

std::string file_of(std::string_view header, size_t data) {
  const uint64_t length = header.size();
  std::string out(reinterpret_cast<const char*>(&length), sizeof length);
  return out + std::string(header) + std::string(data, '\1');
}

std::string error_of(const std::string& bytes) {
  try {
    SafetensorsReader(MemorySource(bytes_in(bytes), "f")).load_all();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}
std::string error_of(std::string_view header, size_t data) {
  return error_of(file_of(header, data));
}
std::string said(std::string_view what) {
  return text("load: 'f' ", what, "; it is damaged, or no safetensors file [load.safetensors]");
}

TEST(Safetensors, writes_the_bytes_of_the_format) {
  StringSink out;
  write_safetensors(out, {{"b", zeros({1}, DType::kU8)}, {"w", zeros({2, 1})}}, {{"k", "v"}});
  std::string header =
      R"({"__metadata__":{"k":"v"},"b":{"dtype":"U8","shape":[1],"data_offsets":[8,9]},)"
      R"("w":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]}})";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  EXPECT_EQ(out.text().substr(8, header.size()), header);
  EXPECT_EQ(out.text().size(), 8 + header.size() + 9);
}

TEST(Safetensors, checks_every_claim_of_the_header) {
  EXPECT_EQ(error_of("12345"), said("has 5 bytes, but the length of the header takes 8"));
  EXPECT_EQ(error_of(std::string(8, '\xff')),
            said("says that its header has 18446744073709551615 bytes, but the file has 8"));
  EXPECT_EQ(error_of("[]", 0), said("has a header that is no JSON object"));
  EXPECT_EQ(error_of(R"({"__metadata__":[]})", 0), said("has metadata that are no JSON object"));
  EXPECT_EQ(error_of(R"({"__metadata__":{"a":1}})", 0), said("has metadata 'a' that are no text"));
  const std::string lacks = said("lacks the dtype, the shape or the data_offsets of 'w'");
  EXPECT_EQ(error_of(R"({"w":1})", 0), lacks);
  EXPECT_EQ(error_of(R"({"w":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4), lacks);
  EXPECT_EQ(error_of(R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", 4), lacks);
  EXPECT_EQ(error_of(R"({"w":{"dtype":"F32","shape":[1.0],"data_offsets":[0,4]}})", 4), lacks);
  EXPECT_EQ(error_of(R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 4),
            said("says that 'w' ends at byte 8 of the data, but there are 4"));
  EXPECT_EQ(error_of(R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4),
            said("has 4 bytes for 'w', which is F32[2]"));
  EXPECT_EQ(error_of(R"({"w":{"dtype":"F32","shape":[4294967296,4294967296],)"
                     R"("data_offsets":[0,0]}})",
                     0),
            said("has 0 bytes for 'w', which is F32[4294967296, 4294967296]"));
  EXPECT_EQ(error_of(R"({"w":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})", 2),
            said("has 'w' at byte 62 where 61 is next"));
  EXPECT_EQ(error_of(R"({"w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                     R"("v":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
                     1),
            said("has 'v' at byte 113 where 114 is next"));
  EXPECT_EQ(error_of(R"({"w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 5),
            said("has 66 bytes, but its header accounts for 62"));
}

TEST(Safetensors, reads_the_others_beside_a_dtype_it_lacks) {
  const std::string bytes = file_of(R"({"e":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[0,2]},)"
                                    R"("u":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}})",
                                    4);
  const MemorySource source(bytes_in(bytes), "f");
  const SafetensorsReader reader(source);
  EXPECT_EQ(reader.load(*reader.find("u")).to_vector<uint8_t>(), (std::vector<uint8_t>{1, 1}));
  EXPECT_EQ(error_of(bytes),
            "load: 'e' in 'f' is F8_E4M3, which Weft has no dtype for; load the others by their "
            "names [load.dtype]");
}

TEST(Safetensors, makes_flags_of_any_bytes) {
  const std::string bytes =
      file_of(R"({"b":{"dtype":"BOOL","shape":[3],"data_offsets":[0,3]}})", 0) +
      std::string("\0\1\7", 3);
  const MemorySource source(bytes_in(bytes), "f");
  const Tensor flags = SafetensorsReader(source).load_all()[0].value;
  EXPECT_EQ(static_cast<const uint8_t*>(flags.data())[2], 1);
}

}  // namespace
}  // namespace weft::io
