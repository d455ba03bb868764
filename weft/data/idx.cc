// idx: tensors in the files of MNIST: a type, the extents, then the elements, the high byte first.
#include <algorithm>

#include "weft/data/file_reader.h"
#include "weft/data/gzip.h"
#include "weft/data/idx.h"

namespace weft::data {
namespace {

std::optional<DType> dtype_of(uint8_t code) {
  switch (code) {
    case 0x08: return DType::kU8;
    case 0x09: return DType::kI8;
    case 0x0B: return DType::kI16;
    case 0x0C: return DType::kI32;
    case 0x0D: return DType::kF32;
    case 0x0E: return DType::kF64;
    default: return {};
  }
}

void turn_bytes(char* at, int64_t count, int64_t size) {
  for (int64_t i = 0; i < count; ++i, at += size) std::reverse(at, at + size);
}

}  // namespace

Tensor parse_idx(std::string_view bytes, const std::string& path) {
  const auto refuse = [&](const auto&... pieces) {
    fail(Code::kIo, "idx", "file", path, " ", pieces...);
  };
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(bytes[i]); };
  if (bytes.size() < 4 || byte(0) != 0 || byte(1) != 0) refuse("is no IDX file");
  const std::optional<DType> dtype = dtype_of(byte(2));
  if (!dtype)
    refuse("has elements of type ", static_cast<int64_t>(byte(2)), ", which IDX does not know");
  const size_t rank = byte(3);
  if (rank > kMaxRank) refuse("has rank ", rank, "; the most is ", kMaxRank);
  const size_t start = 4 + 4 * rank;
  if (bytes.size() < start) refuse("ends within its header");
  Shape shape;
  uint64_t needed = static_cast<uint64_t>(size_of(*dtype));
  for (size_t i = 0; i < rank; ++i) {
    const size_t at = 4 + 4 * i;
    const uint32_t extent = static_cast<uint32_t>(byte(at)) << 24 |
                            static_cast<uint32_t>(byte(at + 1)) << 16 |
                            static_cast<uint32_t>(byte(at + 2)) << 8 | byte(at + 3);
    shape.push_back(static_cast<int64_t>(extent));
    if (__builtin_mul_overflow(needed, uint64_t{extent}, &needed))
      refuse("has extents that overflow");
  }
  if (needed != bytes.size() - start) {
    refuse("holds ", bytes.size() - start, " bytes of elements but ", Type{*dtype, shape},
           " needs ", needed);
  }
  Tensor out = Tensor::from_bytes(*dtype, shape, std::as_bytes(std::span(bytes.substr(start))));
  if (size_of(*dtype) > 1) {
    turn_bytes(static_cast<char*>(out.writable_data()), out.numel(), size_of(*dtype));
  }
  return out;
}

Tensor read_idx(const std::string& path) {
  const MappedFile file(path, "idx");
  if (!is_gzip(file.bytes())) return parse_idx(file.bytes(), path);
  return parse_idx(gunzipped(file.bytes(), "idx", path), path);
}

Dataset idx(Paths paths) {
  if (paths.empty()) fail(Code::kInvalid, "idx", "paths", "needs at least one path");
  if (paths.size() == 1) return Dataset::from_tensor_slices(Element(read_idx(paths[0])));
  std::vector<Leaf> leaves;
  for (const std::string& path : paths) leaves.emplace_back(read_idx(path));
  return Dataset::from_tensor_slices(Element(std::move(leaves)));
}

}  // namespace weft::data
