// Samples of the steps of recurrent networks: row kernels, with a mask behind the other inputs.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

namespace {

void steps(OpTest& t, const std::string& name, size_t inputs) {
  const auto rows = [&](std::initializer_list<int64_t> shape, const Arg& mask) {
    std::vector<Arg> out(inputs - 1, in(shape));
    out.push_back(mask);
    return out;
  };
  t.sample(rows({3, 5}, exactly({3, 1}, {1, 0, 1}, DType::kBool)));
  t.sample(rows({2, 2, 19}, exactly({2, 2, 1}, {1, 0, 0, 1}, DType::kBool)));
  t.large(rows({300, 301}, typed(in({300, 1}, 0, 1.9), DType::kBool)));
  t.error("shape", rows({3, 5}, exactly({3}, {1, 0, 1}, DType::kBool)), "",
          name + ": input " + std::to_string(inputs - 1) +
              " has shape [3], but input 0 has shape [3, 5]; it must be [3, 1] [" + name +
              ".shape]");
  t.error("rank", rows({}, exactly({}, {1}, DType::kBool)), "",
          name + ": the inputs have rank 0; they need an axis [" + name + ".rank]");
}

}  // namespace

WEFT_OP_TEST(nn__rnn__tanh_step) { steps(t, "rnn.tanh_step", 3); }
WEFT_OP_TEST(nn__rnn__relu_step) { steps(t, "rnn.relu_step", 3); }
WEFT_OP_TEST(nn__rnn__step__vjp) { steps(t, "rnn.step.vjp", 4); }
WEFT_OP_TEST(nn__gru__step) { steps(t, "gru.step", 6); }
WEFT_OP_TEST(nn__gru__step__vjp) { steps(t, "gru.step.vjp", 8); }
WEFT_OP_TEST(nn__lstm__step) { steps(t, "lstm.step", 7); }
WEFT_OP_TEST(nn__lstm__step__vjp) { steps(t, "lstm.step.vjp", 10); }
