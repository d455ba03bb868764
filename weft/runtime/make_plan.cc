// From a function and arguments to a plan: types, views, instructions.
#include <algorithm>

#include "weft/base/fail_at.h"
#include "weft/core/byte_count.h"
#include "weft/eager/layout.h"
#include "weft/eager/runtime.h"
#include "weft/op/apply.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/runtime/check_plan.h"
#include "weft/runtime/plan.h"

namespace weft {
namespace {

constexpr int64_t kMostFolded = 16384;  // bytes of a constant that a plan computes and keeps

bool is_known(const Type& type) {
  return std::ranges::all_of(type.shape, [](Dim dim) { return dim.is_known(); });
}

bool has_functions(const OpDef& op) {
  return std::ranges::any_of(op.attrs->fields, [](const FieldInfo& field) {
    return field.type == FieldType::kFunction || field.type == FieldType::kFunctions;
  });
}

// Ops that are views, or go over elements: they do not fail.
bool writes_elements(const OpDef& op) {
  const KernelKind kind = op.kernel.kind;
  return op.effect == Effect::kNone &&
         (kind == KernelKind::kView || kind == KernelKind::kElementwise ||
          kind == KernelKind::kVjp || kind == KernelKind::kCast || kind == KernelKind::kUpdate);
}

const TensorNode* owner_of(const Tensor& t) {
  const TensorNode* const owner = static_cast<const Concrete*>(t.node())->owner;
  return owner != nullptr ? owner : t.node();
}

class PlanMaker {
 public:
  PlanMaker(const ir::Function& function, TensorSpan arguments)
      : graph_(function.graph), plan_(new_shared<RunPlan>()) {
    plan_->function = &function;
    plan_->bindings = ir::bind_symbols(function, types_of(arguments));
    plan_->values.resize(graph_.values().size());
    models_.resize(graph_.values().size());
    for (size_t i = 0; i < arguments.size(); ++i) {
      describe(graph_.parameters()[i], arguments[i], Home::kParameter);
    }
  }

  Shared<const RunPlan> make() {
    for (const ir::NodeId id : order()) {
      try {
        add(id);
      } catch (Error& error) {
        throw note_line(error, graph_.node(id).where);
      }
    }
    place_values(*plan_, escapes_);
    find_replaced(*plan_);
    if (checks_plans()) {
      check_plan(*plan_);
      plan_->dead_blocks = dead_blocks(*plan_);
    }
    return plan_;
  }

 private:
  // What writes Variables in place comes last, with what needs it: whatever may fail has not failed
  // by then. Reads that wait for nothing come first: assignments stand together.
  std::vector<ir::NodeId> order() const {
    const std::vector<bool> is_late = late_nodes();
    std::vector<ir::NodeId> first, middle, last;
    for (ir::NodeId id = 0; id < graph_.nodes().size(); ++id) {
      const ir::Node& node = graph_.node(id);
      const bool is_first =
          node.op->effect == Effect::kReads && node.after.empty() && node.follows.empty();
      (is_late[id] ? last : is_first ? first : middle).push_back(id);
    }
    first.insert(first.end(), middle.begin(), middle.end());
    first.insert(first.end(), last.begin(), last.end());
    return first;
  }

  std::vector<bool> late_nodes() const {
    std::vector<bool> out(graph_.nodes().size(), false);
    const ir::Function& function = *plan_->function;
    if (function.new_values.empty()) return out;
    for (const ir::Function::NewValue& one : function.new_values) {
      ir::NodeId maker = graph_.value(function.results[one.result]).maker;
      while (maker != ir::kNone && is_view(*graph_.node(maker).op)) {
        maker = graph_.value(graph_.node(maker).inputs[0]).maker;
      }
      if (maker != ir::kNone) out[maker] = true;
    }
    const std::vector<bool> may_wait = nodes_that_may_wait();
    std::vector<bool> is_late(graph_.values().size(), false);
    for (ir::NodeId id = 0; id < out.size(); ++id) {
      const ir::Node& node = graph_.node(id);
      out[id] =
          may_wait[id] && (out[id] || std::ranges::any_of(node.inputs, [&](ir::ValueId input) {
                             return input != ir::kNone && is_late[input];
                           }));
      for (const ir::ValueId output : node.outputs) is_late[output] = out[id];
    }
    delay_operands(out, may_wait);
    return out;
  }

  // What is made for late nodes alone of no more than one value waits with them: it holds no more
  // memory then.
  void delay_operands(std::vector<bool>& is_late, const std::vector<bool>& may_wait) const {
    std::vector<bool> early(graph_.values().size(), false), late = early;
    for (auto id = static_cast<ir::NodeId>(is_late.size()); id-- > 0;) {
      const ir::Node& node = graph_.node(id);
      const auto is_made = [&](ir::ValueId v) {
        const ir::NodeId maker = v == ir::kNone ? ir::kNone : graph_.value(v).maker;
        return maker != ir::kNone && !graph_.node(maker).inputs.empty();
      };
      if (!is_late[id] && may_wait[id]) {
        is_late[id] = std::ranges::any_of(node.outputs, [&](auto v) { return late[v]; }) &&
                      std::ranges::none_of(node.outputs, [&](auto v) { return early[v]; }) &&
                      std::ranges::count_if(node.inputs, is_made) <= 1;
      }
      for (const ir::ValueId input : node.inputs) {
        if (input != ir::kNone) (is_late[id] ? late : early)[input] = true;
      }
    }
  }

  // Those that do not fail, and whose results are wanted by such alone.
  std::vector<bool> nodes_that_may_wait() const {
    std::vector<bool> out(graph_.nodes().size()), is_early(graph_.values().size(), false);
    std::vector<bool> others_wait(graph_.nodes().size(), false);
    for (auto id = static_cast<ir::NodeId>(out.size()); id-- > 0;) {
      const ir::Node& node = graph_.node(id);
      out[id] = writes_elements(*node.op) && !others_wait[id] &&
                std::ranges::none_of(node.outputs, [&](ir::ValueId v) { return is_early[v]; });
      for (const ir::NodeId earlier : node.after) others_wait[earlier] = true;
      if (out[id]) continue;
      for (const ir::ValueId input : node.inputs) {
        if (input != ir::kNone) is_early[input] = true;
      }
    }
    return out;
  }

  PlannedValue& value(ir::ValueId id) { return plan_->values[id]; }
  PlannedValue& root_of(ir::ValueId id) { return value(value(id).root); }

  // What is known of a value from a tensor of its layout.
  void describe(ir::ValueId id, const Tensor& model, Home home) {
    PlannedValue& v = value(id);
    v.type = model.type();
    v.strides = Ints(model.strides());
    v.numel = model.numel();
    v.contiguous = model.is_contiguous();
    v.root = id;
    v.home = home;
    models_[id] = model;
  }

  // A tensor of this type and layout; its memory means nothing.
  Tensor model_of(const Type& type, std::span<const int64_t> strides = {}) {
    const int64_t bytes = byte_count(num_elements(type.shape).value(), type.dtype);
    if (!scratch_.defined() || scratch_.numel() < bytes) {
      scratch_ = Tensor::empty(DType::kU8, Shape{std::max<int64_t>(bytes, 4096)});
    }
    Tensor out = strides.empty() ? scratch_.view(type.shape, contiguous_strides(type.shape))
                                 : scratch_.view(type.shape, strides);
    out.node()->dtype = type.dtype;
    return out;
  }

  void add(ir::NodeId id) {
    const ir::Node& node = graph_.node(id);
    const OpDef& op = *node.op;
    Types in;
    bool is_open = false;
    for (const ir::ValueId input : node.inputs) {
      is_open = is_open || value(input).is_open;
      in.push_back(value(input).type);
    }
    Shared<const AnyAttrs> attrs = node.attrs;
    if (!is_open && has_symbols(*op.attrs, node.attributes())) {
      attrs =
          new_shared<const AnyAttrs>(substituted(*op.attrs, node.attributes(), plan_->bindings));
      is_open = has_symbols(*op.attrs, attrs->data());
    }
    if (is_open) return add_open(id);
    const Types out = op.infer(attrs->data(), InferCtx{op.name}, in);
    if (!std::ranges::all_of(out, is_known)) return add_open(id);
    if (fold(node, attrs->data(), out) || view(node, attrs->data(), out)) return;
    for (size_t k = 0; k < out.size(); ++k) {
      const bool hands_out = op.effect != Effect::kNone;
      describe(node.outputs[k], model_of(out[k]), hands_out ? Home::kHeld : Home::kArena);
    }
    if (map(id) || product(id)) return;
    Instruction& it = append(id, Instruction::Kind::kCompute, plan_->computations.size());
    for (const ir::ValueId operand : plan_->operands_of(it)) value(operand).has_handle = true;
    plan_->computations.push_back({attrs, out});
  }

  void add_open(ir::NodeId id) {
    Instruction& it = append(id, Instruction::Kind::kOpen, 0);
    for (const ir::ValueId operand : plan_->operands_of(it)) value(operand).has_handle = true;
    for (const ir::ValueId output : graph_.node(id).outputs) {
      PlannedValue& v = value(output);
      v.root = output;
      v.home = Home::kHeld;
      v.is_open = true;
    }
    plan_->has_open = true;
  }

  Instruction& append(ir::NodeId id, Instruction::Kind kind, size_t detail) {
    const ir::Node& node = graph_.node(id);
    Instruction it;
    it.kind = kind;
    it.outputs = static_cast<uint32_t>(node.outputs.size());
    it.operands = static_cast<uint32_t>(node.outputs.size() + node.inputs.size());
    it.first = static_cast<uint32_t>(plan_->operands.size());
    it.detail = static_cast<uint32_t>(detail);
    it.node = id;
    const auto now = static_cast<uint32_t>(plan_->instructions.size());
    for (const ir::ValueId output : node.outputs) {
      plan_->operands.push_back(output);
      value(output).birth = value(output).death = now;
    }
    for (const ir::ValueId input : node.inputs) {
      plan_->operands.push_back(input);
      root_of(input).death = now;
      if (node.op->effect != Effect::kNone) escapes_.push_back(value(input).root);
    }
    plan_->instructions.push_back(it);
    return plan_->instructions.back();
  }

  // What depends on constants alone is computed now, unless it is large.
  bool fold(const ir::Node& node, const void* attrs, const Types& out) {
    if (node.op->effect != Effect::kNone || has_functions(*node.op)) return false;
    Tensors in;
    for (const ir::ValueId input : node.inputs) {
      if (value(input).home != Home::kConstant) return false;
      in.push_back(models_[input]);
    }
    const Tensors made = eager_run(*node.op, in, attrs, out);
    for (const Tensor& t : made) {
      const bool is_large = t.is_contiguous() && t.numel() * size_of(t.dtype()) > kMostFolded;
      // A view takes no memory, however large it is.
      const bool shares = std::ranges::any_of(
          in, [&](const Tensor& constant) { return owner_of(constant) == owner_of(t); });
      if (is_large && !node.inputs.empty() && !shares) return false;
      const bool is_new =
          t.node()->refs.load_acquire() == 1 && owner_of(t)->refs.load_acquire() == 1;
      if (is_large && is_new) return false;
    }
    for (size_t k = 0; k < made.size(); ++k) {
      describe(node.outputs[k], made[k], Home::kConstant);
      plan_->constants.emplace_back(node.outputs[k], made[k]);
    }
    return true;
  }

  // Ops whose results are in the memory of an input need no instruction.
  bool view(const ir::Node& node, const void* attrs, const Types& out) {
    const KernelRule& kernel = node.op->kernel;
    if (node.op->effect != Effect::kNone) return false;
    const bool is_cast = kernel.kind == KernelKind::kCast;
    if (!is_cast && kernel.kind != KernelKind::kView) return false;
    const ir::ValueId input = node.inputs[0];
    const Tensor& base = models_[input];
    if (is_cast && base.dtype() != out[0].dtype) return false;
    const StridedLayout layout{base.shape(), base.strides()};
    const ViewLayouts views = kernel.view ? kernel.view(attrs, layout, out)
                                          : ViewLayouts{ViewLayout{Ints(layout.strides)}};
    if (views.empty()) return false;
    for (size_t k = 0; k < views.size(); ++k) {
      describe(node.outputs[k], base.view(out[k].shape, views[k].strides, views[k].offset),
               value(input).home);
      PlannedValue& v = value(node.outputs[k]);
      v.root = value(input).root;
      v.shift = value(input).shift + views[k].offset * size_of(base.dtype());
    }
    return true;
  }

  kernels::Operand operand_of(ir::ValueId id) const { return kernels::operand_of(models_[id]); }

  bool map(ir::NodeId id) {
    const ir::Node& node = graph_.node(id);
    const KernelKind kind = node.op->kernel.kind;
    kernels::MapKernels map;
    if (kind == KernelKind::kElementwise) {
      map = runtime_of(*node.op).map[static_cast<size_t>(value(node.inputs.back()).type.dtype)];
    } else if (kind == KernelKind::kVjp) {
      map = runtime_of(*node.op).map[static_cast<size_t>(value(node.inputs[0]).type.dtype)];
    } else if (kind == KernelKind::kCast) {
      map = cast_kernels(*node.op, value(node.inputs[0]).type.dtype,
                         value(node.outputs[0]).type.dtype);
    }
    if (map.variant[0] == nullptr || map.inputs != node.inputs.size()) return false;
    // Channels-last stays channels-last, as in eager.
    Tensors in;
    for (const ir::ValueId input : node.inputs) in.push_back(models_[input]);
    for (const ir::ValueId output : node.outputs) {
      const Type type = value(output).type;
      const Tensor* const lead = lead_of_layout(type.shape, in);
      const bool is_plain = lead == nullptr || std::ranges::any_of(in, &Tensor::is_weak);
      if (!is_plain) describe(output, model_of(type, lead->strides()), Home::kArena);
    }
    InlineVector<kernels::Operand, 8> all;
    for (const ir::ValueId output : node.outputs) all.push_back(operand_of(output));
    for (const ir::ValueId input : node.inputs) {
      if (models_[input].is_weak()) return false;
      all.push_back(operand_of(input));
    }
    if (all[0].numel == 0) return false;
    const kernels::MapCall call = kernels::direct_map(map, all);
    if (call.kernel != nullptr) {
      append(id, Instruction::Kind::kCall, plan_->calls.size());
      plan_->calls.push_back(call);
    } else {
      append(id, Instruction::Kind::kMap, plan_->maps.size());
      plan_->maps.push_back(map);
    }
    return true;
  }

  // A matrix times a matrix; the rows of a batch are rows of one matrix.
  bool product(ir::NodeId id) {
    const ir::Node& node = graph_.node(id);
    if (node.op != &kMatmul) return false;
    const PlannedValue &a = value(node.inputs[0]), &b = value(node.inputs[1]);
    const PlannedValue& c = value(node.outputs[0]);
    const size_t rank = a.type.shape.size();
    if (b.type.shape.size() != 2 || rank < 2 || (rank > 2 && !a.contiguous)) return false;
    if (models_[node.inputs[0]].is_weak() || models_[node.inputs[1]].is_weak()) return false;
    kernels::MatmulArgs args;
    args.dtype = c.type.dtype;
    args.n = b.type.shape[1].value();
    args.k = b.type.shape[0].value();
    args.m = num_elements(ShapeView(a.type.shape).first(rank - 1)).value();
    args.a_row = rank == 2 ? a.strides[0] : args.k;
    args.a_col = a.strides[rank - 1];
    args.b_row = b.strides[0];
    args.b_col = b.strides[1];
    args.c_row = args.n;
    append(id, Instruction::Kind::kProduct, plan_->products.size());
    plan_->products.push_back(args);
    return true;
  }

  const ir::Graph& graph_;
  Shared<RunPlan> plan_;
  std::vector<Tensor> models_;  // of the values: layouts without contents
  Tensor scratch_;
  std::vector<ir::ValueId> escapes_;  // roots that ops with effects may keep
};

}  // namespace

bool RunPlan::fits(TensorSpan arguments) const {
  const std::vector<ir::ValueId>& parameters = function->graph.parameters();
  if (arguments.size() != parameters.size()) return false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const PlannedValue& v = values[parameters[i]];
    if (!arguments[i].is_concrete()) return false;
    const auto& node = *static_cast<const Concrete*>(arguments[i].node());
    const size_t rank = v.strides.size();
    if (node.dtype != v.type.dtype || node.rank != rank || node.contiguous != v.contiguous ||
        node.weak) {
      return false;
    }
    for (size_t axis = 0; axis < rank; ++axis) {
      if (!(node.dims[axis] == v.type.shape[axis])) return false;
      if (!v.contiguous && node.strides[axis] != v.strides[axis]) return false;
    }
  }
  return true;
}

Shared<const RunPlan> make_plan(const ir::Function& function, TensorSpan arguments) {
  for (const Tensor& t : arguments) {
    if (!t.is_concrete() || t.is_weak()) return nullptr;
  }
  ensure_kernels();
  return PlanMaker(function, arguments).make();
}

}  // namespace weft
