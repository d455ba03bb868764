// Linearizations: one recording, swept backwards for VJPs and forwards for JVPs.
#include "weft/transform/vjp.h"

#include <algorithm>
#include <unordered_map>

#include "weft/op/apply.h"
#include "weft/op/builtin.h"
#include "weft/transform/sweep.h"

namespace weft {
namespace {

bool is_inexact(DType dtype) { return is_floating(dtype) || is_complex(dtype); }

void check_input(const Tensor& t, size_t i, Where where) {
  if (!t.defined()) fail(Code::kType, "grad", "input", "input ", i, " is an undefined tensor");
  if (is_inexact(t.dtype())) return;
  Error error(Code::kType, "grad", "dtype",
              text("input ", i, " has dtype ", t.dtype(),
                   ", which has no derivatives; cast it to a floating dtype, or leave it out of "
                   "what is differentiated"));
  if (where.known()) error.note(text("called at ", to_string(where)));
  throw error;
}

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
    for (const Edge& edge : found[i]->edges()) {
      if (edge.link != nullptr) visit(edge.link);
    }
  }
  std::sort(found.begin(), found.end(),
            [](const GradNode* a, const GradNode* b) { return a->order < b->order; });
  return found;
}

}  // namespace

Linearization::Linearization(FlatFunction f, TensorSpan in, Where where) {
  GradLevel level;
  level_ = level.id;
  for (size_t i = 0; i < in.size(); ++i) {
    check_input(in[i], i, where);
    leaves_.push_back(make_leaf(level_, in[i], where));
  }
  const LevelScope scope(level);
  outputs_ = f(leaves_);
  for (const Tensor& t : outputs_) values_.push_back(t.level() == level_ ? value_below(t) : t);
}

Tensors Linearization::pull(TensorSpan cotangents, bool last) const {
  Sweep sweep(level_, {.keep_records = !last});
  for (size_t k = 0; k < outputs_.size(); ++k) {
    const bool is_traced = outputs_[k].level() == level_;
    if (!is_traced || static_cast<GradNode*>(outputs_[k].node())->is_stop()) continue;
    if (cotangents[k].defined()) sweep.start(outputs_[k], cotangents[k]);
  }
  sweep.run();
  Tensors out;
  for (const Tensor& leaf : leaves_) out.push_back(sweep.gradient_of(leaf));
  return out;
}

Tensors Linearization::push(TensorSpan tangents) const {
  std::unordered_map<const Node*, Tensors> known;
  for (size_t i = 0; i < leaves_.size(); ++i) known[leaves_[i].node()] = {tangents[i]};
  const auto tangent_of = [&](GradNode* node) -> Tensor {
    const RecordOutput of(node);
    const auto found = known.find(of.record);
    return found == known.end() || of.output >= found->second.size() ? Tensor()
                                                                     : found->second[of.output];
  };
  for (GradNode* const record : records_behind(outputs_, level_)) {
    if (record->kind() != GradRole::kOp) continue;
    InlineVector<Node*, 8> inputs, outputs;
    Tensors in_tangents;
    InlineVector<bool, 8> wanted;
    const size_t count = record->edge_count - record->kept;
    for (size_t i = 0; i < record->edge_count; ++i) {
      const Edge& edge = record->edges()[i];
      Node* const node = edge.saved.defined() ? edge.saved.node() : edge.link;
      (i < count ? inputs : outputs).push_back(node);
      if (i >= count) continue;
      in_tangents.push_back(edge.link != nullptr ? tangent_of(edge.link) : Tensor());
      wanted.push_back(edge.link != nullptr);
    }
    if (outputs.empty()) outputs.push_back(record);
    const auto span = [](const InlineVector<Node*, 8>& nodes) {
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

std::string Linearization::why_unconnected(size_t input) const {
  for (const Tensor& t : outputs_) {
    if (t.level() != level_) continue;
    GradNode* const node = static_cast<GradNode*>(t.node());
    if (node->is_stop()) return text("its path ends ", describe_stop(node->record()));
  }
  return text("no op leads from input ", input, " to the output");
}

Tensors connected(const Linearization& f, Tensors gradients, TensorSpan like,
                  Unconnected unconnected, std::string_view who, Where where) {
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (gradients[i].defined() || unconnected == Unconnected::kNone) continue;
    if (unconnected == Unconnected::kZero) {
      gradients[i] = zeros(Shape(like[i].shape()), like[i].dtype(), where);
      continue;
    }
    Error error(Code::kInvalid, std::string(who), "unconnected",
                text("the output does not depend on input ", i, ": ", f.why_unconnected(i),
                     "; ask for zeros with unconnected=\"zero\" if that is meant"));
    if (where.known()) error.note(text("called at ", to_string(where)));
    throw error;
  }
  return gradients;
}

}  // namespace weft
