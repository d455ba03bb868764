// The ops with functions for attributes: what the combinators in control.h apply.
#pragma once

#include "weft/ir/function.h"

namespace weft {

// Calls a function.
struct CallAttrs {
  FunctionAttr function;
  FunctionsAttr saves_of = {};
  Ints saves_for = {};
  static constexpr auto fields =
      fields_of(field("function", &CallAttrs::function, "what is called"),
                field("saves_of", &CallAttrs::saves_of,
                      "the function of which this one gives, too, what its backward half needs"),
                field("saves_for", &CallAttrs::saves_for,
                      "the inputs whose cotangents that backward half gives"));
};
extern const OpDef kCall;
Tensors call_function(const FunctionAttr& function, TensorSpan in, Where where);

// Calls a function that derivatives compute again: nothing inside of it is kept.
struct CheckpointCallAttrs {
  FunctionAttr function;
  static constexpr auto fields =
      fields_of(field("function", &CheckpointCallAttrs::function, "what is called"));
};
extern const OpDef kCheckpointCall;

// One of several functions of the same operands: the first input says which.
struct SwitchAttrs {
  FunctionsAttr branches;
  FunctionsAttr saves_of = {};
  Ints saves_for = {};
  static constexpr auto fields =
      fields_of(field("branches", &SwitchAttrs::branches, "all give values of the same types"),
                field("saves_of", &SwitchAttrs::saves_of,
                      "the functions of which these give, too, what their backward halves need"),
                field("saves_for", &SwitchAttrs::saves_for,
                      "the operands whose cotangents those backward halves give"));
};
extern const OpDef kSwitch;
// The same for a batch whose examples take different branches: every input has the batch axis in
// front, and a branch runs on the examples that take it.
extern const OpDef kSwitchLanes;

// Inputs: what the loop carries, then what it only reads.
struct WhileAttrs {
  FunctionAttr cond;
  FunctionAttr body;
  int64_t carries = 0;
  int64_t max_saved_bytes = int64_t{256} << 20;
  bool saves = false;
  static constexpr auto fields =
      fields_of(field("cond", &WhileAttrs::cond, "goes on while this is true"),
                field("body", &WhileAttrs::body, "gives what is carried on"),
                field("carries", &WhileAttrs::carries, "how many inputs are carried"),
                field("max_saved_bytes", &WhileAttrs::max_saved_bytes,
                      "of what the loop carries, this much is kept for the backward pass"),
                field("saves", &WhileAttrs::saves, "gives, too, what the backward pass needs"));
};
extern const OpDef kWhile;

// Inputs: what the loop carries, then what it goes through row by row, then what it only reads.
struct ScanLoopAttrs {
  FunctionAttr body;
  int64_t carries = 0;
  int64_t rows = 0;  // how many inputs it goes through
  Shape length;      // one size: the number of steps
  bool reverse = false;
  bool saves = false;
  // Of a loop whose examples need different numbers of steps: whether one takes part in a step, and
  // the step of one that does not. Without a batch all steps are taken, and nobody asks.
  FunctionsAttr lanes = {};
  static constexpr auto fields = fields_of(
      field("body", &ScanLoopAttrs::body, "gives what is carried on, then a row of results"),
      field("carries", &ScanLoopAttrs::carries, "how many inputs are carried"),
      field("rows", &ScanLoopAttrs::rows, "how many inputs it goes through row by row"),
      field("length", &ScanLoopAttrs::length, "the number of steps"),
      field("reverse", &ScanLoopAttrs::reverse, "from the last row to the first"),
      field("saves", &ScanLoopAttrs::saves, "gives, too, what was carried into each step"),
      field("lanes", &ScanLoopAttrs::lanes,
            "of a batch: which examples take part in a step, and the step of the others"));
};
extern const OpDef kScan;

// Makes the ops known by their names; once is enough.
void register_control_ops();

}  // namespace weft
