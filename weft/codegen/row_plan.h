// How a row kernel is cut into passes over its row.
//
// A reduction needs a whole pass before anything that uses it. Pass k computes what depends on
// reductions of earlier passes only; what is dear and needed again later is kept in memory, so that
// the exp of a softmax is computed once.
#pragma once

#include <unordered_map>

#include "weft/codegen/kernel_spec.h"

namespace weft::codegen {

// Whether the expression has one value for a whole row: it reads elements only through reductions,
// and otherwise inputs that are one value per row.
bool is_row_value(Expr e, const KernelSpec& spec);

// Something computed in one pass, stored, and loaded in later ones.
struct RowTemporary {
  const ExprNode* node;
  size_t pass;           // where it is computed and stored
  int output = -1;       // kept in the memory of this output, or
  int64_t scratch = -1;  // in the scratch row that starts at this many bytes per element
};

struct RowPass {
  std::vector<const ExprNode*> reductions;  // finished by this pass
  std::vector<const ExprNode*> nodes;       // computed for every element, arguments first
  std::vector<const ExprNode*> row_values;  // read by those nodes, computed before the pass
  std::vector<size_t> loaded, stored;       // temporaries
  bool outputs = false;                     // the last pass stores the outputs
};

struct RowPlan {
  std::vector<RowPass> passes;
  std::vector<RowTemporary> temporaries;
  int64_t scratch_bytes = 0;  // per element of the row

  explicit RowPlan(const KernelSpec& spec);
};

// A kReduce node as a ReduceSpec; its map reads nothing: the element comes from outside.
ReduceSpec reduce_spec_of(const ExprNode* reduce);

// Bytes of scratch a row kernel needs for each element of its row (0 for other kernels).
int64_t row_scratch_bytes(const KernelSpec& spec);

}  // namespace weft::codegen
