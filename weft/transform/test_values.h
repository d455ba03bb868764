// What the tests of transformations share: small values, a struct of tensors, the law of an error.
#pragma once

#include <string>
#include <vector>

#include "weft/base/error.h"
#include "weft/op/attrs.h"
#include "weft/transform/tree.h"

namespace weft {

using Floats = std::vector<float>;

inline Floats values(const Tensor& t) { return t.to_vector<float>(); }
inline Tensor scalar(double value) { return Tensor::scalar(DType::kF32, value); }

inline std::string law_of(auto call) {
  try {
    call();
  } catch (const Error& error) {
    return error.op + "." + error.law;
  }
  return "no error";
}

struct Layer {
  Tensor weight, bias;
  int64_t units = 0;  // carried along
  static constexpr auto fields =
      fields_of(field("weight", &Layer::weight, ""), field("bias", &Layer::bias, ""),
                field("units", &Layer::units, ""));
};

}  // namespace weft
