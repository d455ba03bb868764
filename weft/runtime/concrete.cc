// One trace of a function, to be looked at and called.
#include "weft/runtime/concrete.h"

#include "weft/compile/passes.h"
#include "weft/ir/draw.h"
#include "weft/ir/print.h"
#include "weft/ir/summary.h"
#include "weft/op/levels.h"

namespace weft {

std::string ConcreteTrace::text() const { return ir::to_text(*function()); }
std::string ConcreteTrace::summary() const { return ir::summary(*function()); }
std::string ConcreteTrace::draw(const std::string& path, int depth) const {
  const size_t captured = entry_->trace.captured.size();
  return ir::draw(*function(), path,
                  {.depth = depth, .arguments = function()->parameter_count() - captured});
}

Graph ConcreteTrace::optimized(const std::string& dump) const {
  return Graph::from(*compile::optimize(*function(), {.dump = dump}));
}

void ConcreteTrace::need_fitting(const Tensors& arguments, const std::string& statics) const {
  const auto what_changed = [&](const TraceEntry& entry) {
    return detail::changed_argument(entry.statics, statics);
  };
  owner_->check_fits(*entry_, arguments, statics, Where(),
                     {.names = {}, .what_changed = what_changed});
}

Planned ConcreteTrace::planned(Tensors arguments, const std::string& statics) const {
  need_fitting(arguments, statics);
  const NoGrad off;
  for (const Tensor& t : entry_->trace.captured_values()) arguments.push_back(t);
  return {function(), std::move(arguments)};
}

Tensors ConcreteTrace::call(const Tensors& arguments, const std::string& statics) const {
  need_fitting(arguments, statics);
  return TracedFunction::call(*entry_, arguments, Where());
}

}  // namespace weft
