// Npy: the bytes of the format, other orders, and headers that lie.
#include "weft/io/npy/npy.h"

#include <gtest/gtest.h>

#include "weft/base/error.h"
#include "weft/weft.h"

namespace weft::io {
namespace {

std::string file_of(std::string_view header, std::string_view data, char version = 1) {
  std::string out = std::string("\x93NUMPY") + version + '\0';
  out += static_cast<char>(header.size());
  out += '\0';
  if (version > 1) out += std::string(2, '\0');
  return out + std::string(header) + std::string(data);
}
Tensor read(const std::string& bytes) { return read_npy(MemorySource(bytes_in(bytes), "f")); }

std::string error_of(const std::string& bytes) {
  try {
    read(bytes);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}
std::string said(std::string_view what) {
  return text("load: 'f' ", what, "; it is damaged, or no npy file [load.npy]");
}
constexpr std::string_view kLacks = "has a header without 'descr', 'fortran_order' and 'shape'";

TEST(Npy, writes_the_bytes_of_the_format) {
  StringSink out;
  write_npy(out, ones({3}, DType::kU8));
  std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }";
  header.resize(117, ' ');
  EXPECT_EQ(out.text(), std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n\1\1\1");
}

TEST(Npy, reads_other_orders_and_versions) {
  const std::string six("\0\1\0\2\0\3\0\4\0\5\0\6", 12);
  for (const char version : {1, 2, 3}) {
    const Tensor t =
        read(file_of(R"({"shape": (2L, 3), 'fortran_order': True, 'descr': '>i2'})", six, version));
    EXPECT_EQ(t.to_vector<int16_t>(), (std::vector<int16_t>{1, 3, 5, 2, 4, 6}));
    EXPECT_EQ(text(t.type()), "i16[2, 3]");
  }
  const Tensor c = read(file_of("{'descr':'>c8','fortran_order':False,'shape':()}",
                                std::string("\x3f\x80\0\0\x40\0\0\0", 8)));
  EXPECT_EQ(to_string(c), "tensor(1.+2.j, dtype=complex64)");
}

TEST(Npy, refuses_what_it_cannot_read) {
  EXPECT_EQ(error_of("\x93NUM"), said("has only 4 bytes"));
  EXPECT_EQ(error_of("12345678901234"), said("does not begin with \\x93NUMPY"));
  EXPECT_EQ(error_of(file_of("", "", 4)),
            said("is of version 4 of the format, which has 1, 2 and 3"));
  EXPECT_EQ(error_of(std::string("\x93NUMPY\x01\x00\xff\xff", 10)),
            said("says that its header has 65535 bytes, but there are 0"));
  for (const char* const header :
       {"", "{", "{}", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': 1, 'shape': ()}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (), 'more': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': ()} x",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': ()}"}) {
    EXPECT_EQ(error_of(file_of(header, "")), said(kLacks)) << header;
  }
  EXPECT_EQ(error_of(file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "1234")),
            said("has 4 bytes for elements of float32 and the shape [2]"));
  EXPECT_EQ(error_of(file_of("{'descr': '|O', 'fortran_order': False, 'shape': (2,)}", "1234")),
            "load: 'f' holds elements of '|O', which Weft has no dtype for; numbers and flags can "
            "be read [load.dtype]");
  EXPECT_EQ(error_of(file_of("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}", "")),
            "load: 'f' holds elements of 'records', which Weft has no dtype for; numbers and flags "
            "can be read [load.dtype]");
}

}  // namespace
}  // namespace weft::io
