// Sweep: the one reverse mechanism, behind backward, GradientTape and grad.
#pragma once

#include <memory>
#include <vector>

#include "weft/op/record.h"

namespace weft {

// Runs the rules of the records behind some targets, latest first, and gathers the cotangents of
// leaves. Contributions to a value are added in reverse order of use.
class Sweep {
 public:
  struct Options {
    bool keep_records = false;  // else each record is freed once its rule has run
    bool create_graph = false;  // ambient tape: what the rules do is recorded too
  };

  Sweep(uint32_t level, Options options);
  ~Sweep();
  Sweep(const Sweep&) = delete;
  Sweep& operator=(const Sweep&) = delete;

  // The gradient starts here; `cotangent` has the type of `target`, a value of this level.
  void start(const Tensor& target, const Tensor& cotangent);
  // Asks for the gradient of this value, a leaf or not. If anything is watched, only records that
  // lead to a watched value are run; else all are, and leaves have their gradients in the end.
  void watch(const Tensor& source);
  void run();

  // After run, of a leaf or a watched value: undefined if no path led there.
  Tensor gradient_of(const Tensor& source) const;
  // After run: all leaves reached, with their gradients.
  template <class F>
  void for_each_leaf(F f) {
    for (Slot& slot : slots_) {
      if (slot.node != nullptr && slot.node->kind() == GradRole::kLeaf) {
        f(slot.node, slot.cotangents[0]);
      }
    }
  }

 private:
  struct Slot {
    GradNode* node = nullptr;  // holds a link
    Tensors cotangents;        // one per output; undefined is zero
  };
  struct Due {
    uint64_t order;
    uint32_t slot;
    bool operator<(const Due& other) const { return order < other.order; }
  };
  struct Lookup;  // where slots are found and what is watched; see sweep.cc

  uint32_t find_slot(GradNode* record) const;
  uint32_t make_slot(GradNode* record, GradEdge& from);
  // May take the edge's link.
  void add(GradEdge& to, Tensor cotangent);
  // Where the sum of that value's cotangents stands; null if nothing has come there.
  Tensor* sum_at(const RecordOutput& target);
  // Per input, for a rule that goes on with it.
  Tensors sums_so_far(std::span<const GradEdge> inputs, std::span<const bool> wanted);
  // May take the cotangent.
  bool run_directly(GradNode* record, std::span<GradEdge> edges, Tensor& cotangent);
  void run_rule(GradNode* record, std::span<GradEdge> edges, TensorSpan cotangents);
  void run_edges(GradNode* record, std::span<GradEdge> edges, Tensors& cotangents);
  void run_record(GradNode* record, Tensors& cotangents);
  void plan();

  static constexpr uint32_t kNone = UINT32_MAX;
  const uint32_t level_;
  const Options options_;
  std::vector<std::pair<Tensor, Tensor>> starts_;
  std::vector<Slot> slots_;
  std::vector<uint32_t> free_slots_;
  std::vector<Due> due_;  // a heap: the latest record first
  std::unique_ptr<Lookup> lookup_;
};

}  // namespace weft
