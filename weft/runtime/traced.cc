// The cache of traces: which one fits, why none does, and calls.
#include "weft/runtime/traced.h"

#include <algorithm>
#include <thread>

#include "weft/base/error.h"
#include "weft/base/fail_at.h"
#include "weft/base/log.h"
#include "weft/control/ops.h"
#include "weft/op/apply.h"
#include "weft/op/context.h"
#include "weft/op/levels.h"
#include "weft/op/record.h"
#include "weft/ops/shape/shape_ops.h"
#include "weft/runtime/as_called.h"
#include "weft/runtime/donor.h"
#include "weft/runtime/executable.h"
#include "weft/trace/quiet.h"

namespace weft {
namespace {

// Axes of size 1 broadcast, and of no elements there is often another result: both sizes are part
// of the signature.
bool is_special(Dim size) { return size == Dim(0) || size == Dim(1); }

bool is_plain(TensorSpan in) {
  for (const Tensor& t : in) {
    if (!t.is_concrete()) return false;
  }
  return true;
}

// A dtype and a rank in one number.
Dim type_mark(const Tensor& t) { return static_cast<int64_t>(t.dtype()) * 64 + t.rank(); }

// The number of tensors, and dtype, rank and sizes of each. Empty if symbols are among the sizes:
// what they stand for may change.
std::vector<Dim> sizes_of(TensorSpan in) {
  std::vector<Dim> out = {static_cast<int64_t>(in.size())};
  for (const Tensor& t : in) {
    out.push_back(type_mark(t));
    for (const Dim dim : t.shape()) {
      if (!dim.is_known()) return {};
      out.push_back(dim);
    }
  }
  return out;
}

bool are_sizes_of(std::span<const Dim> sizes, TensorSpan in) {
  if (!(sizes[0] == static_cast<int64_t>(in.size()))) return false;
  size_t next = 1;
  for (const Tensor& t : in) {
    const ShapeView shape = t.shape();
    if (next + 1 + shape.size() > sizes.size()) return false;
    if (!(sizes[next++] == type_mark(t))) return false;
    for (const Dim dim : shape) {
      if (!(sizes[next++] == dim)) return false;
    }
  }
  return next == sizes.size();
}

// The sizes of the arguments for the symbols of the parameters; nothing if they do not fit.
std::optional<std::vector<DimBinding>> fitted(const TraceEntry& entry, TensorSpan in) {
  const ir::Function& f = *entry.trace.function;
  if (in.size() != entry.parameters) return {};
  std::vector<DimBinding> out;
  for (size_t i = 0; i < in.size(); ++i) {
    const Type& type = f.parameter_type(i);
    if (in[i].dtype() != type.dtype || in[i].rank() != type.rank()) return {};
    for (size_t axis = 0; axis < type.shape.size(); ++axis) {
      const Dim want = type.shape[axis], have = in[i].shape()[axis];
      if (want.is_known() || is_special(have)) {
        if (!(want == have)) return {};
        continue;
      }
      const auto found = std::find_if(out.begin(), out.end(),
                                      [&](const DimBinding& one) { return one.symbol == want; });
      if (found == out.end()) {
        out.push_back({want, have});
      } else if (decide_same(found->value, have) == Tri::kNo) {
        return {};
      }
    }
  }
  return out;
}

const ir::Assumption* first_broken(const ir::Function& f, std::span<const DimBinding> bindings) {
  for (const ir::Assumption& one : f.assumptions) {
    if (!one.holds(bindings)) return &one;
  }
  return nullptr;
}

// Does no result depend on a parameter, or only through stop_gradient?
bool is_cut(const ir::Function& f) {
  std::vector<bool> has_slope(f.graph.values().size(), false);
  const auto may_have = [&](ir::ValueId id) {
    return is_differentiable(f.graph.value(id).type.dtype);
  };
  for (const ir::ValueId id : f.graph.parameters()) has_slope[id] = may_have(id);
  for (const ir::Node& node : f.graph.nodes()) {
    if (node.op == &kStopGradient) continue;
    if (!std::ranges::any_of(node.inputs, [&](ir::ValueId id) { return has_slope[id]; })) continue;
    for (const ir::ValueId id : node.outputs) has_slope[id] = may_have(id);
  }
  return std::ranges::none_of(f.results, [&](ir::ValueId id) { return has_slope[id]; });
}

std::string argument(size_t i, const std::vector<std::string>& names) {
  return i < names.size() ? text("`", names[i], "`") : text("argument ", i);
}

// "params['w']" is params_w in the graph, whose names are letters, digits and lines.
std::string plain_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool is_plain =
        c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (is_plain) out += c;
    if (!is_plain && !out.empty() && out.back() != '_') out += '_';
  }
  while (out.ends_with('_')) out.pop_back();
  return out.empty() || (out[0] >= '0' && out[0] <= '9') ? "" : out;
}

// Each extent is a symbol, but for those of special sizes.
struct Symbols {
  std::vector<TraceParameter> parameters;
  std::vector<DimBinding> hints;

  Symbols(TensorSpan in, const TracedOptions& options, const std::vector<std::string>& names,
          Where where, bool is_exact) {
    for (size_t i = 0; i < in.size(); ++i) {
      Type type = in[i].type();
      const bool is_given = i < options.signature.size() && options.signature[i].has_value();
      for (size_t axis = 0; axis < type.shape.size(); ++axis) {
        Dim& dim = type.shape[axis];
        const Dim size = dim;
        if (is_given && options.signature[i]->shape[axis].is_known()) continue;
        if (is_special(size) || is_exact) continue;
        dim = is_given ? options.signature[i]->shape[axis] : next_symbol();
        if (const std::optional<int64_t> hint = hinted_value(size)) hints.push_back({dim, *hint});
      }
      const std::string name = i < names.size() ? plain_name(names[i]) : "";
      parameters.push_back({type, name.empty() ? text("x", i) : name, where});
    }
  }

 private:
  Dim next_symbol() {
    static constexpr std::string_view kLetters[] = {"n", "m", "k", "p", "q", "r", "s", "t"};
    const size_t i = count_++;
    return Dim::symbol(i < std::size(kLetters) ? std::string(kLetters[i]) : text("n", i));
  }
  size_t count_ = 0;
};

// A call that is part of another trace has raised, maybe because of what it assumed. If a handler
// takes that, what goes on in the other trace holds where these assumptions do.
void assume_too(const TraceUntil& raised, TensorSpan in) {
  if (innermost_staging() == nullptr) return;
  std::vector<DimBinding> bindings;
  for (size_t i = 0; i < raised.parameters.size(); ++i) {
    const Shape& shape = raised.parameters[i].shape;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      if (!shape[axis].is_known()) bindings.push_back({shape[axis], in[i].shape()[axis]});
    }
  }
  for (const ir::Assumption& one : raised.assumptions) one.holds(bindings);
}

}  // namespace

TracedFunction::TracedFunction(TracedOptions options) : options_(std::move(options)) {
  if (options_.max_traces == 0) {
    fail(Code::kInvalid, "function", "max_traces",
         "max_traces is 0, so that no call could be traced; it is at least 1");
  }
  register_control_ops();
}

std::string TracedFunction::why_not(const TraceEntry& entry, TensorSpan in,
                                    const std::string& statics, const ReadsOutside& outside,
                                    const CallWords& words, const Names& names) const {
  const ir::Function& f = *entry.trace.function;
  if (statics != entry.statics) {
    return text(words.what_changed
                    ? words.what_changed(entry)
                    : text("what is no tensor changed from ", entry.statics, " to ", statics),
                "; pass numbers that vary as tensors");
  }
  for (size_t i = 0; i < std::min(in.size(), entry.parameters); ++i) {
    const Type& type = f.parameter_type(i);
    if (in[i].dtype() != type.dtype) {
      return text(argument(i, names), " was ", type.dtype, " and is ", in[i].dtype());
    }
    if (in[i].rank() != type.rank()) {
      return text(argument(i, names), " had ", type.rank(), " axes and has ", in[i].rank());
    }
    for (size_t axis = 0; axis < type.shape.size(); ++axis) {
      const Dim want = type.shape[axis], have = in[i].shape()[axis];
      if ((want.is_known() || is_special(have)) && !(want == have)) {
        return text(
            "axis ", axis, " of ", argument(i, names), " had size ", want, " and has ", have,
            is_special(want) || is_special(have) ? "; sizes 0 and 1 are traces of their own" : "");
      }
    }
  }
  const std::optional<std::vector<DimBinding>> bindings = fitted(entry, in);
  if (bindings) {
    if (const ir::Assumption* const broken = first_broken(f, *bindings)) {
      std::string sizes;
      for (const DimBinding& one : *bindings) {
        sizes += text(sizes.empty() ? "" : ", ", one.symbol, " = ", one.value);
      }
      return text("it was assumed that ", to_string(*broken),
                  broken->where.known() ? text(" at ", weft::to_string(broken->where)) : "",
                  ", and now ", sizes);
    }
  }
  return outside.what_changed ? outside.what_changed(entry)
                              : "a value that it read outside of its arguments has changed";
}

// The trace that differs least: what a call is compared with to say why it needs another.
const TraceEntry& TracedFunction::closest(std::span<const Shared<const TraceEntry>> entries,
                                          TensorSpan in, const std::string& statics) const {
  const auto likeness = [&](const TraceEntry& entry) {
    size_t out = 0;
    const size_t count = std::min(in.size(), entry.parameters);
    for (size_t i = 0; i < count; ++i) {
      const Type& type = entry.trace.function->parameter_type(i);
      out += 2 * (in[i].dtype() == type.dtype) + (in[i].rank() == type.rank());
    }
    return 4 * out + (entry.statics == statics);
  };
  const TraceEntry* best = entries[0].get();
  for (const Shared<const TraceEntry>& entry : entries) {
    if (likeness(*entry) > likeness(*best)) best = entry.get();
  }
  return *best;
}

Shared<const TraceEntry> TracedFunction::recent_for(TensorSpan in, const std::string& statics,
                                                    const ReadsOutside& outside) const {
  for (size_t next = 0;;) {
    Shared<const TraceEntry> entry;
    {
      std::lock_guard lock(mutex_);
      const auto is_like = [&](const Recent& one) {
        return are_sizes_of(one.sizes, in) && one.entry->statics == statics;
      };
      while (next < recents_.size() && !is_like(recents_[next])) ++next;
      if (next >= recents_.size()) return nullptr;  // some may have gone meanwhile
      recents_[next].used = ++calls_;
      entry = recents_[next++].entry;
    }
    // Not under the lock: it may run code of the language.
    if (!outside.is_as_it_was || outside.is_as_it_was(*entry)) return entry;
  }
}

void TracedFunction::remember(const Shared<const TraceEntry>& entry, TensorSpan in) {
  std::vector<Dim> sizes = sizes_of(in);
  if (sizes.empty()) return;
  if (recents_.size() < kRecents) recents_.emplace_back();
  Recent& oldest = *std::ranges::min_element(recents_, {}, &Recent::used);
  oldest = {std::move(sizes), entry, ++calls_};
}

Shared<const TraceEntry> TracedFunction::entry_for(FlatFunction f, TensorSpan in,
                                                   const std::string& statics, Where where,
                                                   const ReadsOutside& outside,
                                                   Shared<void>* beside, const CallWords& words) {
  if (Shared<const TraceEntry> recent = recent_for(in, statics, outside)) return recent;
  std::vector<Shared<const TraceEntry>> entries;
  {
    std::lock_guard lock(mutex_);
    for (const bool is_exact : {true, false}) {  // those are for sizes that others seem to fit
      std::ranges::copy_if(entries_, std::back_inserter(entries),
                           [&](const auto& entry) { return entry->is_exact == is_exact; });
    }
  }
  for (size_t i = 0; i < entries.size(); ++i) {
    const TraceEntry& entry = *entries[i];
    if (entry.statics != statics) continue;
    const std::optional<std::vector<DimBinding>> bindings = fitted(entry, in);
    if (!bindings || first_broken(*entry.trace.function, *bindings) != nullptr) continue;
    if (outside.is_as_it_was && !outside.is_as_it_was(entry)) continue;
    std::lock_guard lock(mutex_);
    const auto found = std::find(entries_.begin(), entries_.end(), entries[i]);
    if (found != entries_.end()) {
      std::rotate(entries_.begin(), found, found + 1);
      remember(entries[i], in);
    }
    return entries[i];
  }
  const Names names = names_of(words);
  check_signature(in, where, names);
  const std::string reason =
      entries.empty()
          ? "the first call"
          : text(why_not(closest(entries, in, statics), in, statics, outside, words, names),
                 where.known() ? text("; called at ", weft::to_string(where)) : "");
  const Shared<const TraceEntry> made = traced(f, in, statics, reason, where, beside, names);
  // What it took for granted of these sizes is asked of the trace in which it is called.
  if (const auto bindings = fitted(*made, in)) first_broken(*made->trace.function, *bindings);
  return made;
}

Shared<const TraceEntry> TracedFunction::exact_entry_for(FlatFunction f, TensorSpan in,
                                                         const std::string& statics, Where where,
                                                         Shared<void>* beside,
                                                         const CallWords& words) {
  if (!options_.signature.empty()) {
    trace_with_sizes(f, options_.name, in);
    return nullptr;
  }
  const Shared<TraceEntry> out =
      traced(f, in, statics, "the trace that fits does not run for sizes such as these", where,
             beside, names_of(words), /*is_exact=*/true);
  if (are_sizes_wrong(*out, in)) return nullptr;
  {
    std::lock_guard lock(mutex_);
    check_count(out->reason, where);
    std::erase_if(recents_, [&](const Recent& one) {
      return are_sizes_of(one.sizes, in) && one.entry->statics == statics;
    });
  }
  keep(out);
  return out;
}

void TracedFunction::check_fits(const TraceEntry& entry, TensorSpan in, const std::string& statics,
                                Where where, const CallWords& words) const {
  if (entry.statics == statics) {
    const std::optional<std::vector<DimBinding>> bindings = fitted(entry, in);
    if (bindings && first_broken(*entry.trace.function, *bindings) == nullptr) return;
  }
  fail_at(where, Code::kInvalid, options_.name, "concrete",
          "the call needs another trace: ", why_not(entry, in, statics, {}, words, names_of(words)),
          "; call the function itself, which makes one");
}

void TracedFunction::check_signature(TensorSpan in, Where where, const Names& names) const {
  if (options_.signature.empty()) return;
  if (in.size() != options_.signature.size()) {
    fail_at(where, Code::kInvalid, options_.name, "signature", "the signature has ",
            options_.signature.size(), " types, but there are ", in.size(), " tensors");
  }
  for (size_t i = 0; i < in.size(); ++i) {
    if (!options_.signature[i]) continue;
    const Type& want = *options_.signature[i];
    bool fits = in[i].dtype() == want.dtype && in[i].rank() == want.rank();
    for (size_t axis = 0; fits && axis < want.shape.size(); ++axis) {
      fits = !want.shape[axis].is_known() || want.shape[axis] == in[i].shape()[axis];
    }
    if (fits) continue;
    fail_at(where, Code::kType, options_.name, "signature", argument(i, names), " is ",
            in[i].type(), ", but the signature says ", want);
  }
}

Shared<TraceEntry> TracedFunction::traced(FlatFunction f, TensorSpan in, const std::string& statics,
                                          std::string reason, Where where, Shared<void>* beside,
                                          const Names& names, bool is_exact) {
  {
    std::lock_guard lock(mutex_);
    if (!is_exact) check_count(reason, where);
    const auto self = std::this_thread::get_id();
    if (std::find(tracing_.begin(), tracing_.end(), self) != tracing_.end()) {
      fail_at(
          where, Code::kInvalid, options_.name, "recursion",
          "calls itself while it is traced, and a graph has no end then; use while_loop or scan, "
          "or let it call itself untraced");
    }
    tracing_.push_back(self);
  }
  struct Ended {
    TracedFunction& self;
    ~Ended() {
      std::lock_guard lock(self.mutex_);
      std::erase(self.tracing_, std::this_thread::get_id());
    }
  } const ended{*this};
  const Symbols symbols(in, options_, names, where, is_exact);
  auto entry = new_shared<TraceEntry>();
  TraceUntil raised;
  try {
    entry->trace = trace_flat(f, symbols.parameters,
                              {.name = options_.name,
                               .hints = symbols.hints,
                               .stands_alone = true,
                               .until_raised = &raised});
  } catch (const Error& error) {
    assume_too(raised, in);
    if (!is_exact && is_of_arguments(error)) trace_with_sizes(f, options_.name, in);
    throw;
  } catch (...) {
    assume_too(raised, in);
    throw;
  }
  if (beside != nullptr) entry->beside = std::move(*beside);
  entry->statics = statics;
  entry->reason = std::move(reason);
  entry->is_exact = is_exact;
  entry->parameters = in.size();
  entry->is_cut = is_cut(*entry->trace.function);
  entry->variables.resize(in.size());
  for (const Captured& one : entry->trace.captured) {
    const bool is_passing = one.kind == Captured::Kind::kValue && one.value.level() > kTapeLevel;
    entry->is_single = entry->is_single || is_passing;
    const bool is_variable = one.kind == Captured::Kind::kVariable;
    if (one.is_written)
      entry->writes |= is_variable ? written_bit(one.variable.id()) : kGeneratorBit;
    entry->variables.push_back(one.variable);
  }
  if (!is_exact) keep(entry);
  return entry;
}

// Under the lock.
void TracedFunction::check_count(const std::string& reason, Where where) const {
  if (log_.size() < options_.max_traces) return;
  fail_at(where, Code::kInvalid, options_.name, "max_traces", "was traced ", log_.size(),
          " times, the last time because ", log_.back(), ", and now because ", reason,
          "; see trace_log(), or allow more by the option max_traces");
}

void TracedFunction::keep(const Shared<TraceEntry>& entry) {
  if (entry->is_single) return;
  size_t count = 0;
  {
    std::lock_guard lock(mutex_);
    entry->number = log_.size();
    log_.push_back(entry->reason);
    entries_.insert(entries_.begin(), entry);
    count = log_.size();
  }
  if (count != options_.warn_after) return;
  log_warning(options_.name, ": was traced ", count, " times, the last time because ",
              entry->reason,
              "; a trace takes as long as many calls: see trace_log(), and set the option "
              "warn_after to 0 if so many are meant [",
              options_.name, ".traces]");
}

TracedFunction::Served TracedFunction::served(FlatFunction f, TensorSpan in,
                                              const std::string& statics, Where where,
                                              Shared<void>* beside, const CallWords& words) {
  Served out{entry_for(f, in, statics, where, {}, beside, words), {}};
  const auto has_exact = [&] {
    if (!fails_for_sizes(*out.entry, in)) return false;
    const Shared<const TraceEntry> exact = exact_entry_for(f, in, statics, where, beside, words);
    if (exact != nullptr) out.entry = exact;
    return exact != nullptr;
  };
  if (innermost_staging() != nullptr) has_exact();  // it runs later, where no handler is
  try {
    out.results = call(*out.entry, in, where);
  } catch (const Error&) {
    if (!has_exact()) throw;
    out.results = call(*out.entry, in, where);
  }
  return out;
}

Tensors TracedFunction::call(const TraceEntry& entry, TensorSpan in, Where where) {
  const Writing turn(entry.writes);
  std::optional<NoGrad> no_grad;  // a tape would hold values that are to be written
  if (entry.is_cut) no_grad.emplace();
  FunctionAttr without_prints;
  if (is_quiet()) without_prints = quiet(entry.trace.function);
  const FunctionAttr& f = without_prints != nullptr ? without_prints : entry.trace.function;
  Tensors out, all;
  std::vector<bool> is_stored;
  TensorSpan given = in;
  if (!entry.trace.captured.empty()) {
    all.reserve(in.size() + entry.trace.captured.size());
    for (const Tensor& t : in) all.push_back(t);
    entry.trace.append_captured_values(all, where);
    given = all;
  }
  if (!context.is_special && is_plain(given)) {
    if (entry.writes != 0) is_stored.resize(given.size());
    const Donor donor{&all, entry.variables, &is_stored};
    out = executable_of(*f).run(given, entry.writes == 0 ? nullptr : &donor);
  } else {
    const CallAttrs attrs{f};
    out = apply_prepared(kCall, given, &attrs, where);
  }
  if (out.size() == entry.trace.result_count) return out;
  entry.trace.store_written_but(is_stored, out, where);
  out.resize(entry.trace.result_count);
  return out;
}

std::vector<std::string> TracedFunction::log() const {
  std::lock_guard lock(mutex_);
  return log_;
}

Shared<const TraceEntry> TracedFunction::newest() const {
  std::lock_guard lock(mutex_);
  const auto found = std::ranges::max_element(
      entries_, {}, [](const Shared<const TraceEntry>& entry) { return entry->number; });
  return found == entries_.end() ? nullptr : *found;
}

size_t TracedFunction::trace_count() const {
  std::lock_guard lock(mutex_);
  return log_.size();
}

}  // namespace weft
