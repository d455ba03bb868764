// What a call does, seen by hooks and by an observer of ops; and the table.
#include "weft/nn/summary.h"

#include <algorithm>
#include <array>
#include <map>

#include "weft/base/grouped.h"
#include "weft/base/spoken.h"
#include "weft/nn/module.h"
#include "weft/op/levels.h"
#include "weft/op/observe.h"
#include "weft/ops/creation/creation.h"
#include "weft/transform/custom.h"

namespace weft::nn {
namespace {

int64_t size_of(const std::vector<Variable>& variables, bool only_frozen = false) {
  int64_t out = 0;
  for (const Variable& one : variables) {
    if (!only_frozen || !one.trainable()) out += one.value().numel();
  }
  return out;
}

int64_t bytes_of(const Tensor& x) { return x.numel() * weft::size_of(x.dtype()); }

// Has it made nothing, but views of its inputs?
bool is_view(const Observation& seen) {
  const auto is_inside = [&](const Tensor& out) {
    return std::ranges::any_of(seen.inputs, [&](const Tensor& in) {
      const auto *at = static_cast<const char*>(out.data()),
                 *start = static_cast<const char*>(in.data());
      return start <= at && at < start + std::max<int64_t>(bytes_of(in), 1);
    });
  };
  return std::ranges::all_of(seen.outputs, is_inside);
}

// Modes and hooks of modules as they were before.
class Undone {
 public:
  explicit Undone(ModuleBase& module) {
    for (ModuleBase* const one : module.modules()) modes_.emplace_back(one, one->training);
  }
  ~Undone() {
    for (const Hook& hook : hooks) hook.remove();
    for (const auto& [module, mode] : modes_) {
      module->training = mode;
      module->forget_removed_hooks();
    }
  }
  Undone(const Undone&) = delete;
  Undone& operator=(const Undone&) = delete;

  std::vector<Hook> hooks;

 private:
  std::vector<std::pair<ModuleBase*, bool>> modes_;
};

std::string shapes_of(TensorSpan all) {
  std::string out;
  for (const Tensor& one : all) {
    if (one.defined()) out += text(out.empty() ? "" : ", ", one.shape());
  }
  return out;
}

constexpr SpokenUnit kThousands[] = {
    {1'000'000'000'000, "T"}, {1'000'000'000, "G"}, {1'000'000, "M"}, {1'000, "k"}, {1, ""}};

constexpr size_t kColumns = 5;
using Line = std::array<std::string, kColumns>;

// `above` are the names of the modules around it, and become those around the next row. Lists and
// dicts that hold modules have no rows: their names stay with what they hold, blocks.0.
Line line_of(const Summary::Row& row, std::vector<std::string>& above) {
  while (!above.empty() && !above.back().empty() && !row.name.starts_with(above.back() + ".")) {
    above.pop_back();
  }
  const bool is_below = !above.empty() && !above.back().empty();
  const std::string last = is_below ? row.name.substr(above.back().size() + 1) : row.name;
  const size_t depth = above.size();
  above.push_back(row.name);
  return {text(std::string(2 * depth, ' '), last, last.empty() ? "" : ": ", row.type), row.results,
          row.parameters == 0 ? "" : grouped(text(row.parameters)),
          spoken(row.operations, kThousands), row.bytes == 0 ? "" : spoken_bytes(row.bytes)};
}

// Letters, not bytes: names may have any.
size_t letters(const std::string& cell) {
  return static_cast<size_t>(std::ranges::count_if(
      cell, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

// Words to the left, numbers to the right.
std::string laid_out(const Line& line, const std::array<size_t, kColumns>& widths) {
  std::string out;
  for (size_t k = 0; k < kColumns; ++k) {
    const std::string room(widths[k] - letters(line[k]), ' ');
    out += text(k > 0 ? "  " : "", k < 2 ? line[k] : room, k < 2 ? room : line[k]);
  }
  return out.substr(0, out.find_last_not_of(' ') + 1);
}

}  // namespace

int64_t operations_of(std::string_view op, TensorSpan inputs, TensorSpan outputs) {
  int64_t out = 0;
  for (const Tensor& one : outputs) out += one.numel();
  if (op == "matmul") return 2 * out * inputs[0].dim(-1).value();
  if (op == "conv") {  // its weight is [space.., in_channels / groups, out_channels]
    const Tensor &x = inputs[0], &weight = inputs[1];
    const auto by = [&](int64_t count, const Tensor& channels) {
      return 2 * count * (weight.numel() / std::max<int64_t>(channels.dim(-1).value(), 1));
    };
    // What every result reads, or every input goes into: strides leave inputs out, transposed
    // convolutions results.
    return std::min(by(out, weight), by(x.numel(), x));
  }
  if (op.ends_with(".scan")) {  // of a recurrent layer: the product in every step
    return out + 2 * inputs[0].numel() * inputs[1].dim(-1).value();
  }
  if (op == "flash_attention") {  // scores, and the sum by them
    return 4 * inputs[0].numel() * inputs[1].dim(-2).value();
  }
  return out;
}

Tensor detail::as_input(const Shape& shape) { return zeros(shape); }

Summary detail::summarized(ModuleBase& module, FunctionRef<void()> call) {
  Summary out;
  const auto named = module.named_modules();
  std::map<const ModuleBase*, size_t> places;
  for (const auto& [name, each] : named) {
    places[each] = out.rows.size();
    out.rows.push_back({name, each->type_name(), {}});
  }
  Undone undone(module);
  std::vector<size_t> open;  // rows of the modules that are being called
  for (const auto& [name, each] : named) {
    each->training = false;
    undone.hooks.push_back(each->register_forward_pre_hook(
        [&](const ModuleBase& one, TensorSpan) { open.push_back(places.at(&one)); }));
    undone.hooks.push_back(
        each->register_forward_hook([&](const ModuleBase&, TensorSpan, TensorSpan outputs) {
          out.rows[open.back()].results = shapes_of(outputs);
          open.pop_back();
        }));
  }
  {
    const NoGrad no_grad;
    const bool draws =
        std::ranges::any_of(named, [](const auto& each) { return each.second->is_pending(); });
    if (draws) {  // sizes that the first call tells: drawing parameters is no part of a call
      call();
    }
    const Observe count([&](const Observation& seen) {
      if (is_view(seen)) return;
      const std::string_view op = shown_name(seen.op, seen.attrs);
      const int64_t operations = operations_of(op, seen.inputs, seen.outputs);
      int64_t bytes = 0;
      for (const Tensor& one : seen.outputs) bytes += bytes_of(one);
      for (size_t k = 0; k < open.size(); ++k) {
        if (std::find(open.begin(), open.begin() + static_cast<std::ptrdiff_t>(k), open[k]) !=
            open.begin() + static_cast<std::ptrdiff_t>(k)) {
          continue;  // a module that calls itself
        }
        out.rows[open[k]].operations += operations;
        out.rows[open[k]].bytes += bytes;
      }
    });
    call();
  }
  for (const auto& [name, each] : named) {
    out.rows[places.at(each)].parameters = size_of(each->parameters());
  }
  out.parameters = size_of(module.parameters());
  out.frozen = size_of(module.parameters(), /*only_frozen=*/true);
  out.operations = out.rows[0].operations;
  out.bytes = out.rows[0].bytes;
  return out;
}

void append_text(std::string& out, const Summary& summary) {
  std::vector<Line> lines{{"module", "result", "parameters", "operations", "memory"}};
  std::vector<std::string> above;
  for (const Summary::Row& row : summary.rows) lines.push_back(line_of(row, above));
  std::array<size_t, kColumns> widths{};
  for (const Line& line : lines) {
    for (size_t k = 0; k < kColumns; ++k) widths[k] = std::max(widths[k], letters(line[k]));
  }
  std::vector<std::string> shown;
  size_t widest = 0;
  for (const Line& line : lines) {
    shown.push_back(laid_out(line, widths));
    widest = std::max(widest, letters(shown.back()));
  }
  const std::string rule(widest, '-');
  out += text(shown[0], '\n', rule, '\n');
  for (size_t k = 1; k < shown.size(); ++k) out += text(shown[k], '\n');
  const std::string operations = spoken(summary.operations, kThousands);
  out += text(rule, '\n', grouped(text(summary.parameters)), " parameters");
  if (summary.frozen > 0) out += text(", ", grouped(text(summary.frozen)), " of them frozen");
  out += text("; ", operations.empty() ? "0" : operations, " operations a call; ",
              spoken_bytes(summary.bytes), " of results");
}

}  // namespace weft::nn
