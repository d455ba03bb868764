// KernelSpec: one kernel to generate, as loops over Exprs; every printer and emitter reads this.
#pragma once

#include <string>
#include <vector>

#include "weft/expr/expr.h"

namespace weft::codegen {

enum class LoopShape : uint8_t {
  kMap,           // MapKernel: every output element is an Expr of the input elements
  kRow,           // MapKernel: Exprs with reductions over the row
  kRowReduce,     // RowReduceKernel
  kColumnReduce,  // ColumnReduceKernel
  kCombineRow,    // CombineKernel
  kScan,          // ScanKernel
};

// An input as it lies in memory: along the row contiguous, or one value for the whole row.
struct Operand {
  DType dtype;
  bool scalar = false;
};

// A reduction or scan as Exprs. `map` reads input 0 and Expr::position() (the logical index, u64);
// `combine` reads the states a (inputs 0..) and b (inputs states..).
struct ReduceSpec {
  std::vector<Expr> map, combine, identity;
  size_t states() const { return map.size(); }
};

struct KernelSpec {
  std::string key;  // "add/f32/cs"
  LoopShape shape = LoopShape::kMap;
  std::vector<Operand> inputs;
  std::vector<Expr> outputs;  // kMap, kRow: in the dtype they are stored in. kScan: of the state
  ReduceSpec reduce;
  uint32_t past_caches = 0;  // kRow, bit k: output k is stored past the caches where it is aligned

  // The function's name in objects of a tier: "weft_k_avx2_add_f32_cs".
  std::string symbol(std::string_view tier) const;
};

// The spec with all Calls expanded: what emitters take.
KernelSpec lowered(KernelSpec spec);

// The nodes reachable from the roots, arguments before their users.
std::vector<const ExprNode*> topological(const std::vector<Expr>& roots);

// A name for a lookup table that depends on its entries alone.
std::string table_name(uint16_t table);

// Whether values of the expression are stored as float bits that can be NaN.
inline bool stores_nan(DType dtype) { return dtype == DType::kF32 || dtype == DType::kF64; }

}  // namespace weft::codegen
