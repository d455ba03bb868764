// CheckpointFolder: checkpoints on disk. Each is a folder of its own, which appears in one step.
//
//   run/
//     000007.step-600/   the seventh save, of step 600
//       index.json       step, metrics, the generator, states; checksums of the other files and of
//                        itself
//       model.safetensors, optimizer.safetensors, ...
//     .weft-saving-...   a save that is under way, or was killed; the next save removes it
//
// A writer holds the lock of the folder. It writes everything under a temporary name, makes it
// durable, and renames: so a checkpoint is there with all of its files, or not at all.
#pragma once

#include <future>
#include <mutex>
#include <optional>

#include "weft/base/long_mutex.h"
#include "weft/io/checkpoint/state.h"
#include "weft/ops/random/key.h"

namespace weft {

using MetricValues = std::map<std::string, double, std::less<>>;

// Which checkpoint is best: the one of the least ("min") or greatest ("max") value of a metric.
struct Best {
  std::string metric;
  std::string mode = "min";
};

struct CheckpointOptions {
  std::optional<int64_t> max_to_keep = 5;  // the last ones; nothing: all
  std::optional<Best> best = {};           // is kept beside them
  bool asynchronous = false;               // `save` returns at once; see `wait`
};

namespace io {

struct Checkpoint {
  int64_t step = 0;
  MetricValues metrics;
  random::GeneratorState generator;
  SavedState::Dict objects;
};

class CheckpointFolder {
 public:
  CheckpointFolder(std::string folder, CheckpointOptions options);
  ~CheckpointFolder();  // waits; logs what `wait` would have raised
  CheckpointFolder(const CheckpointFolder&) = delete;
  CheckpointFolder& operator=(const CheckpointFolder&) = delete;

  // Writes a checkpoint, then removes those that are not to be kept and what killed saves left
  // behind. Tensors never change, so an asynchronous save copies nothing. It raises what the one
  // before it has met with; one is under way at a time.
  void save(Checkpoint checkpoint);
  // Until the save under way is done; raises what it has met with.
  void wait();

  struct Saved {
    int64_t order = 0, step = 0;  // saves are counted by `order`
    std::string name;             // of its folder
  };
  // Those on disk, in the order they were saved; one per step.
  std::vector<Saved> saved() const;
  std::vector<int64_t> steps() const;  // ascending
  // Reads one and verifies its checksums; raises [CheckpointManager.corrupt] if something is wrong.
  Checkpoint load(const Saved& saved) const;
  Checkpoint load(int64_t step) const;  // raises [CheckpointManager.step] if there is none
  // The last one saved; nothing if there is none. One that is damaged raises, unless
  // `skip_corrupt`: then it is reported in the log and the one before is taken.
  std::optional<Checkpoint> load_latest(bool skip_corrupt) const;
  std::optional<int64_t> best_step() const;

  const std::string& path() const { return folder_; }
  const CheckpointOptions& options() const { return options_; }

 private:
  void write(const Checkpoint& checkpoint) const;
  void write_files(const Checkpoint& checkpoint, const std::string& temporary) const;
  void remove_litter() const;
  void prune(const Saved& newest) const;
  void remove(const Saved& saved) const;
  std::string path_of(const Saved& saved) const { return folder_ + "/" + saved.name; }
  std::optional<Saved> best_of(const std::vector<Saved>& all) const;

  const std::string folder_;
  const CheckpointOptions options_;
  LongMutex mutex_;
  std::future<void> under_way_;
  int forks_ = 0;  // forks_so_far() when under_way_ started
};

}  // namespace io
}  // namespace weft
