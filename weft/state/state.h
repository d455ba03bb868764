// The ops that only graphs have: constants, placeholders, and what Variables do there.
#pragma once

#include "weft/ir/graph.h"

namespace weft {

struct ConstantAttrs {
  Tensor value;
  static constexpr auto fields = fields_of(field("value", &ConstantAttrs::value, "the value"));
};
extern const OpDef kConstant;

struct PlaceholderAttrs {
  DType dtype = DType::kF32;
  Shape shape;
  static constexpr auto fields =
      fields_of(field("dtype", &PlaceholderAttrs::dtype, "the dtype of what is fed"),
                field("shape", &PlaceholderAttrs::shape, "its shape; symbols are free"));
};
extern const OpDef kPlaceholder;

struct VariableAttrs {
  Variable variable;
  bool with_maker = false;
  static constexpr auto fields = fields_of(
      field("variable", &VariableAttrs::variable, "the place"),
      field(
          "with_maker", &VariableAttrs::with_maker,
          "of a write: it is one of the op that makes the value, and happens whenever that runs"));
};
extern const OpDef kReadVariable;
extern const OpDef kAssignVariable;
// Whose write a node is: the condition, loop or call that wrote the Variable; kNone: it is none, or
// one by itself.
ir::NodeId writer_of(const ir::Graph& graph, const ir::Node& node);

struct SizeValueAttrs {
  Shape size;
  static constexpr auto fields = fields_of(field("size", &SizeValueAttrs::size, "one size"));
};
extern const OpDef kSizeValue;
// The size as a number that takes the dtype of what it meets, as an int would.
Tensor size_value(Dim size, Where where = Where::here());

extern const OpDef kIdentity;
extern const OpDef kNoOp;
extern const OpDef kNextKey;

struct AssertAttrs {
  std::string message;
  static constexpr auto fields = fields_of(
      field("message", &AssertAttrs::message, "what is said if it is false; {} is a value"));
};
extern const OpDef kAssertTrue;
// Raises, now or when the graph runs, if the condition is false. With values, the message is what
// filled_text makes of it.
void assert_true(const Tensor& condition, std::string message, Where where = Where::here());
void assert_true(const Tensor& condition, std::string message, TensorSpan values, Where where);

struct PrintAttrs {
  std::string pattern;
  bool formats = false;
  static constexpr auto fields =
      fields_of(field("pattern", &PrintAttrs::pattern, "{} stands for the next value"),
                field("formats", &PrintAttrs::formats, "{:.2f} for a number, {{ for a brace"));
};
extern const OpDef kPrintValues;
// Prints, now or when the graph runs, what filled_text makes of the pattern.
void print_values(std::string pattern, TensorSpan values, Where where = Where::here());
// Where texts go in place of stdout: Python has one of its own.
using PrintText = void (*)(const std::string& text);
void set_print_text(PrintText print);

// Makes the ops known by their names, for those who read graphs; once is enough.
void register_state_ops();

}  // namespace weft
