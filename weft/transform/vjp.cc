// Linearizations: one recording, swept backwards for VJPs and forwards for JVPs.
#include "weft/transform/vjp.h"

#include <algorithm>
#include <unordered_map>

#include "weft/base/fail_at.h"
#include "weft/op/apply.h"
#include "weft/op/builtin.h"
#include "weft/transform/cotangent.h"
#include "weft/transform/left_out.h"
#include "weft/transform/sweep.h"

namespace weft {
namespace {

// All records behind the outputs, early ones first.
std::vector<GradNode*> records_behind(TensorSpan outputs, uint32_t level) {
  std::vector<GradNode*> found;
  std::unordered_map<GradNode*, bool> seen;
  const auto visit = [&](GradNode* node) {
    GradNode* const record = RecordOutput(node).record;
    if (seen.emplace(record, true).second) found.push_back(record);
  };
  for (const Tensor& t : outputs) {
    if (t.defined() && t.level() == level) visit(static_cast<GradNode*>(t.node()));
  }
  for (size_t i = 0; i < found.size(); ++i) {
    for (const GradEdge& edge : found[i]->edges()) {
      if (edge.link != nullptr) visit(edge.link);
    }
  }
  std::sort(found.begin(), found.end(),
            [](const GradNode* a, const GradNode* b) { return a->order < b->order; });
  return found;
}

}  // namespace

void check_input(const Tensor& t, size_t i, std::string_view who, Where where) {
  if (!t.defined()) fail(Code::kType, who, "input", "input ", i, " is an undefined tensor");
  if (is_differentiable(t.dtype())) return;
  fail_at(where, Code::kType, who, "dtype", "input ", i, " has dtype ", t.dtype(),
          ", which has no derivatives; cast it to a floating dtype, or leave it out of what is "
          "differentiated");
}

void check_outputs(TensorSpan outputs, std::string_view who) {
  for (size_t k = 0; k < outputs.size(); ++k) {
    if (!outputs[k].defined())
      fail(Code::kType, who, "output", "the function gives an undefined tensor as output ", k);
  }
}

Tensors with_zeros(Tensors values, TensorSpan like, Where where) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i].defined()) values[i] = zeros(Shape(like[i].shape()), like[i].dtype(), where);
  }
  return values;
}

Linearization::Linearization(FlatFunction f, TensorSpan in, Where where, std::string_view who) {
  GradLevel level;
  level_ = level.id;
  for (size_t i = 0; i < in.size(); ++i) {
    check_input(in[i], i, who, where);
    leaves_.push_back(make_leaf(level_, in[i], where));
  }
  const LevelScope scope(level);
  outputs_ = f(leaves_);
  check_outputs(outputs_, who);
  for (const Tensor& t : outputs_) values_.push_back(t.level() == level_ ? value_below(t) : t);
}

Tensors Linearization::pull(TensorSpan cotangents, bool last) const {
  return pull_onto({}, cotangents, last);
}

Tensors Linearization::pull_onto(TensorSpan sums, TensorSpan cotangents, bool last) const {
  Sweep sweep(level_, {.keep_records = !last});
  for (size_t i = 0; i < sums.size(); ++i) {
    if (sums[i].defined()) sweep.start(leaves_[i], sums[i]);
  }
  for (size_t k = 0; k < outputs_.size(); ++k) {
    const bool is_traced = outputs_[k].level() == level_;
    if (!is_traced || static_cast<GradNode*>(outputs_[k].node())->is_stop()) continue;
    if (!cotangents[k].defined()) continue;
    sweep.start(outputs_[k], initial_cotangent(outputs_[k], cotangents[k], "vjp", Where()));
  }
  LeftOut::clear();
  sweep.run();
  Tensors out;
  for (const Tensor& leaf : leaves_) out.push_back(sweep.gradient_of(leaf));
  return out;
}

Tensors Linearization::push(TensorSpan tangents) const {
  std::unordered_map<const TensorNode*, Tensors> known;
  for (size_t i = 0; i < leaves_.size(); ++i) known[leaves_[i].node()] = {tangents[i]};
  const auto tangent_of = [&](GradNode* node) -> Tensor {
    const RecordOutput of(node);
    const auto found = known.find(of.record);
    return found == known.end() || of.output >= found->second.size() ? Tensor()
                                                                     : found->second[of.output];
  };
  for (GradNode* const record : records_behind(outputs_, level_)) {
    if (record->kind() != GradRole::kOp) continue;
    InlineVector<TensorNode*, 8> inputs, outputs;
    Tensors in_tangents;
    InlineVector<bool, 8> wanted;
    const size_t count = record->edge_count - record->kept;
    for (size_t i = 0; i < record->edge_count; ++i) {
      const GradEdge& edge = record->edges()[i];
      TensorNode* const node = edge.saved.defined() ? edge.saved.node() : edge.link;
      (i < count ? inputs : outputs).push_back(node);
      if (i >= count) continue;
      in_tangents.push_back(edge.link != nullptr ? tangent_of(edge.link) : Tensor());
      wanted.push_back(edge.link != nullptr);
    }
    if (outputs.empty()) outputs.push_back(record);
    const auto span = [](const InlineVector<TensorNode*, 8>& nodes) {
      return TensorSpan(reinterpret_cast<const Tensor*>(nodes.data()), nodes.size());
    };
    const GradCtx cx{span(inputs), span(outputs), wanted, record->where};
    known[record] = call_jvp(*record->op, record->attrs(), cx, in_tangents);
  }
  Tensors out;
  for (const Tensor& t : outputs_) {
    out.push_back(t.level() == level_ ? tangent_of(static_cast<GradNode*>(t.node())) : Tensor());
  }
  return out;
}

GradNode* Linearization::first_nonlinear() const {
  for (GradNode* const record : records_behind(outputs_, level_)) {
    if (record->kind() != GradRole::kOp) continue;
    const GradKind kind = record->op->grad.kind;
    if (kind != GradKind::kPartials && kind != GradKind::kBilinear) continue;
    if (record->kept > 0) return record;  // its derivative depends on the output
    for (const GradEdge& edge : record->input_edges()) {
      if (edge.link != nullptr && edge.saved.defined()) return record;
    }
  }
  return nullptr;
}

std::string Linearization::why_unconnected(size_t input) const {
  for (const Tensor& t : outputs_) {
    if (t.level() != level_) continue;
    GradNode* const node = static_cast<GradNode*>(t.node());
    if (node->is_stop()) return text("its path ends ", describe_stop(node->record()));
  }
  if (!LeftOut::last().empty()) return LeftOut::last();
  return text("no op leads from input ", input, " to the output");
}

Tensors connected(const Linearization& f, Tensors gradients, TensorSpan like,
                  Unconnected unconnected, std::string_view who, Where where) {
  if (unconnected == Unconnected::kZero) return with_zeros(std::move(gradients), like, where);
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (gradients[i].defined() || unconnected == Unconnected::kNone) continue;
    fail_at(where, Code::kInvalid, who, "unconnected", "the output does not depend on input ", i,
            ": ", f.why_unconnected(i),
            "; if that is meant, ask for zeros (the option unconnected)");
  }
  return gradients;
}

ValueAndGrad value_and_grad_flat(FlatFunction f, TensorSpan in, Unconnected unconnected,
                                 Where where) {
  const Linearization line(f, in, where);
  const Tensor& value = line.outputs()[0];
  const Tensor start = initial_cotangent(value, Tensor(), "grad", where);
  Tensors slopes = line.pull({&start, 1}, /*last=*/true);
  return {value, connected(line, std::move(slopes), in, unconnected, "grad", where)};
}

}  // namespace weft
