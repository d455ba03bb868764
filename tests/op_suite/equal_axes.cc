// Variants of samples in which axes of different sizes have the same size.
//
// An op that confuses two axes, or finds memory of a transposed shape that is the shape of its
// result, goes unnoticed while all sizes differ. Every two sizes of a sample are made equal, in
// both directions, and then all of them; an axis that has to match another one changes with it,
// because it has the same size. What the op refuses is left out.
#include "tests/op_suite/equal_axes.h"

#include <algorithm>
#include <set>

#include "weft/base/error.h"

namespace weft::suite {
namespace {

// Of elementwise ops and casts axes mean nothing.
bool has_axes(const OpEntry& entry) {
  if (entry.op == nullptr) return true;
  const KernelKind kind = entry.op->kernel.kind;
  return kind != KernelKind::kElementwise && kind != KernelKind::kCast && kind != KernelKind::kVjp;
}

std::set<int64_t> sizes_of(const Sample& sample, int64_t smallest) {
  std::set<int64_t> out;
  for (const Arg& arg : sample.inputs) {
    for (const int64_t size : arg.shape) {
      if (size >= smallest) out.insert(size);
    }
  }
  return out;
}

using Renamed = std::vector<std::pair<int64_t, int64_t>>;  // from a size to another one

// Unchanged where an input lists its values: they are as many as its shape has.
std::optional<Sample> renamed(const Sample& sample, const Renamed& sizes) {
  Sample out = sample;
  for (Arg& arg : out.inputs) {
    for (int64_t& size : arg.shape) {
      const auto found =
          std::ranges::find_if(sizes, [&](const auto& pair) { return pair.first == size; });
      if (found == sizes.end()) continue;
      if (!arg.values.empty()) return std::nullopt;
      size = found->second;
    }
  }
  return out;
}

// A small multiple of the sample's own elements: variants are to be as quick as samples.
constexpr int64_t kMostGrowth = 4;

int64_t elements_of(const Sample& sample) {
  int64_t out = 0;
  for (const Arg& arg : sample.inputs) out += count(arg.shape);
  return out;
}

// Two sizes made equal, or all of them; the smallest ones first.
std::vector<Sample> variants_of(const Sample& sample, int64_t smallest) {
  std::vector<Sample> out;
  const std::set<int64_t> sizes = sizes_of(sample, smallest);
  const auto add = [&](const Renamed& renamed_sizes) {
    if (std::optional<Sample> variant = renamed(sample, renamed_sizes)) out.push_back(*variant);
  };
  for (const int64_t to : sizes) {
    Renamed all;
    for (const int64_t from : sizes) {
      if (from == to) continue;
      add({{from, to}});
      all.emplace_back(from, to);
    }
    if (all.size() > 1) add(all);
  }
  std::ranges::sort(out, {}, [](const Sample& variant) {
    return std::pair(elements_of(variant), shapes_of(variant));
  });
  return out;
}

bool is_accepted(const Case& c, const Sample& sample) {
  try {
    const AnyAttrs attrs = attrs_of(c.entry, sample.attrs);
    run(c.entry, inputs_of(c, sample, equal_axes_dtype(c)), attrs.data());
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::string shapes_of(const Sample& sample) {
  std::string out = sample.attrs;
  for (const Arg& arg : sample.inputs) out += text(" ", Ints(arg.shape.begin(), arg.shape.end()));
  return out;
}

DType equal_axes_dtype(const Case& c) {
  const bool has_f32 = std::ranges::find(c.dtypes, DType::kF32) != c.dtypes.end();
  return has_f32 ? DType::kF32 : c.dtypes.back();
}

std::vector<Sample> with_equal_axes(const Case& c, const std::vector<Sample>& samples,
                                    int64_t smallest, size_t most) {
  std::vector<Sample> out;
  if (!has_axes(c.entry)) return out;
  std::set<std::string> seen;
  for (const Sample& sample : samples) seen.insert(shapes_of(sample));
  for (const Sample& sample : samples) {
    size_t accepted = 0;
    for (const Sample& variant : variants_of(sample, smallest)) {
      if (accepted == most || elements_of(variant) > kMostGrowth * elements_of(sample)) break;
      if (!seen.insert(shapes_of(variant)).second || !is_accepted(c, variant)) continue;
      out.push_back(variant);
      ++accepted;
    }
  }
  return out;
}

}  // namespace weft::suite
