// GradNode: a value that a grad level follows, and at the same time the record of the op that made
// it: what the tape, GradientTape and grad are made of.
#pragma once

#include "weft/op/levels.h"

namespace weft {

struct GradNode;

// Has this dtype derivatives? The floating and complex dtypes are the last ones.
constexpr bool is_differentiable(DType dtype) { return dtype >= DType::kF16; }

// One input of a record.
struct GradEdge {
  GradNode* link = nullptr;  // who takes this input's cotangent; null: nobody
  Tensor saved;              // the value, if the op's rule reads it
};

enum class GradRole : uint8_t {
  kOp,      // made by an op; its edges are the op's inputs, then the outputs it keeps
  kLeaf,    // what is differentiated with respect to: an argument, a Variable
  kOutput,  // one of several outputs; edge 0 links to the op's record, `order` is its index
  kAlias,   // another handle to the record that edge 0 links to
  kStop,    // no gradient flows through: `op` says where the path ended
  kTaped,   // of the ambient tape: a GradientTape recorded it, and to miss its gradient is an error
};

// The states of a record. A sweep that frees takes the edges; the lock keeps two sweeps that meet
// on one record apart.
enum : uint8_t { kRecordLive, kRecordLocked, kRecordFreed };

// Two counts: handles to the value (`refs`) and links from later records. When the last handle
// dies the value goes and the record stays; when the last link dies the record goes too, with
// everything that only it kept. Edges, dims and attributes follow the header in one block.
struct GradNode : Tracer {
  Tensor inner;               // the value one level down
  const OpDef* op;            // null: a leaf
  uint64_t order = 0;         // program order; later than that of everything it links to
  Atomic<uint32_t> links{1};  // one of them stands for the handles
  uint32_t slot = 0;          // where a sweep keeps its cotangent; means nothing outside one
  Where where;
  uint32_t edge_count = 0;
  Atomic<uint8_t> hooked{0};  // hooks.h has something for it
  bool of_variable = false;   // of a GradientTape: a Variable that it followed leads here
  uint16_t output_count = 1;  // 65535 stands for that many or more

  GradNode(uint32_t level, GradRole role, const OpDef* op, Where where);

  GradRole kind() const { return static_cast<GradRole>(role); }
  std::span<GradEdge> edges() { return {reinterpret_cast<GradEdge*>(this + 1), edge_count}; }
  std::span<GradEdge> input_edges() { return edges().first(edge_count - kept); }
  ShapeView shape() const { return {dims, rank}; }
  const void* attrs() const;
  // Itself, or the record that it is an output or an alias of.
  GradNode* record() {
    return kind() == GradRole::kOutput || kind() == GradRole::kAlias ? edges()[0].link : this;
  }
  bool is_taped() { return record()->kind() == GradRole::kTaped; }
  bool is_stop() { return record()->kind() == GradRole::kStop || is_taped(); }
};

// The record that takes the cotangent of a value, behind aliases and the nodes of several outputs,
// and which of its outputs the value is.
struct RecordOutput {
  GradNode* record;
  size_t output = 0;

  explicit RecordOutput(GradNode* value) : record(value) {
    if (record->kind() == GradRole::kAlias) record = record->edges()[0].link;
    if (record->kind() == GradRole::kOutput) {
      output = static_cast<size_t>(record->order);
      record = record->edges()[0].link;
    }
  }
};

extern const TracerType kGradTracer;

inline GradNode* grad_node(const Tensor& t) {
  return t.defined() && t.node()->kind == NodeKind::kTracer &&
                 static_cast<Tracer*>(t.node())->type == &kGradTracer
             ? static_cast<GradNode*>(t.node())
             : nullptr;
}

// A new leaf of `level` over `value`.
Tensor make_leaf(uint32_t level, const Tensor& value, Where where);
// Another value with the same record: what is done with `value` counts as done with the record's.
Tensor make_alias(const Tensor& value, GradNode* record);

// The value below one that a GradientTape recorded, as the ambient tape sees it: a backward that
// meets what came from a Variable raises, because only that tape knows the way back.
Tensor outside_of_tape(const Tensor& recorded);
// The same for a value that the tape made otherwise: a gradient, if `op` is null.
Tensor made_by_tape(const Tensor& value, const OpDef* op, Where where);

// The value one level down; `t` itself if it is plain.
Tensor value_below(const Tensor& t);
// The plain value under all levels, whatever follows it: for checks of what an argument may be.
// Undefined if there is only a type.
Tensor value_under(Tensor t);

// Computes an op at a grad level: one level down, then records it. Inputs are prepared.
Tensors grad_step(uint32_t level, const OpDef& op, TensorSpan in, const void* attrs, Where where);
// The ambient tape's fast path, for inputs that eager_fast takes; undefined if it does not.
Tensor tape_fast(const OpDef& op, TensorSpan in, Where where);

inline void link(GradNode* node) noexcept { node->links.add_relaxed(1); }
void unlink(GradNode* node) noexcept;  // frees the record with the last link, without recursion

// Where a path ends, for messages: "at equal (piecewise constant), called at x.cc:3".
std::string describe_stop(GradNode* stop);

}  // namespace weft
