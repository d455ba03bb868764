// A custom function in a graph: what it does and its derivative, as functions.
#pragma once

#include "weft/ir/function.h"
#include "weft/transform/custom_call.h"

namespace weft {

// Inputs: the arguments, then what the function reads beside them, then what the rules do.
// Results: the outputs, then what is saved for the rules, then new values of what it wrote.
struct CustomCallAttrs {
  std::string name = "custom";
  FunctionAttr function;
  int64_t arguments = 0;
  int64_t outputs = 0;
  int64_t saved = 0;
  FunctionsAttr backward = {};
  Ints gives = {};
  FunctionsAttr jvp = {};
  static constexpr auto fields = fields_of(
      field("name", &CustomCallAttrs::name, "what people call it"),
      field("function", &CustomCallAttrs::function, "what is called"),
      field("arguments", &CustomCallAttrs::arguments, "how many inputs are arguments"),
      field("outputs", &CustomCallAttrs::outputs, "how many results are outputs"),
      field("saved", &CustomCallAttrs::saved, "how many results behind those are for the rules"),
      field("backward", &CustomCallAttrs::backward,
            "of arguments, outputs, what is saved, cotangents: the cotangents of arguments"),
      field("gives", &CustomCallAttrs::gives, "of which arguments"),
      field("jvp", &CustomCallAttrs::jvp, "of arguments and tangents: the tangents of outputs"));

  // The call itself, for rules that were not traced with it: those of a function that is part of a
  // rule, which may be its own.
  Shared<CustomCall> host = {};
};
extern const OpDef kCustomCall;

}  // namespace weft
