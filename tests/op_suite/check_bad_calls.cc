// Column bad calls: samples with inputs and attributes broken at random. Each call succeeds or
// raises an Error that names the op, an argument and a law; none ends the process or takes memory
// without bound. In a batch, with some of its inputs batched, it raises what it raises alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "tests/op_suite/batches.h"
#include "weft/core/allocator.h"
#include "weft/runtime/graph.h"

namespace weft::suite {
namespace {

constexpr int kWantedErrors = 300, kMostCalls = 1500;  // for an op
constexpr int64_t kMemory = 1 << 26;

// A value out of a list.
template <class T>
const T& pick(Random& random, const std::vector<T>& from) {
  return from[random.next() % from.size()];
}

bool one_in(Random& random, uint64_t n) { return random.next() % n == 0; }

int64_t odd_int(Random& random) {
  static const std::vector<int64_t> kFar = {INT64_MIN, INT64_MAX,        -(int64_t{1} << 31),
                                            1u << 31,  int64_t{1} << 40, -(int64_t{1} << 62),
                                            INT32_MAX, int64_t{1} << 62};
  return one_in(random, 3) ? pick(random, kFar) : static_cast<int64_t>(random.next() % 12) - 5;
}

double odd_float(Random& random) {
  static const std::vector<double> kOdd = {NAN, INFINITY, -INFINITY, 1e300, -1e300, 1e-320,
                                           0,   -0.0,     -1,        0.5,   1,      3.25};
  return pick(random, kOdd);
}

DType odd_dtype(Random& random) { return static_cast<DType>(random.next() % kNumDTypes); }

Ints odd_ints(Random& random) {
  Ints out(random.next() % (one_in(random, 20) ? 40 : 5));
  for (int64_t& i : out) i = odd_int(random);
  return out;
}

std::string odd_string(Random& random, const std::string& usual) {
  static const std::vector<std::string> kOdd = {
      "",   "nonsense", "a\nb", std::string(300, 'x'), "mean", "same", "ij,jk->ik",
      "->", "...i,...", "é"};
  std::string out = one_in(random, 2) ? usual : pick(random, kOdd);
  if (!out.empty() && one_in(random, 2)) out[random.next() % out.size()] = '.';
  return out;
}

Index odd_index(Random& random) {
  Index out;
  for (uint64_t n = random.next() % 5; n > 0; --n) {
    IndexItem item;
    item.kind = static_cast<IndexItem::Kind>(random.next() % 4);
    if (!one_in(random, 3)) item.start = odd_int(random);
    if (!one_in(random, 3)) item.stop = odd_int(random);
    if (one_in(random, 2)) item.step = odd_int(random);
    out.push_back(item);
  }
  return out;
}

template <class T, class Make>
void set(AnyAttrs& attrs, std::string_view name, Random& random, Make make) {
  if (one_in(random, 3)) {
    attrs.get<std::optional<T>>(name) = std::nullopt;
  } else {
    attrs.get<std::optional<T>>(name) = make(random);
  }
}

void break_field(AnyAttrs& attrs, const FieldInfo& field, Random& random) {
  const std::string_view name = field.name;
  switch (field.type) {
    case FieldType::kBool: attrs.get<bool>(name) = one_in(random, 2); return;
    case FieldType::kInt: attrs.get<int64_t>(name) = odd_int(random); return;
    case FieldType::kFloat: attrs.get<double>(name) = odd_float(random); return;
    case FieldType::kDType: attrs.get<DType>(name) = odd_dtype(random); return;
    case FieldType::kInts: attrs.get<Ints>(name) = odd_ints(random); return;
    case FieldType::kIndex: attrs.get<Index>(name) = odd_index(random); return;
    case FieldType::kOptionalInt: return set<int64_t>(attrs, name, random, odd_int);
    case FieldType::kOptionalFloat: return set<double>(attrs, name, random, odd_float);
    case FieldType::kOptionalDType: return set<DType>(attrs, name, random, odd_dtype);
    case FieldType::kOptionalInts: return set<Ints>(attrs, name, random, odd_ints);
    case FieldType::kString: {
      std::string& value = attrs.get<std::string>(name);
      value = odd_string(random, value);
      return;
    }
    case FieldType::kShape: {
      Ints sizes = odd_ints(random);
      for (int64_t& size : sizes) size = std::max(size, INT64_MIN / 2 + 1);  // what a Dim holds
      attrs.get<Shape>(name) = Shape(sizes.begin(), sizes.end());
      return;
    }
    case FieldType::kTensor:  // of ops that only graphs have
    case FieldType::kVariable:
    case FieldType::kFunction:
    case FieldType::kFunctions: return;
  }
}

Tensor odd_tensor(Random& random) {
  static const std::vector<std::vector<int64_t>> kShapes = {{},
                                                            {0},
                                                            {1},
                                                            {3},
                                                            {7},
                                                            {2, 3},
                                                            {3, 3},
                                                            {2, 0, 3},
                                                            {4, 1, 3},
                                                            {2, 3, 4, 4},
                                                            {1, 1, 1, 1, 1, 1}};
  if (one_in(random, 12)) return Tensor();  // undefined
  Arg arg;
  arg.shape = pick(random, kShapes);
  Array array = make_array(arg, odd_dtype(random), random);
  for (ScalarValue& value : array.values) {
    if (one_in(random, 9)) value = {odd_float(random), 0, odd_int(random)};
  }
  return one_in(random, 3) ? with_layout(array, static_cast<int>(random.next() % kNumLayouts))
                           : to_tensor(array);
}

// One thing that is wrong with the inputs; sometimes nothing is.
void break_inputs(Tensors& in, Random& random) {
  switch (random.next() % 6) {
    case 0: in.push_back(odd_tensor(random)); return;
    case 1:
      if (!in.empty()) in.resize(in.size() - 1);
      return;
    case 2:
      if (in.size() > 1) std::swap(in[0], in[random.next() % in.size()]);
      return;
    case 3:
      for (Tensor& t : in) t = odd_tensor(random);
      return;
    case 4:
      if (!in.empty()) in[random.next() % in.size()] = odd_tensor(random);
      return;
    default: return;
  }
}

bool has_word(std::string_view text, std::string_view word) {
  const auto is_inside = [&](size_t i) {
    return i < text.size() && (isalnum(text[i]) || text[i] == '_');
  };
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    if (!is_inside(at - 1) && !is_inside(at + word.size())) return true;
  }
  return false;
}

// By name, by number, or by its shape beside another's.
bool names_an_argument(const OpEntry& entry, std::string_view text) {
  for (const char* const word : {"input", "inputs", "argument", "operand", "shapes"}) {
    if (has_word(text, word)) return true;
  }
  for (const ArgSpec& arg : entry.inputs) {
    if (has_word(text, arg.name)) return true;
  }
  for (const FieldInfo& field : entry.attrs->fields) {
    if (has_word(text, field.name)) return true;
  }
  return false;
}

// What an error lacks; empty if it is as it should be.
std::string fault_of(const OpEntry& entry, const Error& error) {
  const std::string text = error.what();
  if (error.code == Code::kInternal) return "is an internal error";
  if (error.law.empty()) return "names no law";
  if (text.find(entry.name) == std::string::npos) return "does not name the op";
  return names_an_argument(entry, text) ? "" : "names no argument";
}

std::string first_line(const Error& error) {
  const std::string whole = error.what();
  return whole.substr(0, whole.find('\n'));
}

// Is it a law of types that raised? A graph finds it before anything runs. Laws of values name
// places in the batch, and how much memory is too much depends on the batch, too.
bool is_of_types(const Case& c, TensorSpan in, const AnyAttrs& attrs, const Error& alone) {
  const Graph graph;
  const Graph::Scope scope(graph);
  Tensors places;
  for (const Tensor& x : in) {
    if (!x.defined()) return false;
    places.push_back(graph.placeholder(x.dtype(), Shape(x.shape()), "x"));
  }
  try {
    run(c.entry, places, attrs.data());
    return false;
  } catch (const Error& error) {
    return error.code != Code::kOverflow && first_line(error) == first_line(alone);
  }
}

// What is wrong with the error of the same call in a batch of two; empty if nothing is.
std::string fault_of_batch(const Case& c, TensorSpan in, const AnyAttrs& attrs, const Error& alone,
                           Random& random) {
  if (in.empty() || !is_of_types(c, in, attrs, alone)) return "";
  FlatVmapOptions options;
  options.in_axes.resize(in.size());
  options.in_axes[random.next() % in.size()] = 0;
  for (std::optional<int64_t>& axis : options.in_axes) {
    if (one_in(random, 2)) axis = 0;
  }
  Tensors batch;
  for (size_t i = 0; i < in.size(); ++i) {
    batch.push_back(options.in_axes[i] ? stacked({in[i], in[i]}, 0) : in[i]);
  }
  const auto call = [&](TensorSpan x) { return run(c.entry, x, attrs.data()); };
  try {
    vmap_flat(call, batch, options, Where{});
    return "raises nothing in a batch";
  } catch (const Error& error) {
    if (first_line(error) == first_line(alone)) return "";
    return text("is another in a batch, ", error.what());
  }
}

struct MemoryLimit {
  int64_t before = memory_limit();
  explicit MemoryLimit(int64_t bytes) { set_memory_limit(memory_stats().live + bytes); }
  ~MemoryLimit() { set_memory_limit(before); }
};

}  // namespace

void check_bad_calls(const Case& c) {
  Random random(std::hash<std::string>()(c.test.op));
  const MemoryLimit limit(kMemory);
  int errors = 0, faults = 0;
  for (int calls = 0; calls < kMostCalls && errors < kWantedErrors && faults < 5; ++calls) {
    const size_t sample = random.next() % c.test.samples.size();
    AnyAttrs attrs = attrs_of(c.entry, c.test.samples[sample].attrs);
    Tensors in = to_tensors(sample_inputs(c, sample, pick(random, c.dtypes)));
    if (!one_in(random, 3)) break_inputs(in, random);
    for (const FieldInfo& field : c.entry.attrs->fields) {
      if (one_in(random, 3)) break_field(attrs, field, random);
    }
    try {
      run(c.entry, in, attrs.data());
    } catch (const Error& error) {
      ++errors;
      std::string fault = fault_of(c.entry, error);
      if (fault.empty()) fault = fault_of_batch(c, in, attrs, error, random);
      if (fault.empty()) continue;
      ++faults;
      ADD_FAILURE() << "the error of call " << calls << " with "
                    << print_attrs(*c.entry.attrs, attrs.data()) << " " << fault << ": "
                    << error.what();
    }
  }
  EXPECT_GT(errors, kWantedErrors / 2) << "too few calls are wrong to tell anything";
}

}  // namespace weft::suite
