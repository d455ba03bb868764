// idx: tensors in the files of MNIST: a type, the extents, then the elements, the high byte first.
#include <algorithm>

#include "weft/data/file_reader.h"
#include "weft/data/gzip.h"
#include "weft/data/idx.h"
#include "weft/io/tensors.h"

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

Tensor parse_idx(const ByteSource& source) {
  const auto refuse = [&](const auto&... pieces) {
    fail(Code::kIo, "idx", "file", source.name(), " ", pieces...);
  };
  uint8_t head[4 + 4 * kMaxRank] = {};
  const auto read_head = [&](size_t from, size_t count) {
    source.read(from, std::as_writable_bytes(std::span(head)).subspan(from, count));
  };
  if (source.size() >= 4) read_head(0, 4);
  if (source.size() < 4 || head[0] != 0 || head[1] != 0) refuse("is no IDX file");
  const std::optional<DType> dtype = dtype_of(head[2]);
  if (!dtype)
    refuse("has elements of type ", static_cast<int64_t>(head[2]), ", which IDX does not know");
  const size_t rank = head[3];
  if (rank > kMaxRank) refuse("has rank ", rank, "; the most is ", kMaxRank);
  const size_t start = 4 + 4 * rank;
  if (source.size() < start) refuse("ends within its header");
  read_head(4, start - 4);
  Shape shape;
  uint64_t needed = static_cast<uint64_t>(size_of(*dtype));
  for (size_t at = 4; at < start; at += 4) {
    const uint32_t extent = uint32_t{head[at]} << 24 | uint32_t{head[at + 1]} << 16 |
                            uint32_t{head[at + 2]} << 8 | head[at + 3];
    shape.push_back(static_cast<int64_t>(extent));
    if (__builtin_mul_overflow(needed, uint64_t{extent}, &needed))
      refuse("has extents that overflow");
  }
  if (needed != source.size() - start) {
    refuse("holds ", source.size() - start, " bytes of elements but ", Type{*dtype, shape},
           " needs ", needed);
  }
  Tensor out = io::read_tensor(source, start, *dtype, shape);
  if (size_of(*dtype) > 1) {
    turn_bytes(static_cast<char*>(out.writable_data()), out.numel(), size_of(*dtype));
  }
  return out;
}

Tensor read_idx(const std::string& path) {
  const InputFile file(path, "idx");
  char first[2] = {};
  if (file.size() >= sizeof first) file.read(0, std::as_writable_bytes(std::span(first)));
  if (!is_gzip({first, sizeof first})) return parse_idx(file);
  const std::string bytes = gunzipped(file_bytes(path, "idx"), "idx", path);
  return parse_idx(MemorySource(bytes_in(bytes), path));
}

Dataset idx(Paths paths) {
  if (paths.empty()) fail(Code::kInvalid, "idx", "paths", "needs at least one path");
  if (paths.size() == 1) return Dataset::from_tensor_slices(Element(read_idx(paths[0])));
  std::vector<Leaf> leaves;
  for (const std::string& path : paths) leaves.emplace_back(read_idx(path));
  return Dataset::from_tensor_slices(Element(std::move(leaves)));
}

}  // namespace weft::data
