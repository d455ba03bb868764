// How a row kernel is cut into passes over its row.
#include "weft/codegen/row_plan.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "weft/base/error.h"

namespace weft::codegen {
namespace {

// Below this many operations it is cheaper to compute again than to store and load.
constexpr size_t kCheap = 4;

// A leaf that is one value for the whole row, or a node that is if its arguments are.
bool may_be_row_value(const ExprNode* node, const KernelSpec& spec) {
  if (node->op == ExprOp::kInput) return spec.inputs[node->index].scalar;
  return node->op == ExprOp::kRowLength || node->op == ExprOp::kConst || node->arity > 0;
}

class Planner {
 public:
  Planner(const KernelSpec& spec, RowPlan& plan) : spec_(spec), plan_(plan) {
    for (const ExprNode* node : topological(spec.outputs)) classify(node);
  }

  void run() {
    size_t last = 0;
    for (const Expr out : spec_.outputs) last = std::max(last, level_[out.node()]);
    plan_.passes.resize(last + 1);
    for (const ExprNode* node : topological(spec_.outputs)) {
      if (node->op == ExprOp::kReduce)
        plan_.passes[level_[node->args[0]]].reductions.push_back(node);
    }
    for (size_t pass = 0; pass <= last; ++pass) plan_pass(pass);
    place_temporaries();
  }

 private:
  void classify(const ExprNode* node) {
    size_t level = 0;
    bool row_value = may_be_row_value(node, spec_);
    for (int i = 0; i < node->arity; ++i) {
      level = std::max(level, level_[node->args[i]]);
      row_value = row_value && row_value_.contains(node->args[i]);
    }
    if (node->op == ExprOp::kReduce) {
      row_value = true;
      ++level;
    }
    level_[node] = level;
    if (row_value) row_value_.insert(node);
  }

  // Operations per element of the expression, as far as they can matter.
  size_t cost(const ExprNode* node, std::unordered_set<const ExprNode*>& seen) const {
    if (row_value_.contains(node) || node->arity == 0 || !seen.insert(node).second) return 0;
    const bool free = node->op == ExprOp::kReal || node->op == ExprOp::kImag;
    size_t sum = free ? 0 : 1;
    if (node->op == ExprOp::kDiv || node->op == ExprOp::kSqrt) sum += kCheap;
    for (int i = 0; i < node->arity; ++i) sum += cost(node->args[i], seen);
    return sum;
  }

  void plan_pass(size_t pass) {
    RowPass& now = plan_.passes[pass];
    now.outputs = pass + 1 == plan_.passes.size();
    std::vector<const ExprNode*> roots;
    for (const ExprNode* reduce : now.reductions) roots.push_back(reduce->args[0]);
    if (now.outputs) {
      for (const Expr out : spec_.outputs) roots.push_back(out.node());
    }
    visited_.clear();
    for (const ExprNode* root : roots) visit(root, pass);
    std::sort(now.nodes.begin(), now.nodes.end(),
              [](const ExprNode* a, const ExprNode* b) { return a->id < b->id; });
  }

  void visit(const ExprNode* node, size_t pass) {
    if (!visited_.insert(node).second) return;
    RowPass& now = plan_.passes[pass];
    if (row_value_.contains(node)) {
      if (node->op != ExprOp::kConst) now.row_values.push_back(node);
      return;
    }
    const auto earlier = first_pass_.find(node);
    std::unordered_set<const ExprNode*> seen;
    if (earlier != first_pass_.end() && earlier->second < pass && !is_complex(node->dtype) &&
        cost(node, seen) > kCheap) {
      now.loaded.push_back(temporary(node, earlier->second));
      return;
    }
    first_pass_.emplace(node, pass);
    now.nodes.push_back(node);
    for (int i = 0; i < node->arity; ++i) visit(node->args[i], pass);
  }

  size_t temporary(const ExprNode* node, size_t pass) {
    for (size_t t = 0; t < plan_.temporaries.size(); ++t) {
      if (plan_.temporaries[t].node == node) return t;
    }
    plan_.temporaries.push_back({node, pass});
    plan_.passes[pass].stored.push_back(plan_.temporaries.size() - 1);
    return plan_.temporaries.size() - 1;
  }

  bool reads_inputs(size_t pass) const {
    for (const ExprNode* node : plan_.passes[pass].nodes) {
      if (node->op == ExprOp::kInput) return true;
    }
    return false;
  }

  // An output may lie on an input, so its memory serves only if no later pass reads inputs.
  int free_output(const RowTemporary& t, const std::unordered_set<int>& taken) const {
    for (size_t pass = t.pass + 1; pass < plan_.passes.size(); ++pass) {
      if (reads_inputs(pass)) return -1;
    }
    for (size_t k = 0; k < spec_.outputs.size(); ++k) {
      const Expr out = spec_.outputs[k];
      const bool fits = out.dtype() == t.node->dtype && !row_value_.contains(out.node());
      const bool stays = (spec_.past_caches >> k & 1) == 0;  // is cheap to read again
      if (fits && stays && !taken.contains(static_cast<int>(k))) return static_cast<int>(k);
    }
    return -1;
  }

  void place_temporaries() {
    std::unordered_set<int> taken;
    for (RowTemporary& t : plan_.temporaries) {
      t.output = free_output(t, taken);
      if (t.output >= 0) {
        taken.insert(t.output);
      } else {
        t.scratch = plan_.scratch_bytes;
        plan_.scratch_bytes += 8;  // 8 bytes each keeps every scratch row aligned
      }
    }
  }

  const KernelSpec& spec_;
  RowPlan& plan_;
  std::unordered_map<const ExprNode*, size_t> level_, first_pass_;
  std::unordered_set<const ExprNode*> row_value_, visited_;
};

Expr extreme_constant(DType dtype, bool largest) {
  if (is_floating(dtype)) {
    const double infinity = std::numeric_limits<double>::infinity();
    return Expr::constant(dtype, largest ? infinity : -infinity);
  }
  const uint64_t top = uint64_t{1} << (8 * size_of(dtype) - 1);
  if (is_signed_integer(dtype)) return Expr::constant_bits(dtype, largest ? top - 1 : top);
  return Expr::constant_bits(dtype, largest ? (top - 1) | top : 0);
}

}  // namespace

RowPlan::RowPlan(const KernelSpec& spec) { Planner(spec, *this).run(); }

ReduceSpec reduce_spec_of(const ExprNode* reduce) {
  const DType dtype = reduce->dtype;
  const Expr a = Expr::input(0, dtype), b = Expr::input(1, dtype);
  switch (reduce->reduce) {
    case Reduce::kSum: return {{a}, {a + b}, {Expr::constant(dtype, -0.0)}};
    case Reduce::kProd: return {{a}, {a * b}, {Expr::constant(dtype, 1.0)}};
    case Reduce::kMax: return {{a}, {maximum(a, b)}, {extreme_constant(dtype, false)}};
    default: return {{a}, {minimum(a, b)}, {extreme_constant(dtype, true)}};
  }
}

bool is_row_value(Expr e, const KernelSpec& spec) {
  std::unordered_set<const ExprNode*> row_values;
  for (const ExprNode* node : topological({e})) {
    bool row_value = may_be_row_value(node, spec);
    for (int i = 0; i < node->arity; ++i)
      row_value = row_value && row_values.contains(node->args[i]);
    if (row_value || node->op == ExprOp::kReduce) row_values.insert(node);
  }
  return row_values.contains(e.node());
}

int64_t row_scratch_bytes(const KernelSpec& spec) {
  return spec.shape == LoopShape::kRow ? RowPlan(spec).scratch_bytes : 0;
}

}  // namespace weft::codegen
