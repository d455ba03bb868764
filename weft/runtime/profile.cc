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

}  // namespace

Profile profile(const Executable& executable, TensorSpan arguments, int64_t rounds) {
  Frame* const frame = executable.take_frame(arguments);
  if (frame == nullptr) {
    fail(Code::kInvalid, "profile", "plan", "there is no plan for such arguments; give tensors");
  }
  struct Ended {
    const Executable& executable;
    Frame* frame;
    ~Ended() { executable.give_back(frame); }
  } const ended{executable, frame};
  frame->run(arguments);
  std::vector<int64_t> times;
  for (int64_t i = 0; i < rounds; ++i) frame->run_timed(arguments, times);
  Profile out;
  out.plan = frame->shared_plan();
  out.rounds = rounds;
  for (size_t i = 0; i < times.size(); ++i) {
    const ir::Node& node = out.plan->function->graph.node(out.plan->instructions[i].node);
    out.instructions.push_back({node.name, std::string(node.op->name), node.where,
                                times[i] / std::max<int64_t>(1, rounds)});
  }
  return out;
}

std::string Profile::text() const {
  struct Sum {
    int64_t nanoseconds = 0, count = 0;
  };
  std::map<std::string, Sum> ops;
  int64_t total = 0;
  for (const InstructionTime& one : instructions) {
    Sum& sum = ops[one.op];
    sum.nanoseconds += one.nanoseconds;
    ++sum.count;
    total += one.nanoseconds;
  }
  std::vector<std::pair<std::string, Sum>> rows(ops.begin(), ops.end());
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return std::pair(-a.second.nanoseconds, a.first) < std::pair(-b.second.nanoseconds, b.first);
  });
  std::string out = weft::text(padded("op", 28), padded("times", 8), padded("us", 12), "share\n");
  for (const auto& [op, sum] : rows) {
    const int64_t share = total == 0 ? 0 : 1000 * sum.nanoseconds / total;
    out +=
        weft::text(padded(op, 28), padded(weft::text(sum.count), 8),
                   padded(microseconds(sum.nanoseconds), 12), share / 10, '.', share % 10, " %\n");
  }
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
    out += text(
        i == 0 ? "\n" : ",\n", "{\"name\": ", in_json(one.op),
        ", \"cat\": \"op\", \"ph\": \"X\", \"pid\": 1, \"tid\": 1, \"ts\": ", microseconds(now),
        ", \"dur\": ", microseconds(one.nanoseconds), ", \"args\": {\"node\": ", in_json(one.name));
    if (one.where.known()) out += text(", \"line\": ", in_json(to_string(one.where)));
    out += text("}},\n{\"name\": \"arena\", \"ph\": \"C\", \"pid\": 1, \"ts\": ", microseconds(now),
                ", \"args\": {\"bytes\": ", live[i], "}}");
    now += one.nanoseconds;
  }
  return out + "\n]}\n";
}

}  // namespace weft
