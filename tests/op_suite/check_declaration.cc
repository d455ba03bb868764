// Columns attributes and documented: what the op declares is true.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/op_suite/checks.h"
#include "weft/base/error.h"
#include "weft/ir/print.h"
#include "weft/runtime/graph.h"

namespace weft::suite {
namespace {

// Laws of the door and of axes, which every op has that has such inputs; lists leave them out.
constexpr std::string_view kCommonLaws[] = {"count",      "dtype",     "axis",
                                            "axis_twice", "broadcast", "promotion"};

// A graph of the op alone, from placeholders of the sample's types; nothing if it cannot be staged,
// as where values decide a shape.
std::string staged_text(const Case& c, const Sample& sample, size_t index) {
  const Graph graph;
  const Graph::Scope scope(graph);
  Tensors in;
  for (const Array& x : sample_inputs(c, index, c.dtypes.empty() ? DType::kF32 : c.dtypes.back())) {
    in.push_back(graph.placeholder(x.dtype, Shape(x.shape.begin(), x.shape.end()), "in put"));
  }
  try {
    run(c.entry, in, attrs_of(c.entry, sample.attrs).data());
    return graph.text();
  } catch (const Error&) {
    return "";
  }
}

void check_text(const Case& c) {
  for (size_t s = 0; s < c.test.samples.size(); ++s) {
    const std::string printed = staged_text(c, c.test.samples[s], s);
    if (printed.empty()) continue;
    SCOPED_TRACE(printed);
    try {
      EXPECT_EQ(ir::to_text(*ir::parse(printed).main()), printed);
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

}  // namespace

void check_attributes(const Case& c) {
  check_text(c);
  std::vector<std::string> texts{""};
  for (const Sample& sample : c.test.samples) texts.push_back(sample.attrs);
  for (const std::string& source : texts) {
    const AnyAttrs attrs = attrs_of(c.entry, source);
    const AttrsType& type = *c.entry.attrs;
    const AnyAttrs again = parse_attrs(type, print_attrs(type, attrs.data()));
    EXPECT_TRUE(equal_attrs(type, attrs.data(), again.data())) << print_attrs(type, attrs.data());
    EXPECT_EQ(hash_attrs(type, attrs.data()), hash_attrs(type, again.data()));
  }
}

void check_documented(const Case& c) {
  EXPECT_GE(c.entry.doc.size(), 10u) << "write the op's documentation";
  for (const FieldInfo& field : c.entry.attrs->fields)
    EXPECT_FALSE(field.doc.empty()) << field.name;
  for (const Law& law : c.entry.laws) {
    const bool tested = std::any_of(c.test.errors.begin(), c.test.errors.end(),
                                    [&](const ExpectedError& e) { return e.law == law.label; });
    EXPECT_TRUE(tested) << "no test raises " << c.entry.qualified_name() << "." << law.label;
  }
  for (const ExpectedError& error : c.test.errors) {
    const bool listed = std::any_of(c.entry.laws.begin(), c.entry.laws.end(),
                                    [&](const Law& law) { return law.label == error.law; }) ||
                        std::find(std::begin(kCommonLaws), std::end(kCommonLaws), error.law) !=
                            std::end(kCommonLaws);
    EXPECT_TRUE(listed) << c.entry.qualified_name() << " raises [" << error.law
                        << "], which is not among its laws";
  }
  if (c.entry.op != nullptr && c.entry.op->batch.kind == BatchKind::kPerExample) {
    EXPECT_FALSE(c.entry.op->batch.text.empty()) << "say why there is no better batching rule";
  }
}

}  // namespace weft::suite
