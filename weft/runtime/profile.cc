// Times by instruction, and the trace of them.
#include "weft/runtime/profile.h"

#include <algorithm>
#include <map>

#include "weft/base/error.h"
#include "weft/base/sizes.h"
#include "weft/runtime/executable.h"
#include "weft/runtime/frame.h"

namespace weft {
namespace {

std::string in_json(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      out += ' ';
    } else {
      out += c;
    }
  }
  return out + '"';
}

// Nanoseconds as microseconds with three digits behind the point.
std::string microseconds(int64_t ns) {
  const std::string rest = text(ns % 1000);
  return text(ns / 1000, '.', std::string(3 - rest.size(), '0'), rest);
}

std::string padded(std::string_view what, size_t width) {
  return what.size() >= width ? std::string(what)
                              : text(what, std::string(width - what.size(), ' '));
}

void take_mean(InstructionTime& whole, int64_t rounds) {
  for (InstructionTime& one : whole.inside) {
    one.nanoseconds /= rounds;
    one.count = (one.count + rounds - 1) / rounds;
    one.node = nullptr;
    take_mean(one, rounds);
  }
}

// The instructions of one op together, the dearest op first, each with what is inside of it.
void add_rows(std::string& out, std::span<const InstructionTime> instructions, int64_t total,
              size_t depth) {
  std::map<std::string, InstructionTime> ops;
  for (const InstructionTime& one : instructions) {
    InstructionTime& sum =
        ops.try_emplace(one.op, InstructionTime{"", one.op, {}, 0, 0}).first->second;
    sum.nanoseconds += one.nanoseconds;
    sum.count += one.count;
    sum.inside.insert(sum.inside.end(), one.inside.begin(), one.inside.end());
  }
  std::vector<InstructionTime> rows;
  for (auto& [op, sum] : ops) rows.push_back(std::move(sum));
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return std::pair(-a.nanoseconds, a.op) < std::pair(-b.nanoseconds, b.op);
  });
  for (const InstructionTime& row : rows) {
    const int64_t share = total == 0 ? 0 : 1000 * row.nanoseconds / total;
    out += text(padded(std::string(2 * depth, ' ') + row.op, 28), padded(text(row.count), 8),
                padded(microseconds(row.nanoseconds), 12), share / 10, '.', share % 10, " %\n");
    add_rows(out, row.inside, total, depth + 1);
  }
}

// The instruction as an event, and what is inside of it as events one after the other.
std::string events_of(const InstructionTime& one, int64_t begin) {
  std::string out = text(
      "{\"name\": ", in_json(one.op),
      ", \"cat\": \"op\", \"ph\": \"X\", \"pid\": 1, \"tid\": 1, \"ts\": ", microseconds(begin),
      ", \"dur\": ", microseconds(one.nanoseconds), ", \"args\": {\"node\": ", in_json(one.name));
  if (one.count != 1) out += text(", \"times\": ", one.count);
  if (one.where.known()) out += text(", \"line\": ", in_json(to_string(one.where)));
  out += "}}";
  for (const InstructionTime& inner : one.inside) {
    out += ",\n" + events_of(inner, begin);
    begin += inner.nanoseconds;
  }
  return out;
}

}  // namespace

Profile profile(const Executable& executable, TensorSpan arguments, int64_t rounds) {
  Frame* const frame = executable.take_frame(arguments);
  if (frame == nullptr) {
    fail(Code::kInvalid, "profile", "plan", "there is no plan for such arguments; give tensors");
  }
  struct Ended {
    const Executable& executable;
    Frame* frame;
    bool is_left = true;
    ~Ended() { executable.give_back(frame, is_left); }
  } ended{executable, frame};
  frame->run(arguments);
  InstructionTime whole;
  for (int64_t i = 0; i < rounds; ++i) frame->run_timed(arguments, whole);
  take_mean(whole, std::max<int64_t>(1, rounds));
  ended.is_left = false;
  return {frame->shared_plan(), std::move(whole.inside), rounds};
}

std::string Profile::text() const {
  int64_t total = 0;
  for (const InstructionTime& one : instructions) total += one.nanoseconds;
  std::string out = weft::text(padded("op", 28), padded("times", 8), padded("us", 12), "share\n");
  add_rows(out, instructions, total, 0);
  return out + weft::text(padded("all", 36), microseconds(total), '\n');
}

std::vector<int64_t> live_bytes(const RunPlan& plan) {
  std::vector<int64_t> out(plan.instructions.size(), 0);
  for (ir::ValueId id = 0; id < plan.values.size(); ++id) {
    const PlannedValue& v = plan.values[id];
    if (v.root != id || v.home != Home::kArena || v.shares) continue;
    for (uint32_t i = v.birth; i <= v.death; ++i) {
      out[i] += round_up(std::max<int64_t>(v.bytes(), 1), compile::kArenaAlignment);
    }
  }
  return out;
}

std::string chrome_trace(const Profile& profile) {
  const std::vector<int64_t> live = live_bytes(*profile.plan);
  std::string out = "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [";
  int64_t now = 0;
  for (size_t i = 0; i < profile.instructions.size(); ++i) {
    const InstructionTime& one = profile.instructions[i];
    out += text(i == 0 ? "\n" : ",\n", events_of(one, now),
                ",\n{\"name\": \"arena\", \"ph\": \"C\", \"pid\": 1, \"ts\": ", microseconds(now),
                ", \"args\": {\"bytes\": ", live[i], "}}");
    now += one.nanoseconds;
  }
  return out + "\n]}\n";
}

}  // namespace weft
