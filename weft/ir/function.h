// Function: a graph with parameters and results; what is traced, transformed, saved and run.
#pragma once

#include <map>
#include <mutex>

#include "weft/base/mutex.h"
#include "weft/ir/graph.h"

namespace weft {

Types types_of(TensorSpan tensors);

}  // namespace weft

namespace weft::ir {

// What a trace took for granted of sizes, and where it had to.
struct Assumption {
  enum class Relation : uint8_t { kEqual, kNotEqual, kLess, kNotLess };
  Dim a = 0, b = 0;
  Relation relation = Relation::kEqual;
  Where where;

  // Does it hold once the symbols have these values?
  bool holds(std::span<const DimBinding> bindings) const;
};
std::string to_string(const Assumption& assumption);  // "n == 2*m"

inline bool is_same_line(Where a, Where b) { return a.file == b.file && a.line == b.line; }

// Every symbol in it is a whole extent of some parameter, so that arguments give all of them
// values; but for those that begin with '?', which an op inside gives.
class Function {
 public:
  std::string name = "f";
  Graph graph;
  std::vector<ValueId> results;
  std::vector<Assumption> assumptions;
  std::vector<DimBinding> hints;  // sizes that symbols had when it was traced
  // Results that are the new values of what parameters were read from: Variables that it writes.
  struct NewValue {
    uint32_t parameter, result;
  };
  std::vector<NewValue> new_values;

  Function() = default;
  Function(const Function&) = delete;
  Function& operator=(const Function&) = delete;

  size_t parameter_count() const { return graph.parameters().size(); }
  const Type& parameter_type(size_t i) const { return graph.value(graph.parameters()[i]).type; }
  const Type& result_type(size_t i) const { return graph.value(results[i]).type; }

  // What was made of it, kept as long as it lives: derivatives and batched forms by a name that
  // says which, and what runs it.
  struct Kept {
    Mutex mutex;
    std::multimap<std::string, Shared<const Function>> derived;
    Shared<void> executable;
    Atomic<const void*> ready{nullptr};  // the executable, for those who come later
  };
  Kept& kept() const { return kept_; }

 private:
  mutable Kept kept_;
};

// The values of a function's symbols for arguments of these types; raises [function.shape] if they
// do not fit its parameters.
std::vector<DimBinding> bind_symbols(const Function& function, TypeSpan arguments);

// Gives those symbols in a node's results their values that only running it told ("?nonzero").
void bind_found(const Graph& graph, const Node& node, TensorSpan out,
                std::vector<DimBinding>& bindings);

// Applies the function's ops to these arguments, one after the other: computes now, or becomes part
// of the graph or the transformation that is open.
Tensors inlined(const Function& function, TensorSpan arguments, Where where);

// Runs the function on plain values (defined by runtime/).
Tensors run(const Function& function, TensorSpan arguments);

// A function in a loop (defined by runtime/): it reads and writes where it is told, and from step
// to step nothing is looked up or allocated.
class Stepper {
 public:
  virtual ~Stepper() = default;
  // Arguments lie in the memory of those it was made with, in the same layout; results are
  // contiguous, and overlap no argument.
  virtual void run(char* const* arguments, char* const* results) = 0;
};
// For arguments like these and results of these types. Null if it cannot be had: then `run` is
// right.
Shared<Stepper> stepper_of(const Function& function, TensorSpan arguments, TypeSpan results);

// The types of the results for arguments of these types.
Types result_types(const Function& function, TypeSpan arguments);

}  // namespace weft::ir
