// Frame: what one run of a plan works in: the arena, and where every value is now.
#pragma once

#include <optional>

#include "weft/base/thread_pool.h"
#include "weft/op/assign_updated.h"
#include "weft/runtime/donor.h"
#include "weft/runtime/plan.h"

namespace weft {

struct InstructionTime;

// For one run at a time.
class Frame {
 public:
  // `arena` is that of a frame which is gone, if it is large enough; undefined: it is made.
  explicit Frame(Shared<const RunPlan> plan, Tensor arena = {});

  const RunPlan& plan() const { return *plan_; }
  const Shared<const RunPlan>& shared_plan() const { return plan_; }
  const Tensor& arena() const { return arena_; }
  // Of arguments that fit the plan. The results are nobody else's.
  Tensors run(TensorSpan arguments, const Donor* donor = nullptr);

  // The same, adding the time of each instruction to what is inside of `whole`; of a loop or a
  // branch, inside of its instruction, that of the instructions it runs.
  Tensors run_timed(TensorSpan arguments, InstructionTime& whole);

  // A loop works in the frame: arguments lie in the memory of these, results go where it says.
  void begin_steps(TensorSpan arguments);
  void step(char* const* arguments, char* const* results);
  void end_steps();

 private:
  ir::ValueId written_directly(size_t result) const;
  void set_root(ir::ValueId id, char* data, TensorNode* node);
  void keep(ir::ValueId id, Tensor value);
  void make_fresh(const Instruction& it);
  void execute();
  void execute_watched(const Instruction& it);
  void execute(const Instruction& it);
  void run_map(const Instruction& it);
  void run_product(const Instruction& it);
  Buffer* keeper_at(ir::ValueId id) const;
  void compute(const Instruction& it);
  void compute_open(const Instruction& it);
  void update(const Instruction& it);
  // Of Variables that are written in place (in_place.cc).
  void before(uint32_t instruction);
  void begin_stretch(const Stretch& stretch);
  void put_back(uint32_t instruction);
  void end_stretch();
  Tensor& holder_of(const Replaced& place);
  bool take(size_t place);
  uint32_t index_of(const Instruction& it) const {
    return static_cast<uint32_t>(&it - plan_->instructions.data());
  }
  char* arena_data() const {
    return arena_.defined() ? static_cast<char*>(arena_.writable_data()) : nullptr;
  }
  void store_output(ir::ValueId id, Tensor value);
  void let_go();

  Shared<const RunPlan> plan_;
  Tensor arena_;
  std::vector<char*> data_;         // of every value
  std::vector<TensorNode*> nodes_;  // of those with handles
  std::vector<Tensor> owned_;       // handles over the arena, and what this run has made
  std::vector<DimBinding> bindings_;
  // Of steps: what arguments lie in, values that instructions write where results go, and where.
  Tensors bases_;
  std::vector<ir::ValueId> direct_;  // by result; kNone: it is copied
  std::vector<char*> destinations_;  // by value; empty outside of loops
  const Instruction* now_ = nullptr;
  // Of the stretch that is running: its Variables, their values, and which of these are written.
  const Donor* donor_ = nullptr;
  const Stretch* stretch_ = nullptr;
  size_t next_stretch_ = 0, next_place_ = 0;
  std::vector<Variable> variables_;
  std::optional<TakenValues> taken_;
  std::vector<bool> is_written_;  // by place
  std::optional<Uninterrupted> to_its_end_;
};

}  // namespace weft
