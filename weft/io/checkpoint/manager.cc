// The objects of a run, and their states in checkpoints.
#include "weft/io/checkpoint/manager.h"

#include <algorithm>

#include "weft/base/error.h"

namespace weft {

CheckpointManager::CheckpointManager(std::string folder, Objects objects, CheckpointOptions options)
    : objects_(std::move(objects)), folder_(std::move(folder), std::move(options)) {}

void CheckpointManager::save(int64_t step, const MetricValues& metrics) {
  io::Checkpoint checkpoint{step, metrics, random::generator_state(), {}};
  for (const auto& [name, kept] : objects_) checkpoint.objects.emplace_back(name, kept.state());
  folder_.save(std::move(checkpoint));
}

void CheckpointManager::restore(int64_t step, bool partial) {
  folder_.wait();
  apply(folder_.load(step), partial);
}

std::optional<int64_t> CheckpointManager::restore_latest(bool skip_corrupt, bool partial) {
  folder_.wait();
  const std::optional<io::Checkpoint> latest = folder_.load_latest(skip_corrupt);
  if (!latest) return std::nullopt;
  apply(*latest, partial);
  return latest->step;
}

void CheckpointManager::apply(const io::Checkpoint& checkpoint, bool partial) {
  const SavedState all = SavedState::dict(checkpoint.objects);
  if (!partial) {
    std::vector<std::string> saved, kept;
    for (const auto& [name, state] : checkpoint.objects) saved.push_back(name);
    for (const auto& [name, object] : objects_) kept.push_back(name);
    io::require_same_objects(saved, kept, checkpoint.step);
  }
  std::vector<std::pair<const Kept*, SavedState>> before;
  try {
    for (const auto& [name, kept] : objects_) {
      const SavedState* const state = all.find(name);
      if (state == nullptr) continue;
      before.emplace_back(&kept, kept.state());
      kept.load(*state);
    }
  } catch (...) {
    for (const auto& [kept, state] : before) {
      try {
        kept->load(state);
      } catch (...) {  // the one that would not take its state; the first reason is told
      }
    }
    throw;
  }
  random::set_generator_state(checkpoint.generator);
}

void io::require_same_objects(const std::vector<std::string>& saved,
                              const std::vector<std::string>& kept, int64_t step) {
  std::vector<std::string> a = saved, b = kept;
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  if (a == b) return;
  fail(Code::kInvalid, "CheckpointManager", "objects", "the checkpoint of step ", step, " has ", a,
       ", but the manager keeps ", b, "; partial restores what both have");
}

}  // namespace weft
