// The file `checkpoint` beside the files of a Saver: which is the last, and which are there. It is
// TensorFlow's CheckpointState, in protobuf's text form:
//
//   model_checkpoint_path: "model-200"
//   all_model_checkpoint_paths: "model-100"
//   all_model_checkpoint_paths: "model-200"
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft::io {

struct CheckpointState {
  std::string latest;
  std::vector<std::string> all;  // oldest first; paths beside the file have no folder
};
std::string to_text(const CheckpointState& state);
// Raises Error{kIo} [latest_checkpoint.file]; `path` is where the text was.
CheckpointState parse_checkpoint_state(std::string_view text, const std::string& path);

}  // namespace weft::io
