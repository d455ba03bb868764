// Frames in loops: arguments and results by address, from step to step.
#include "weft/kernels/copy.h"
#include "weft/op/context.h"
#include "weft/runtime/executable.h"
#include "weft/runtime/frame.h"

namespace weft {

// An instruction can write a result to where the loop wants it if nobody needs a tensor of it.
// Gives the value whose memory that is: the result, or what it is another name of.
ir::ValueId Frame::written_directly(size_t result) const {
  const std::vector<ir::ValueId>& results = plan_->function->results;
  const auto root_of = [&](ir::ValueId id) { return plan_->values[id].root; };
  const ir::ValueId id = results[result], root = root_of(id);
  if (root == ir::kNone || (id != root && !plan_->values[id].is_whole)) return ir::kNone;
  const PlannedValue& v = plan_->values[root];
  if (v.home != Home::kFresh || !v.contiguous) return ir::kNone;
  for (size_t k = 0; k < result; ++k) {
    if (root_of(results[k]) == root) return ir::kNone;
  }
  for (uint32_t i = v.first_view; i < v.first_view + v.views; ++i) {
    const PlannedValue& view = plan_->values[plan_->views[i]];
    if (view.has_handle && !view.is_whole) return ir::kNone;
  }
  for (const Instruction& it : plan_->instructions) {
    if (it.kind != Instruction::Kind::kCompute && it.kind != Instruction::Kind::kOpen) continue;
    for (const ir::ValueId operand : plan_->operands_of(it)) {
      if (root_of(operand) == root) return ir::kNone;
    }
  }
  return root;
}

void Frame::begin_steps(TensorSpan arguments) {
  bases_ = Tensors(arguments);
  direct_.clear();
  for (size_t k = 0; k < plan_->function->results.size(); ++k) {
    direct_.push_back(written_directly(k));
  }
  destinations_.assign(plan_->values.size(), nullptr);
  for (const ir::ValueId id : plan_->function->graph.parameters()) data_[id] = nullptr;
}

void Frame::end_steps() {
  for (const ir::ValueId id : plan_->function->graph.parameters()) owned_[id] = Tensor();
  destinations_.clear();
  bases_.clear();
}

void Frame::step(char* const* arguments, char* const* results) {
  struct Ended {
    Frame& frame;
    ~Ended() { frame.let_go(); }
  } const ended{*this};
  const ir::Function& function = *plan_->function;
  const std::vector<ir::ValueId>& parameters = function.graph.parameters();
  for (size_t i = 0; i < parameters.size(); ++i) {
    const ir::ValueId id = parameters[i];
    const PlannedValue& v = plan_->values[id];
    if (v.has_handle) {
      const auto* const base = static_cast<const char*>(bases_[i].data());
      owned_[id] =
          bases_[i].view(v.type.shape, v.strides, (arguments[i] - base) / size_of(v.type.dtype));
      set_root(id, arguments[i], owned_[id].node());
    } else if (data_[id] != arguments[i]) {
      set_root(id, arguments[i], nullptr);
    }
  }
  for (size_t k = 0; k < function.results.size(); ++k) {
    if (direct_[k] != ir::kNone) destinations_[direct_[k]] = results[k];
  }
  execute();
  for (size_t k = 0; k < function.results.size(); ++k) {
    if (direct_[k] != ir::kNone) continue;
    const PlannedValue& v = plan_->values[function.results[k]];
    const Ints strides = contiguous_strides(v.type.shape);
    kernels::Operand from{data_[function.results[k]],
                          v.type.shape.data(),
                          v.strides.data(),
                          v.numel,
                          static_cast<uint8_t>(v.strides.size()),
                          static_cast<uint8_t>(size_of(v.type.dtype)),
                          v.contiguous};
    kernels::Operand to = from;
    to.data = results[k];
    to.strides = strides.data();
    to.contiguous = true;
    kernels::copy(to, from);
  }
}

namespace ir {
namespace {

class FrameStepper final : public Stepper {
 public:
  FrameStepper(const Executable& executable, Frame* frame, TensorSpan arguments)
      : executable_(executable), frame_(frame) {
    frame_->begin_steps(arguments);
  }
  ~FrameStepper() override {
    frame_->end_steps();
    executable_.give_back(frame_, is_left_);
  }
  void run(char* const* arguments, char* const* results) override {
    is_left_ = true;
    frame_->step(arguments, results);
    is_left_ = false;
  }

 private:
  const Executable& executable_;
  Frame* const frame_;
  bool is_left_ = false;  // a step has not ended
};

}  // namespace

Shared<Stepper> stepper_of(const Function& function, TensorSpan arguments, TypeSpan results) {
  if (context.is_observed) return nullptr;
  const Executable& executable = executable_of(function);
  Frame* const frame = executable.take_frame(arguments);
  if (frame == nullptr) return nullptr;
  const RunPlan& plan = frame->plan();
  bool fits = results.size() == function.results.size();
  for (size_t k = 0; k < results.size() && fits; ++k) {
    const PlannedValue& v = plan.values[plan.function->results[k]];
    fits = !v.is_open && v.type == results[k];
  }
  if (!fits) {
    executable.give_back(frame);
    return nullptr;
  }
  return new_shared<FrameStepper>(executable, frame, arguments);
}

}  // namespace ir
}  // namespace weft
