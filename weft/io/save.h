// save and load: tensors by name, in files that others read.
//
//   save("model.safetensors", {{"w", w}, {"b", b}}, {.metadata = {{"epoch", "3"}}});
//   const TensorDict tensors = load("model.safetensors");
//   tensors.at("w");
#pragma once

#include "weft/io/tensors.h"

namespace weft {

// What modules and optimizers give as their state, too: save(path, net.state_dict()).
using TensorDict = std::map<std::string, Tensor>;

struct SaveOptions {
  io::Metadata metadata = {};  // texts that go with the tensors; only safetensors has them
  bool compressed = false;     // only npz has it
};

// Writes a file in one step: who reads `path` sees what was there before, or all of the new. The
// path's ending decides: .npz is NumPy's archive, .npy one array of NumPy's, whose name is left
// out; all else is safetensors.
void save(const std::string& path, const TensorDict& tensors, const SaveOptions& options = {});
// The same in an order of the caller's.
void save_in_order(const std::string& path, const io::NamedTensors& tensors,
                   const SaveOptions& options = {});

// The tensors of such a file; its contents say which it is. With `names` only those, none if there
// are none; [load.names] says if one is missing. The one array of an npy file has the name "".
TensorDict load(const std::string& path, io::Names names = std::nullopt);
io::NamedTensors load_in_order(const std::string& path, io::Names names = std::nullopt);
// The texts in a safetensors file, without reading its tensors.
io::Metadata load_metadata(const std::string& path);

}  // namespace weft
