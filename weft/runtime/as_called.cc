// What a call would say without a trace.
#include "weft/runtime/as_called.h"

#include <algorithm>

#include "weft/op/builtin.h"
#include "weft/op/levels.h"
#include "weft/op/registry.h"
#include "weft/ops/shape/shape_ops.h"
#include "weft/runtime/planned.h"
#include "weft/trace/eager_scope.h"

namespace weft {

bool is_of_op(std::string_view who) {
  const std::string_view whole = who.substr(0, who.find('.'));  // of a part: "layer_norm.rows"
  return std::ranges::any_of(registered_ops(),
                             [&](const OpEntry* entry) { return entry->name == whole; });
}

bool is_of_arguments(const Error& error) {
  const bool is_of_class = error.code == Code::kInvalid || error.code == Code::kType ||
                           error.code == Code::kIndex || error.code == Code::kOverflow;
  return is_of_class && is_of_op(error.op);
}

bool are_sizes_wrong(const TraceEntry& entry, TensorSpan in) {
  const NoGrad off;
  const EagerScope now;
  Tensors all;
  for (const Tensor& t : in) {
    if (!std::ranges::all_of(t.shape(), [](Dim dim) { return dim.is_known(); })) return false;
    all.push_back(broadcast_to(zeros({}, t.dtype()), Shape(t.shape())));  // no contents are read
  }
  for (const Tensor& t : entry.trace.captured_values()) all.push_back(t);
  try {
    Planned(entry.trace.function, std::move(all));
    return false;
  } catch (const Error& error) {
    return error.op != "plan";
  }
}

bool fails_for_sizes(const TraceEntry& entry, TensorSpan in) {
  return !entry.is_exact && !entry.is_single && are_sizes_wrong(entry, in);
}

void trace_with_sizes(FlatFunction f, const std::string& name, TensorSpan in) {
  const NoGrad off;
  std::vector<TraceParameter> parameters;
  for (const Tensor& t : in) parameters.push_back({t.type(), "x", {}});
  try {
    trace_flat(f, parameters, {.name = name, .stands_alone = true});
  } catch (const Error& error) {
    if (is_of_op(error.op)) throw;
  }
}

}  // namespace weft
