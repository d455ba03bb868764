// What the files of scan share: the parts of its inputs, and how it runs.
#pragma once

#include "weft/control/ops.h"
#include "weft/op/grad.h"

namespace weft {

// Where the parts of the inputs and of the body's results begin.
struct ScanParts {
  size_t carries, rows, consts, outputs;  // outputs: rows of results

  ScanParts(const ScanLoopAttrs& at, size_t inputs)
      : carries(static_cast<size_t>(at.carries)),
        rows(static_cast<size_t>(at.rows)),
        consts(inputs - carries - rows),
        outputs(at.body->results.size() - carries) {}
};

inline Type row_of(Type type) {
  type.shape.erase(0);
  return type;
}
inline Type stacked(Type type, Dim length) {
  type.shape.insert(0, length);
  return type;
}

// The types of what the body is given.
inline Types step_types(const ScanLoopAttrs& at, TypeSpan in) {
  Types out;
  for (size_t i = 0; i < in.size(); ++i) {
    const bool is_row =
        i >= static_cast<size_t>(at.carries) && i < static_cast<size_t>(at.carries + at.rows);
    out.push_back(is_row ? row_of(in[i]) : in[i]);
  }
  return out;
}

inline Dim length_of(const ScanLoopAttrs& at, TypeSpan in) {
  return at.rows > 0 ? in[static_cast<size_t>(at.carries)].shape[0] : at.length[0];
}

// The rule of its reverse pass.
Tensors scan_vjp(const ScanLoopAttrs& at, const GradCtx& cx, TensorSpan cotangents);

void run_scan_loop(const ScanLoopAttrs& at, TensorSpan in, TensorSpan out);

}  // namespace weft
