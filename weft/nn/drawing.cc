// Traces one call of a model and draws it, with the class and parameters of each module.
#include "weft/nn/drawing.h"

#include <algorithm>

#include "weft/base/grouped.h"
#include "weft/ir/draw.h"
#include "weft/trace/trace.h"
#include "weft/transform/custom.h"

namespace weft::nn {
namespace {

int64_t size_of(const ModuleBase& module) {
  int64_t out = 0;
  for (const Variable& one : module.parameters()) out += one.value().numel();
  return out;
}

// Restores the training modes of all modules when it ends.
class ModesRestored {
 public:
  explicit ModesRestored(ModuleBase& module) {
    for (ModuleBase* const one : module.modules()) modes_.emplace_back(one, one->training);
  }
  ~ModesRestored() {
    for (const auto& [module, mode] : modes_) module->training = mode;
  }
  ModesRestored(const ModesRestored&) = delete;
  ModesRestored& operator=(const ModesRestored&) = delete;

 private:
  std::vector<std::pair<ModuleBase*, bool>> modes_;
};

}  // namespace

std::string detail::drawn(ModuleBase& module, FlatFunction call, const Tensors& inputs,
                          const DrawOptions& options) {
  const ModesRestored restored(module);
  for (ModuleBase* const one : module.modules()) one->training = false;
  const NoGrad no_grad;
  const bool is_pending =
      std::ranges::any_of(module.modules(), [](ModuleBase* one) { return one->is_pending(); });
  if (is_pending) call(inputs);  // the first call infers the sizes of layers
  std::vector<TraceParameter> parameters;
  for (size_t i = 0; i < inputs.size(); ++i) {
    parameters.push_back({inputs[i].type(), inputs.size() == 1 ? "x" : text("x", i)});
  }
  const Trace trace = trace_flat(call, parameters);
  ir::DrawOptions drawing{.depth = options.depth,
                          .repeats = options.repeats,
                          .arguments = inputs.size(),
                          .sizes = true};
  for (const auto& [name, each] : module.named_modules()) {
    if (name.empty()) continue;
    std::string path = name;
    std::ranges::replace(path, '.', '/');
    drawing.modules[path] = {std::string(each->type_name()), size_of(*each),
                             each->named_children().empty()};
  }
  drawing.title = text(module.type_name(), ": ", grouped(text(size_of(module))), " parameters");
  return ir::draw(*trace.function, options.path, drawing);
}

}  // namespace weft::nn
