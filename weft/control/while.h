// What the files of while share: how it runs, and its reverse pass.
#pragma once

#include "weft/control/ops.h"
#include "weft/op/record.h"
#include "weft/trace/derived.h"

namespace weft {

inline size_t carries_of(const WhileAttrs& at) { return static_cast<size_t>(at.carries); }

Tensors run_while(const WhileAttrs& at, TensorSpan in, TypeSpan types);

// The reverse pass of a loop: cotangents of its inputs from those of what it carried last.
// `saved`: the marks of its steps, then what was kept.
Tensors while_vjp(const WhileAttrs& at, const GradCtx& cx, TensorSpan cotangents, TensorSpan saved);

// Inputs: the cotangents of what has any, the marks of steps, what was kept of the carries, the
// loop's inputs. Behind them, if there are any, the sums that those which all steps read begin
// with.
struct WhileVjpAttrs {
  FunctionAttr cond, body;
  int64_t carries = 0;
  Ints wanted;  // 1 for each input of the loop whose cotangent is given
  static constexpr auto fields =
      fields_of(field("cond", &WhileVjpAttrs::cond, "of the loop"),
                field("body", &WhileVjpAttrs::body, "of the loop"),
                field("carries", &WhileVjpAttrs::carries, "of the loop"),
                field("wanted", &WhileVjpAttrs::wanted, "1 for each cotangent that is wanted"));
};

// The parts of its inputs.
struct WhileVjpParts {
  size_t carries, cotangents, consts, sums;
  Flags carried;  // the carries that have cotangents
  Flags wanted;   // the loop's inputs whose cotangents are given
  Flags given;    // the body's parameters that the steps differentiate
  Flags begun;    // those of them that all steps read

  WhileVjpParts(const WhileVjpAttrs& at, size_t input_count)
      : carries(static_cast<size_t>(at.carries)), cotangents(0), sums(0) {
    const ir::Function& body = *at.body;
    consts = body.parameter_count() - carries;
    for (size_t i = 0; i < body.parameter_count(); ++i) {
      wanted.push_back(at.wanted[i] != 0);
      const bool is_carry = i < carries;
      const bool has_one = is_differentiable(body.parameter_type(i).dtype);
      if (is_carry) carried.push_back(has_one);
      cotangents += is_carry && has_one ? 1 : 0;
      given.push_back(is_carry ? has_one : wanted[i]);
      begun.push_back(!is_carry && wanted[i]);
      sums += begun[i] ? 1 : 0;
    }
    if (input_count == first_sum()) sums = 0;
  }
  size_t marks() const { return cotangents; }
  size_t kept() const { return cotangents + 1; }
  size_t inputs() const { return kept() + carries; }
  size_t first_sum() const { return inputs() + carries + consts; }
  size_t count() const { return first_sum() + sums; }
};

Tensors run_while_vjp(const WhileVjpAttrs& at, TensorSpan in, TypeSpan types);

}  // namespace weft
