// OpDef: everything there is to say about an op, as constant data; CompositeDef: an op written with
// other ops.
#pragma once

#include <array>
#include <string_view>

#include "weft/base/atomic.h"
#include "weft/op/attrs.h"
#include "weft/op/batch.h"
#include "weft/op/grad.h"
#include "weft/op/infer.h"
#include "weft/op/kernel.h"

namespace weft {

struct OpEntry;    // the registry's view of an op
struct GradPlan;   // what a record keeps of it
struct OpRuntime;  // what eager/ caches about an op: its kernels by dtype

// A short list of constants inside an OpDef; unused places stay empty.
template <class T, size_t N>
struct ShortList {
  std::array<T, N> items{};

  template <class... U>
  constexpr ShortList(U... values) : items{T(values)...} {}  // NOLINT(google-explicit-constructor)
  constexpr size_t size() const {
    size_t n = 0;
    while (n < N && !items[n].empty()) ++n;
    return n;
  }
  constexpr const T* begin() const { return items.data(); }
  constexpr const T* end() const { return items.data() + size(); }
  constexpr const T& operator[](size_t i) const { return items[i]; }
};

// "name: class", where class is one of any, boolean, integer, bits (boolean or integer), real
// (integer or floating), ordered (boolean or real), floating, complex, inexact (floating or
// complex), numeric (all but boolean), or `like NAME`: promoted together with that input. "name?:
// ..." may be left out; "name...: ..." stands for one or more. A dtype below the class is converted
// when that loses no kind: integers given to a floating input become float32.
using ArgList = ShortList<std::string_view, 6>;

// A law an input must obey: its label is in the message ([concat.C3]) and in the name of its test.
struct Law {
  std::string_view label, statement;
  constexpr bool empty() const { return label.empty(); }
};
using Laws = ShortList<Law, 12>;

// What other systems call it; `name` may hold a dotted path. Python answers wf.unsqueeze with
// Weft's word from this. Where that name means something else there, "name: difference" says what:
// "median: of two middle elements it takes the lower, ours is their mean".
struct Alias {
  std::string_view system, name;
  constexpr bool empty() const { return system.empty(); }
};
using KnownAs = ShortList<Alias, 8>;

// What an op does beside giving its outputs. Such ops are neither merged nor left out, and those of
// one resource keep their order.
enum class Effect : uint8_t {
  kNone,
  kReads,    // the Variable in its attribute `variable`
  kWrites,   // the same
  kDraws,    // moves the default generator
  kOutside,  // prints, or raises: seen by people
};

struct OpDef {
  std::string_view name;
  std::string_view module = "";  // "" for top level, or "nn", "random", ...
  std::string_view doc;  // a first sentence, conventions (NaN, ties), then an example; Markdown
  ArgList inputs;
  ArgList outputs;
  int since = 1;  // export version
  const AttrsType* attrs = attrs_type<NoAttrs>();
  Laws laws = {};
  InferRule infer;
  GradRule grad;    // no default: every op says how it is differentiated, or why not
  BatchRule batch;  // no default
  KernelRule kernel;
  KnownAs known_as = {};
  bool commutative = false;
  bool associative = false;
  Effect effect = Effect::kNone;
  // What a simpler op gives for such a call (`x ** 2` is a square); undefined if none does.
  Tensor (*simpler)(TensorSpan in, Where where) = nullptr;

  // Caches, filled on first use.
  mutable Atomic<const OpEntry*> entry{nullptr};
  mutable Atomic<const OpRuntime*> runtime{nullptr};
  mutable Atomic<const GradPlan*> grad_plan{nullptr};
};

// Whether results may lie in the memory of the first input.
constexpr bool is_view(const OpDef& op) { return op.kernel.kind == KernelKind::kView; }

// An op that is a few lines over other ops: no rules of its own, they follow from its parts.
struct CompositeDef {
  std::string_view name;
  std::string_view module = "";
  std::string_view doc;
  ArgList inputs;
  ArgList outputs;
  const AttrsType* attrs = attrs_type<NoAttrs>();
  Laws laws = {};
  Rule<Tensors, TensorSpan> compose;
  KnownAs known_as = {};
};

}  // namespace weft
