// The inference vocabulary: from the types of the inputs to the types of the outputs, or a labelled
// error.
#pragma once

#include <string_view>

#include "weft/base/error.h"
#include "weft/core/shape.h"
#include "weft/op/rule.h"

namespace weft {

// Who infers: names the op in errors.
struct InferCtx {
  std::string_view op;

  // Raises `op: pieces [op.law]` unless `ok`. Pieces are formatted only then.
  template <class... Pieces>
  void require(bool ok, std::string_view law, const Pieces&... pieces) const {
    if (!ok) [[unlikely]]
      fail(Code::kInvalid, op, law, pieces...);
  }
  template <class... Pieces>
  void require_index(bool ok, std::string_view law,
                     const Pieces&... pieces) const {  // an IndexError
    if (!ok) [[unlikely]]
      fail(Code::kIndex, op, law, pieces...);
  }
  template <class... Pieces>
  void require_type(bool ok, std::string_view law, const Pieces&... pieces) const {  // a TypeError
    if (!ok) [[unlikely]]
      fail(Code::kType, op, law, pieces...);
  }

  // The axis counted from 0; raises [op.axis] if it is out of range for `shape`.
  int64_t axis(int64_t axis, ShapeView shape) const;
  // All axes counted from 0, sorted; raises [op.axis] or, if one is named twice, [op.axis_twice].
  Ints axes(const Ints& axes, ShapeView shape) const;
  // The shape both broadcast to; raises [op.broadcast].
  Shape broadcast(ShapeView a, ShapeView b) const;
  // Raises [op.size] if the two extents are known to differ; equal as far as anyone can tell is
  // fine.
  void same_size(Dim a, Dim b, std::string_view law, std::string_view what) const;
};

// The door has checked the number and the classes of the inputs, and promoted those that go
// together.
using InferRule = Rule<Types, const InferCtx&, TypeSpan>;

namespace infer {

Types broadcast_types(const void*, const InferCtx& cx, TypeSpan in);
Types broadcast_bool_types(const void*, const InferCtx& cx, TypeSpan in);
Types same_types(const void*, const InferCtx& cx, TypeSpan in);
Types bool_types(const void*, const InferCtx& cx, TypeSpan in);

inline constexpr InferRule broadcast{
    broadcast_types};  // all inputs broadcast; the dtype they share
inline constexpr InferRule broadcast_bool{broadcast_bool_types};  // the same, giving bool
inline constexpr InferRule same{same_types};             // one input, one output of its type
inline constexpr InferRule same_shape_bool{bool_types};  // one input, a bool for each element

}  // namespace infer
}  // namespace weft
