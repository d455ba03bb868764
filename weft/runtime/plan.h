// RunPlan: a function made ready for arguments of certain sizes: a flat list of instructions, and a
// place for every value.
#pragma once

#include "weft/compile/arena.h"
#include "weft/ir/function.h"
#include "weft/kernels/map.h"
#include "weft/kernels/matmul/matmul.h"
#include "weft/op/variable.h"

namespace weft {

// Whose memory a value is in.
enum class Home : uint8_t {
  kArena,      // the frame's: it is gone when the run is
  kParameter,  // what the run was given
  kFresh,      // its own, new in each run: somebody keeps it
  kHeld,       // that of a tensor which an op hands out: the value of a Variable
  kConstant,   // that of a tensor which all runs share
};

struct PlannedValue {
  Type type;
  Ints strides;  // in elements
  int64_t numel = 0;
  ir::ValueId root = ir::kNone;  // the value whose memory it is in, often itself
  int64_t shift = 0;             // where in it, in bytes
  int64_t offset = 0;            // kArena: of the root in the arena
  Home home = Home::kArena;      // the root's
  bool contiguous = true;
  bool is_open = false;  // its type is known only when it has been computed
  bool has_handle = false;
  bool is_whole = false;  // a view that is its root under another name
  bool shares = false;    // kArena, of a root: it took over the block of an input, in place
  uint32_t first_view = 0, views = 0;  // in RunPlan::views, of a root that is not in the arena
  uint32_t birth = 0, death = 0;       // kArena, of a root: instructions

  int64_t bytes() const { return numel * size_of(type.dtype); }
};

struct Instruction {
  enum class Kind : uint8_t {
    kCall,     // one call of a generated kernel on this thread
    kMap,      // a generated kernel, by its driver
    kProduct,  // a matrix product
    kCompute,  // by the op's own driver or function, on tensors
    kOpen,     // the same, where types are known only now
  };
  Kind kind = Kind::kCompute;
  bool makes_fresh = false;  // an output is kFresh; its memory is allocated first, unless by the op
  uint32_t outputs = 0;
  uint32_t operands = 0;  // all of them
  uint32_t first = 0;     // in RunPlan::operands: outputs, then inputs
  uint32_t detail = 0;    // in the list of its kind
  ir::NodeId node = ir::kNone;
};

// What kCompute needs.
struct Computation {
  Shared<const AnyAttrs> attrs;
  Types out;
};

// A new value of a Variable that may be written where the old one is, if nobody else holds that.
struct Replaced {
  ir::ValueId value = ir::kNone;  // the new one
  ir::ValueId old = ir::kNone;
  uint32_t writer = 0;   // the instruction that makes the new one
  uint32_t operand = 0;  // of an update: where the old one is
  uint32_t stored = 0;   // the instruction that assigns it; behind the last: the caller does
  uint32_t parameter = ir::kNone;  // of functions: what was read from the Variable
  Variable variable = {};          // of graphs
};

// Instructions in a row that do not fail, with all Variables that are written in place there: the
// values are out of them from the first instruction until they are stored.
struct Stretch {
  uint32_t first = 0, last = 0;
  std::vector<Replaced> places;  // in the order in which they are stored
};

struct ArenaBlock {
  int64_t begin = 0, end = 0;  // bytes
};

struct RunPlan {
  const ir::Function* function = nullptr;
  std::vector<PlannedValue> values;  // as in the graph
  std::vector<Instruction> instructions;
  std::vector<ir::ValueId> operands;
  std::vector<kernels::MapCall> calls;
  std::vector<kernels::MapKernels> maps;
  std::vector<kernels::MatmulArgs> products;
  std::vector<Computation> computations;
  std::vector<ir::ValueId> views;
  std::vector<ir::ValueId> fresh;  // values that a run makes tensors of, to be let go at its end
  std::vector<std::pair<ir::ValueId, Tensor>> constants;
  std::vector<DimBinding> bindings;
  std::vector<Stretch> stretches;
  bool has_open = false;
  compile::Arena arena;
  // By instruction: arena memory that no later instruction reads. Empty but in tests
  // (check_plan.h).
  std::vector<std::vector<ArenaBlock>> dead_blocks;

  // Outputs, then inputs.
  std::span<const ir::ValueId> operands_of(const Instruction& it) const {
    return std::span(operands).subspan(it.first, it.operands);
  }
  // Are these arguments of the sizes and strides it was made for?
  bool fits(TensorSpan arguments) const;
};

// Raises what an op has to say against sizes, with its line. Null if there can be no plan: an
// argument is a language scalar.
Shared<const RunPlan> make_plan(const ir::Function& function, TensorSpan arguments);

// The last part of making it: homes and offsets. `escapes` are roots that somebody keeps, beside
// the results.
void place_values(RunPlan& plan, std::span<const ir::ValueId> escapes);
// The elements of both are in the same places, if they begin in the same.
bool lie_alike(const PlannedValue& a, const PlannedValue& b);
// Which new values of Variables may be written in place.
void find_replaced(RunPlan& plan);

}  // namespace weft
