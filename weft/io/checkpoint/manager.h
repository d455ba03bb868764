// CheckpointManager: saves what a run consists of, and restores it exactly.
//
//   CheckpointManager manager("run", {{"model", model}, {"optimizer", optimizer}});
//   int64_t step = manager.restore_latest().value_or(0);
//   for (; step < 1000; ++step) { ...; if (step % 100 == 0) manager.save(step); }
#pragma once

#include <functional>

#include "weft/io/checkpoint/folder.h"

namespace weft {

// Something that gives its state and takes it back: a model, an optimizer, an iterator.
template <class T, class Given>
concept TakesState = requires(T& object, const Given& given) { object.load_state_dict(given); };
template <class T>
concept HasState = requires(T& object) {
  { object.state_dict() } -> std::convertible_to<SavedState>;
} && (TakesState<T, SavedState> || TakesState<T, TensorDict>);

// One object of a manager. It is referred to, and must live as long.
struct Kept {
  std::function<SavedState()> state;
  std::function<void(const SavedState&)> load;

  Kept(std::function<SavedState()> give, std::function<void(const SavedState&)> take)
      : state(std::move(give)), load(std::move(take)) {}
  template <HasState T>
  Kept(T& object)  // NOLINT(google-explicit-constructor)
      : state([&object]() -> SavedState { return object.state_dict(); }),
        load([&object](const SavedState& state) {
          if constexpr (TakesState<T, SavedState>) {
            object.load_state_dict(state);
          } else {
            object.load_state_dict(state.tensors());
          }
        }) {}
  Kept(const Variable& variable)  // NOLINT(google-explicit-constructor)
      : state([variable]() -> SavedState { return variable; }),
        load([variable](const SavedState& state) { variable.assign(state.tensor()); }) {}
};

class CheckpointManager {
 public:
  using Objects = std::vector<std::pair<std::string, Kept>>;
  CheckpointManager(std::string folder, Objects objects, CheckpointOptions options = {});

  // The state of all objects and of the default generator.
  void save(int64_t step, const MetricValues& metrics = {});
  void wait() { folder_.wait(); }

  // Gives the objects the state they had; `partial` restores those that the checkpoint and the
  // manager both have, where [CheckpointManager.objects] would be raised. If an object does not
  // take its state, the others get back what they had.
  void restore(int64_t step, bool partial = false);
  std::optional<int64_t> restore_latest(bool skip_corrupt = false, bool partial = false);

  std::vector<int64_t> steps() const { return folder_.steps(); }
  std::optional<int64_t> best_step() const { return folder_.best_step(); }

 private:
  void apply(const io::Checkpoint& checkpoint, bool partial);
  const Objects objects_;
  io::CheckpointFolder folder_;
};

namespace io {
// Raises [CheckpointManager.objects] unless both have the same names.
void require_same_objects(const std::vector<std::string>& saved,
                          const std::vector<std::string>& kept, int64_t step);
}  // namespace io

}  // namespace weft
