// Values that are not there yet, and the calls that will give them: what Input stands for.
#pragma once

#include <string>
#include <vector>

#include "weft/nn/noted.h"
#include "weft/op/op.h"
#include "weft/op/variable.h"

namespace weft::nn::detail {

// An op or a module, and what it was called with.
struct NotedCall {
  const OpDef* op = nullptr;  // null: a module
  Shared<const AnyAttrs> attrs;
  Shared<const NotedModule> module;
  CallWithLeaves function;
  std::vector<Tensor> in;
  Types out;  // with symbols
  Where where;
};

// A value that is not there yet.
struct Awaited : Tracer {
  Shape shape;
  std::string name;              // of an Input
  Shared<const NotedCall> call;  // what gives it; null of an Input and of a Variable
  Variable variable;             // whose value it is
  size_t place = 0;              // its number among all that is given
  Where where;
  Awaited(const Type& type, Where where);
  ~Awaited();
};

// The one that stands for it; null if it is there.
const Awaited* awaited(const Tensor& t);
// In words, for messages.
std::string described(const Tracer* t);

}  // namespace weft::nn::detail
