// Column symbolic: inference on symbols, with sizes put in for them, is inference on sizes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "tests/op_suite/checks.h"
#include "tests/op_suite/types_through.h"
#include "weft/base/error.h"

namespace weft::suite {
namespace {

// The value of a printed dim, "2*s3+1", "floor((s3+1)/2)" or "max(s3,s4-1)", where sN stands for N.
class DimText {
 public:
  explicit DimText(std::string text) : text_(std::move(text)) {}
  int64_t value() {
    const int64_t out = sum();
    EXPECT_EQ(at_, text_.size()) << "cannot read the dim " << text_;
    return out;
  }

 private:
  bool take(std::string_view token) {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (!std::string_view(text_).substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  int64_t sum() {
    int64_t out = product();
    while (true) {
      if (take("+")) {
        out += product();
      } else if (take("-")) {
        out -= product();
      } else {
        return out;
      }
    }
  }
  int64_t product() {
    int64_t out = factor();
    while (true) {
      if (take("*")) {
        out *= factor();
      } else if (take("/")) {
        const int64_t by = factor();
        out = (out >= 0 ? out : out - by + 1) / by;  // rounded down, by a positive number
      } else {
        return out;
      }
    }
  }
  int64_t factor() {
    if (take("-")) return -factor();
    if (take("floor(") || take("(")) {
      const int64_t out = sum();
      EXPECT_TRUE(take(")")) << text_;
      return power(out);
    }
    if (take("max(")) {
      const int64_t a = sum();
      EXPECT_TRUE(take(",")) << text_;
      const int64_t b = sum();
      EXPECT_TRUE(take(")")) << text_;
      return power(std::max(a, b));
    }
    take("s");  // a symbol is named by its size
    EXPECT_TRUE(at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])))
        << text_;
    char* end = nullptr;
    const int64_t out = std::strtoll(text_.c_str() + at_, &end, 10);
    at_ = static_cast<size_t>(end - text_.c_str());
    return power(out);
  }
  int64_t power(int64_t base) {
    if (!take("^")) return base;
    const int64_t exponent = factor();
    int64_t out = 1;
    for (int64_t i = 0; i < exponent; ++i) out *= base;
    return out;
  }

  std::string text_;
  size_t at_ = 0;
};

Type with_sizes(const Type& type) {
  Type out = type;
  for (Dim& dim : out.shape) dim = DimText(to_string(dim)).value();
  return out;
}

// Equal sizes become one symbol; 0 and 1 stay, for broadcasting asks for them. `axis` of the first
// input alone, or all axes if it is negative.
Types with_symbols(const Case& c, const Arrays& in, int64_t axis) {
  Types out;
  for (const Array& x : in) {
    Type type{x.dtype, Shape(x.shape.begin(), x.shape.end())};
    const int64_t changed = axis < 0             ? -1
                            : axis < type.rank() ? x.shape[static_cast<size_t>(axis)]
                                                 : 0;
    const size_t input = std::min(out.size(), c.entry.inputs.size() - 1);
    const bool is_key = c.entry.inputs[input].class_name == "key";  // of two words
    for (Dim& dim : type.shape) {
      const bool chosen = !is_key && (changed < 0 || (changed == dim.value() && out.empty()));
      if (dim.value() > 1 && chosen) dim = Dim::symbol(text("s", dim.value()));
    }
    out.push_back(std::move(type));
  }
  return out;
}

void check_types(const Case& c, const Arrays& in, const AnyAttrs& attrs) {
  Types plain;
  for (const Array& x : in) plain.push_back({x.dtype, Shape(x.shape.begin(), x.shape.end())});
  const Types wanted = types_through(c.entry, plain, attrs.data());
  for (int64_t axis = -1; axis < static_cast<int64_t>(in[0].shape.size()); ++axis) {
    const Types symbols = with_symbols(c, in, axis);
    SCOPED_TRACE(text("from ", symbols[0]));
    try {
      const Types got = types_through(c.entry, symbols, attrs.data());
      ASSERT_EQ(got.size(), wanted.size());
      for (size_t k = 0; k < got.size(); ++k) {
        EXPECT_EQ(text(with_sizes(got[k])), text(wanted[k])) << "which is " << text(got[k]);
      }
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

// A law that only traced values break: [arange.concrete].
TEST(Traced, NumbersThatDecideAShape) {
  for (const char* op : {"arange", "linspace"}) {
    const OpEntry& entry = *find_op(op);
    const AnyAttrs attrs(entry.attrs);
    const Type scalar{DType::kF32, {}};
    try {
      types_through(entry, Types{scalar, scalar}, attrs.data());
      ADD_FAILURE() << "nothing was raised";
    } catch (const Error& error) {
      EXPECT_EQ(error.message, text("start is only known when the graph runs, or differs between "
                                    "the examples of a vmap, but decides a shape; ",
                                    "pass a number"))
          << op;
      EXPECT_EQ(error.law, "concrete");
    }
  }
}

}  // namespace

void check_symbolic(const Case& c) {
  for (size_t s = 0; s < c.test.samples.size(); ++s) {
    const AnyAttrs attrs = attrs_of(c.entry, c.test.samples[s].attrs);
    const Arrays in = sample_inputs(c, s, c.dtypes.back());
    if (in.empty()) continue;
    SCOPED_TRACE(text(c.test.op, " sample ", s));
    check_types(c, in, attrs);
  }
}

}  // namespace weft::suite
