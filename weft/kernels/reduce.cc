// The reductions driver: units of rows or columns through the kernels, blocks combined in order.
#include "weft/kernels/reduce.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "weft/kernels/reduce_plan.h"
#include "weft/kernels/scratch.h"
#include "weft/kernels/tasks.h"
#include "weft/kernels/tile.h"

namespace weft::kernels {
namespace {

// Arrays of states, one for each state of the reduction.
struct States {
  char* of[kMaxStates] = {};
};

int64_t bytes_of_states(const ReduceKernels& kernels) {
  int64_t bytes = 0;
  for (int k = 0; k < kernels.states; ++k) bytes += kernels.state_item[k];
  return bytes;
}

// Room for `count` of each state, carved from scratch.
States carve(const ReduceKernels& kernels, char* from, int64_t count) {
  States states;
  // The widest state first, so that all are aligned.
  const bool swap = kernels.states > 1 && kernels.state_item[1] > kernels.state_item[0];
  for (int i = 0; i < kernels.states; ++i) {
    const int k = swap ? 1 - i : i;
    states.of[k] = from;
    from += count * kernels.state_item[k];
  }
  return states;
}

struct Unit {
  int64_t block, count;      // which block, and how many rows or columns
  const char* in;            // element 0 of the first row or column
  int64_t output, out_step;  // its output, and outputs from one row or column to the next
};

Unit unit_at(const ReducePlan& plan, const char* in, int64_t index) {
  const ReducePlan::Kept& cut = plan.kept[plan.unit_dim];
  Unit unit{.block = 0, .count = 0, .in = in, .output = 0, .out_step = cut.out};
  int64_t rest = index, first = 0;
  if (plan.units > 1) {
    unit.block = rest % plan.blocks;
    rest /= plan.blocks;
    first = rest % plan.unit_tiles * plan.unit_size;
    rest /= plan.unit_tiles;
    for (int d = plan.kept_rank - 1; d >= 0; --d) {
      if (d == plan.unit_dim) continue;
      const int64_t at = rest % plan.kept[d].size;
      rest /= plan.kept[d].size;
      unit.in += at * plan.kept[d].in;
      unit.output += at * plan.kept[d].out;
    }
  }
  unit.count = std::min(plan.unit_size, cut.size - first);
  unit.in += first * cut.in;
  unit.output += first * cut.out;
  return unit;
}

class Run {
 public:
  Run(const ReduceKernels& kernels, const ReducePlan& plan, const Operand& in)
      : kernels_(kernels), plan_(plan), in_(in.data) {}

  void reduce_blocks(const States& results);  // results[output * blocks + block]
  void combine(const States& out, States in, int64_t each);

 private:
  void reduce_unit(const Unit& unit, const States& results, char* work);
  void call(const Unit& unit, void* const* to, char* work);
  int64_t work_bytes() const;

  const ReduceKernels& kernels_;
  const ReducePlan& plan_;
  const char* in_;
};

int64_t Run::work_bytes() const {
  switch (plan_.path) {
    case ReducePlan::Path::kRows: return 0;
    case ReducePlan::Path::kColumns: return 64 * kReduceColumns * bytes_of_states(kernels_);
    case ReducePlan::Path::kPackedRows:
      return plan_.unit_size * std::min(plan_.length, plan_.block) * plan_.item;
  }
  return 0;
}

void Run::reduce_blocks(const States& results) {
  const int64_t elements = plan_.unit_size * std::min(plan_.length, plan_.block);
  const double extra = plan_.path == ReducePlan::Path::kPackedRows ? 0.6 : 0.0;
  const double ns = static_cast<double>(elements) * (kernels_.ns_per_element + extra);
  const int64_t bytes = work_bytes();
  in_tasks(plan_.units, ns, [&](int64_t begin, int64_t end) {
    alignas(64) char small[4096];
    std::optional<Scratch> scratch;
    char* const work =
        bytes <= static_cast<int64_t>(sizeof(small)) ? small : scratch.emplace(bytes).data();
    for (int64_t i = begin; i < end; ++i) reduce_unit(unit_at(plan_, in_, i), results, work);
  });
}

void Run::reduce_unit(const Unit& unit, const States& results, char* work) {
  // Neighbouring results of one unit, in states of each array.
  const int64_t step = unit.out_step * plan_.blocks;
  const int64_t first = unit.output * plan_.blocks + unit.block;
  if (step == 1 || unit.count == 1) {
    void* to[kMaxStates];
    for (int k = 0; k < kernels_.states; ++k) {
      to[k] = results.of[k] + first * kernels_.state_item[k];
    }
    return call(unit, to, work);
  }
  alignas(64) char buffer[kMaxStates][kReduceColumns * 16];  // rows too are at most as many
  void* to[kMaxStates] = {buffer[0], buffer[1]};
  call(unit, to, work);
  for (int k = 0; k < kernels_.states; ++k) {
    const int64_t size = kernels_.state_item[k];
    copy_tile({results.of[k] + first * size, 0, step * size}, {buffer[k], 0, size}, 1, unit.count,
              size);
  }
}

void Run::call(const Unit& unit, void* const* to, char* work) {
  const int64_t first = unit.block * plan_.block, count = plan_.block_length(unit.block);
  const auto index = static_cast<uint64_t>(first);
  const int64_t row_step = plan_.kept[plan_.unit_dim].in;
  const char* const here = unit.in + first * plan_.reduced[0].in;  // unless packed: one dim
  switch (plan_.path) {
    case ReducePlan::Path::kRows: return kernels_.row(to, here, row_step, count, unit.count, index);
    case ReducePlan::Path::kColumns:
      return kernels_.column(to, here, plan_.reduced[0].in, count, unit.count, index, work);
    case ReducePlan::Path::kPackedRows:
      pack_rows(plan_, work, unit.in, unit.count, row_step, first, count);
      return kernels_.row(to, work, count * plan_.item, count, unit.count, index);
  }
}

// `each` states of every output become one, block by block, until one is left.
void Run::combine(const States& out, States in, int64_t each) {
  const int64_t next = (each + plan_.block - 1) / plan_.block;
  std::optional<Scratch> scratch;
  States to = out;
  if (next > 1) {
    const int64_t count = plan_.outputs * next;
    to = carve(kernels_, scratch.emplace(count * bytes_of_states(kernels_)).data(), count);
  }
  const double ns = static_cast<double>(std::min(each, plan_.block)) * kernels_.ns_per_element;
  in_tasks(plan_.outputs * next, ns + 5, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i / next * each + i % next * plan_.block;
      const int64_t count = std::min(plan_.block, each - i % next * plan_.block);
      void *result[kMaxStates], *from[kMaxStates];
      for (int k = 0; k < kernels_.states; ++k) {
        result[k] = to.of[k] + i * kernels_.state_item[k];
        from[k] = in.of[k] + first * kernels_.state_item[k];
      }
      kernels_.combine(result, from, 0, count, 1);
    }
  });
  if (next > 1) combine(out, to, next);
}

}  // namespace

void reduce(const ReduceKernels& kernels, void* const* states, const Operand& in, uint32_t axes) {
  const ReducePlan plan(kernels, in, axes);
  if (plan.empty()) return;
  States out;
  bool wants_all = true;
  for (int k = 0; k < kernels.states; ++k) {
    out.of[k] = static_cast<char*>(states[k]);
    wants_all = wants_all && states[k] != nullptr;
  }
  std::optional<Scratch> unwanted, partial;
  if (!wants_all) {
    const States spare = carve(
        kernels, unwanted.emplace(plan.outputs * bytes_of_states(kernels)).data(), plan.outputs);
    for (int k = 0; k < kernels.states; ++k) {
      if (out.of[k] == nullptr) out.of[k] = spare.of[k];
    }
  }
  Run run(kernels, plan, in);
  if (plan.blocks == 1) return run.reduce_blocks(out);
  const int64_t count = plan.outputs * plan.blocks;
  const States results =
      carve(kernels, partial.emplace(count * bytes_of_states(kernels)).data(), count);
  run.reduce_blocks(results);
  run.combine(out, results, plan.blocks);
}

}  // namespace weft::kernels
