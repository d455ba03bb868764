// Writes safetensors.
#include <algorithm>
#include <bit>
#include <cstring>

#include "weft/base/error.h"
#include "weft/io/json/json.h"
#include "weft/io/safetensors/dtypes.h"
#include "weft/io/safetensors/safetensors.h"

namespace weft::io {
namespace {

static_assert(std::endian::native == std::endian::little, "files have the bytes of little-endian");

uint64_t size_in_bytes(const Tensor& t) {
  return static_cast<uint64_t>(t.numel() * size_of(t.dtype()));
}

// Where bytes begin that must be aligned for all: wide elements first, then by name, so that the
// same tensors give the same file whatever their order.
std::vector<size_t> aligned_order(const NamedTensors& tensors) {
  std::vector<size_t> out(tensors.size());
  for (size_t i = 0; i < out.size(); ++i) out[i] = i;
  std::sort(out.begin(), out.end(), [&](size_t a, size_t b) {
    const int64_t left = size_of(tensors[a].value.dtype());
    const int64_t right = size_of(tensors[b].value.dtype());
    return left != right ? left > right : tensors[a].name < tensors[b].name;
  });
  return out;
}

void append_entry(std::string& out, const NamedTensor& tensor, uint64_t begin) {
  if (out.size() > 1) out += ',';
  append_json_string(out, tensor.name);
  out += text(":{\"dtype\":\"", safetensors_name(tensor.value.dtype()), "\",\"shape\":[");
  for (int64_t axis = 0; axis < tensor.value.rank(); ++axis) {
    out += text(axis == 0 ? "" : ",", tensor.value.dim(axis).value());
  }
  out += text("],\"data_offsets\":[", begin, ",", begin + size_in_bytes(tensor.value), "]}");
}

void append_metadata(std::string& out, const Metadata& metadata) {
  if (metadata.empty()) return;
  out += "\"__metadata__\":{";
  bool is_first = true;
  for (const auto& [key, value] : metadata) {
    if (!is_first) out += ',';
    is_first = false;
    append_json_string(out, key);
    out += ':';
    append_json_string(out, value);
  }
  out += '}';
}

void require_dtypes(const NamedTensors& tensors, std::string_view who) {
  for (const auto& [name, value] : tensors) {
    if (name == "__metadata__") {
      fail(Code::kInvalid, who, "names", "a tensor is named '__metadata__', which safetensors ",
           "keeps for texts; give it another name");
    }
    if (safetensors_name(value.dtype()).empty()) {
      fail(Code::kType, who, "dtype", "'", name, "' is ", value.dtype(), ", which safetensors ",
           "has no name for; save its real and imaginary parts, or a file that ends in .npz");
    }
  }
}

void require_texts(const Metadata& metadata, std::string_view who) {
  for (const auto& [key, value] : metadata) {
    if (!is_utf8(key) || !is_utf8(value)) {
      fail(Code::kInvalid, who, "metadata", "the metadata are not UTF-8; they are texts");
    }
  }
}

}  // namespace

void write_safetensors(ByteSink& to, const NamedTensors& tensors, const Metadata& metadata,
                       std::string_view who) {
  require_writable(tensors, who);
  require_dtypes(tensors, who);
  require_texts(metadata, who);
  const std::vector<size_t> order = aligned_order(tensors);
  std::vector<uint64_t> begins(tensors.size());
  uint64_t at = 0;
  for (const size_t i : order) {
    begins[i] = at;
    at += size_in_bytes(tensors[i].value);
  }
  std::string header = "{";
  append_metadata(header, metadata);
  for (size_t i = 0; i < tensors.size(); ++i) append_entry(header, tensors[i], begins[i]);
  header += '}';
  header.resize((header.size() + 7) / 8 * 8, ' ');
  const uint64_t length = header.size();
  to.write(std::as_bytes(std::span(&length, 1)));
  to.write(header);
  for (const size_t i : order) to.write(RowMajor(tensors[i].value).bytes());
}

}  // namespace weft::io
