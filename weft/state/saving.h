// The ops by which a graph saves values to a file and restores them.
#pragma once

#include "weft/ir/graph.h"

namespace weft {

// What a file is to hold, or holds: names, with types.
struct SavedValue {
  std::string name;
  Type type;
};
using SavedValues = std::vector<SavedValue>;
// "w: f32[2, 3], b: f32[3]"; names that are not plain stand in quotes. Raises [Saver.values] on
// what reads otherwise.
std::string print_saved_values(const SavedValues& values);
SavedValues parse_saved_values(std::string_view text);

struct SavedValuesAttrs {
  std::string values;
  static constexpr auto fields = fields_of(
      field("values", &SavedValuesAttrs::values, "names and types: w: f32[2, 3], b: f32[3]"));
};
extern const OpDef kSaveTensors;
extern const OpDef kRestoreTensors;

// Texts have no dtype: a path goes through a graph as its bytes.
Tensor path_tensor(std::string_view path);
std::string path_in(const Tensor& bytes);

// What the ops do; io/ has it.
void save_values(const std::string& path, const SavedValues& about, TensorSpan values);
Tensors restore_values(const std::string& path, const SavedValues& wanted);

}  // namespace weft
