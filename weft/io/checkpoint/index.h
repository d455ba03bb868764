// The index of a checkpoint: what it holds, in JSON, with checksums.
//
//   {"crc32c":"89abcdef","format":"weft checkpoint","version":1,"step":600,"metrics":{...},
//    "generator":{"seed":0,"draws":12},
//    "files":{"model.safetensors":{"bytes":1234,"crc32c":"01234567"}},"objects":{"model":{...}}}
//
// The first checksum is that of all bytes behind the first comma.
#pragma once

#include "weft/io/checkpoint/folder.h"
#include "weft/io/json/json.h"

namespace weft::io {

struct IndexedFile {
  std::string name;
  uint64_t bytes = 0;
  std::string crc32c;
};

struct CheckpointIndex {
  int64_t step = 0;
  MetricValues metrics;
  random::GeneratorState generator;
  std::vector<IndexedFile> files;
  JsonObject objects;  // states
};

std::string index_text(const CheckpointIndex& index);
// Raises Error{kIo} [CheckpointManager.index] for any other text.
CheckpointIndex parse_index(std::string_view text, const std::string& path);

}  // namespace weft::io
