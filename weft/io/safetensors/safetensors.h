// Safetensors: a header in JSON, then the bytes of the tensors
// (github.com/huggingface/safetensors).
//
//   8 bytes: the length of the header, little-endian
//   {"__metadata__":{"epoch":"3"},"w":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}, ...}
//   the bytes, without gaps
#pragma once

#include "weft/io/tensors.h"

namespace weft::io {

// Writes tensors of any dtype but complex128, which the format lacks: [who.dtype]. The header has
// them in the order given; their bytes are ordered so that every tensor is aligned.
void write_safetensors(ByteSink& to, const NamedTensors& tensors, const Metadata& metadata,
                       std::string_view who = "save");

// A file whose header was read and checked. Nothing of it is trusted: the header's offsets must
// cover the file without gaps or overlaps, so nobody asks for more memory than the file has bytes.
class SafetensorsReader {
 public:
  // Raises Error{kIo} [who.safetensors] for anything else. The source must outlive the reader.
  explicit SafetensorsReader(const ByteSource& source, std::string_view who = "load");

  struct Entry {
    std::string name;
    std::string dtype;  // the format's name
    std::vector<int64_t> sizes;
    uint64_t at = 0, bytes = 0;  // `at` counts from the beginning of the source
  };
  const std::vector<Entry>& entries() const { return entries_; }
  const Metadata& metadata() const { return metadata_; }
  const Entry* find(std::string_view name) const;
  // Raises [who.dtype] for those that Weft has not: F8_E4M3 and others.
  Tensor load(const Entry& entry) const;
  NamedTensors load_all() const;

 private:
  [[noreturn]] void wrong(std::string_view what) const;
  void read_header(std::string_view text);
  void require_no_gaps(uint64_t begin) const;
  const ByteSource& source_;
  const std::string who_;
  std::vector<Entry> entries_;
  Metadata metadata_;
};

}  // namespace weft::io
