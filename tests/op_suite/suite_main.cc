// The op suite: every registered op through every column; `op_suite --ops-md` prints the table of
// docs/ops.md, `op_suite --replay` the hashes of tests/golden/replay.txt. WEFT_OP_SLICE=k/n tests
// every n-th op, beginning with the k-th: for builds in which the whole suite takes too long.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>

#include "tests/op_suite/checks.h"
#include "tests/op_suite/ops_md.h"
#include "tests/op_suite/replay.h"

namespace weft::suite {
namespace {

// A gtest whose body is a function.
class Body : public testing::Test {
 public:
  explicit Body(std::function<void()> body) : body_(std::move(body)) {}
  void TestBody() override { body_(); }

 private:
  std::function<void()> body_;
};

void add_test(const std::string& op, const std::string& name, std::function<void()> body) {
  testing::RegisterTest(op.c_str(), name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                        [body]() -> testing::Test* { return new Body(body); });
}

// WEFT_OP_TEST writes softmax.vjp as softmax__vjp.
std::string dotted(std::string_view name) {
  std::string out;
  for (size_t i = 0; i < name.size(); ++i) {
    const bool dot = name.substr(i).starts_with("__");
    out += dot ? '.' : name[i];
    i += dot ? 1 : 0;
  }
  return out;
}

void add_tests(const OpTest& test) {
  const OpEntry* const entry = find_op(test.op);
  if (entry == nullptr) {
    add_test(test.op, "registered", [op = test.op] { ADD_FAILURE() << "there is no op " << op; });
    return;
  }
  const auto c = std::make_shared<Case>(Case{test, *entry, open_dtypes(*entry)});
  for (const Column& column : kColumns) {
    if (!untested(*c, column).empty()) continue;
    add_test(test.op, column.name, [c, check = column.check] { check(*c); });
  }
  std::map<std::string, int> seen;
  for (const ExpectedError& error : test.errors) {
    const int nth = ++seen[error.law];
    add_test(test.op, nth == 1 ? error.law : text(error.law, "_", nth),
             [c, &error] { check_error(*c, error); });
  }
}

void add_missing(const OpEntry& entry) {
  const std::string name = entry.qualified_name();
  for (const OpTest& test : op_tests()) {
    if (test.op == name && !test.samples.empty()) return;
  }
  add_test(name, "samples",
           [name] { ADD_FAILURE() << name << " is registered but has no samples"; });
}

struct Slice {
  size_t first = 0, step = 1;
};

Slice slice_to_test() {
  Slice out;
  const char* const value = std::getenv("WEFT_OP_SLICE");
  if (value == nullptr || *value == '\0') return out;
  if (std::sscanf(value, "%zu/%zu", &out.first, &out.step) != 2 || out.first >= out.step) {
    std::fprintf(stderr, "op_suite: WEFT_OP_SLICE is '%s'; expected k/n, k < n\n", value);
    std::exit(2);
  }
  return out;
}

}  // namespace

std::string always_tested(const Case&) { return ""; }
std::string no_inputs(const Case& c) { return c.entry.inputs.empty() ? "it has no inputs" : ""; }

std::string untested(const Case& c, const Column& column) {
  for (const Skip& skip : c.test.skips) {
    if (skip.column == column.name) return skip.reason;
  }
  return column.untested(c);
}

std::vector<DType> open_dtypes(const OpEntry& entry) {
  std::vector<DType> out;
  for (const ArgSpec& arg : entry.inputs) {
    if ((arg.dtypes & (arg.dtypes - 1)) == 0) continue;  // one dtype only: a condition, a key
    for (int i = 0; i < kNumDTypes; ++i) {
      if (contains(arg.dtypes, static_cast<DType>(i))) out.push_back(static_cast<DType>(i));
    }
    return out;
  }
  return {DType::kF32};
}

DType input_dtype(const OpEntry& entry, size_t i, DType dtype) {
  const DTypeSet dtypes = entry.inputs[std::min(i, entry.inputs.size() - 1)].dtypes;
  return std::has_single_bit(dtypes) ? static_cast<DType>(std::countr_zero(dtypes)) : dtype;
}

Arrays sample_inputs(const Case& c, size_t index, DType dtype) {
  Random random(index + 1);
  Arrays out;
  const std::vector<Arg>& args = c.test.samples[index].inputs;
  for (size_t i = 0; i < args.size(); ++i) {
    out.push_back(make_array(args[i], input_dtype(c.entry, i, dtype), random));
  }
  return out;
}

Tensors to_tensors(const Arrays& arrays) {
  Tensors out;
  for (const Array& a : arrays) out.push_back(to_tensor(a));
  return out;
}

AnyAttrs attrs_of(const OpEntry& entry, const std::string& text) {
  return parse_attrs(*entry.attrs, text);
}

}  // namespace weft::suite

int main(int argc, char** argv) {
  using namespace weft::suite;
  for (OpTest& test : op_tests()) test.op = dotted(test.op);
  if (argc == 2 && std::strcmp(argv[1], "--ops-md") == 0) {
    std::fputs(ops_markdown().c_str(), stdout);
    return 0;
  }
  for (const char* check : {"WEFT_VERIFY", "WEFT_CHECK_PLANS"}) setenv(check, "1", 0);
  testing::InitGoogleTest(&argc, argv);
  if (argc >= 2 && std::strcmp(argv[1], "--replay") == 0) {
    const std::string out = argc == 2 ? replay_lines() : replay_texts(argv[2]);
    if (out.empty()) std::fprintf(stderr, "replay: there is no op %s with samples\n", argv[2]);
    std::fputs(out.c_str(), stdout);
    return out.empty() ? 1 : 0;
  }
  const Slice slice = slice_to_test();
  for (size_t i = slice.first; i < op_tests().size(); i += slice.step) add_tests(op_tests()[i]);
  for (const weft::OpEntry* entry : weft::registered_ops()) add_missing(*entry);
  return RUN_ALL_TESTS();
}
