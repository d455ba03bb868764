// Checkpoints on disk: written in one step, verified when they are read, pruned.
#include "weft/io/checkpoint/folder.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <set>

#include "weft/base/crc32c.h"
#include "weft/base/error.h"
#include "weft/base/file.h"
#include "weft/base/folder.h"
#include "weft/base/forks.h"
#include "weft/base/log.h"
#include "weft/base/thread_pool.h"
#include "weft/io/checkpoint/index.h"
#include "weft/io/checkpoint/state_json.h"
#include "weft/io/safetensors/safetensors.h"

namespace weft::io {
namespace {

constexpr std::string_view kWho = "CheckpointManager";
constexpr std::string_view kTemporary = ".weft-saving-", kMiddle = ".step-", kIndex = "index.json";

// "000007.step-600"
std::string name_of(int64_t order, int64_t step) {
  std::string digits = text(order);
  digits.insert(0, digits.size() < 6 ? 6 - digits.size() : 0, '0');
  return text(digits, kMiddle, step);
}

std::optional<int64_t> number_in(std::string_view digits) {
  int64_t out = 0;
  const char* const end = digits.data() + digits.size();
  const auto [at, error] = std::from_chars(digits.data(), end, out);
  return error == std::errc() && at == end && out >= 0 ? std::optional(out) : std::nullopt;
}

std::optional<CheckpointFolder::Saved> saved_named(const std::string& name) {
  const size_t middle = name.find(kMiddle);
  if (middle == std::string::npos) return std::nullopt;
  const std::string_view all = name;
  const auto order = number_in(all.substr(0, middle));
  const auto step = number_in(all.substr(middle + kMiddle.size()));
  if (!order || !step) return std::nullopt;
  return CheckpointFolder::Saved{*order, *step, name};
}

void require_options(const CheckpointOptions& options) {
  if (options.max_to_keep && *options.max_to_keep < 1) {
    fail(Code::kInvalid, kWho, "max_to_keep", "max_to_keep is ", *options.max_to_keep,
         "; it is 1 or more, or none to keep all");
  }
  if (options.best && options.best->mode != "min" && options.best->mode != "max") {
    fail(Code::kInvalid, kWho, "best", "the mode of best is '", options.best->mode,
         "'; it is 'min' or 'max'");
  }
}

// Objects give their files their names.
void require_names(const SavedState::Dict& objects) {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  std::set<std::string_view> seen;
  for (const auto& [name, state] : objects) {
    const bool fits = !name.empty() && name.front() != '.' && name.size() <= 100 &&
                      name.find_first_not_of(kLetters) == std::string::npos;
    if (!fits || !seen.insert(name).second) {
      fail(Code::kInvalid, kWho, "names", "an object is named '", name,
           "'; names are of letters, digits, _, - and ., and come once");
    }
  }
}

// The tensors of one file of a checkpoint.
class FileTensors final : public TensorsByName {
 public:
  explicit FileTensors(std::string path) : path_(std::move(path)) {}
  Tensor load(const std::string& name) override {
    if (!reader_) {
      file_.emplace(path_, kWho);
      reader_.emplace(*file_, kWho);
      for (const auto& entry : reader_->entries()) by_name_.emplace(entry.name, &entry);
    }
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) {
      fail(Code::kIo, kWho, "state", "'", path_, "' has no tensor named '", name, "'");
    }
    return reader_->load(*found->second);
  }

 private:
  const std::string path_;
  std::optional<InputFile> file_;
  std::optional<SafetensorsReader> reader_;
  std::map<std::string_view, const SafetensorsReader::Entry*> by_name_;
};

void verify(const std::string& folder, const IndexedFile& file) {
  const std::string path = text(folder, "/", file.name);
  if (file.name.find('/') != std::string::npos) {
    fail(Code::kIo, kWho, "index", "names a file elsewhere, '", file.name, "'");
  }
  const InputFile source(path, kWho);
  if (source.size() != file.bytes) {
    fail(Code::kIo, kWho, "checksum", "'", path, "' has ", source.size(), " bytes where ",
         file.bytes, " were written");
  }
  const std::string found = crc_text(crc32c(source));
  if (found != file.crc32c) {
    fail(Code::kIo, kWho, "checksum", "'", path, "' has the checksum ", found, " where ",
         file.crc32c, " was written");
  }
}

Checkpoint read_verified(const std::string& folder) {
  const std::string index_path = text(folder, "/", kIndex);
  const CheckpointIndex index = parse_index(read_file(index_path), index_path);
  for (const IndexedFile& file : index.files) verify(folder, file);
  Checkpoint out{index.step, index.metrics, index.generator, {}};
  for (const auto& [name, state] : index.objects) {
    FileTensors tensors(text(folder, "/", name, ".safetensors"));
    out.objects.emplace_back(name, state_from_json(state, tensors, kWho));
  }
  return out;
}

}  // namespace

CheckpointFolder::CheckpointFolder(std::string folder, CheckpointOptions options)
    : folder_(std::move(folder)), options_(std::move(options)) {
  require_options(options_);
}

CheckpointFolder::~CheckpointFolder() {
  const Uninterrupted whole;
  try {
    wait();
  } catch (const std::exception& error) {
    log_error("a checkpoint was not saved: ", error.what());
  }
}

// Polls without the lock: a signal handler may save, too.
void CheckpointFolder::wait() {
  constexpr auto kNap = std::chrono::milliseconds(20);
  while (true) {
    std::future<void> ended;
    {
      const std::lock_guard lock(mutex_);
      if (!under_way_.valid()) return;
      if (forks_ != forks_so_far()) {
        // The parent saves it. The future is leaked: its destructor would wait for a thread that
        // this process does not have.
        new std::future<void>(std::move(under_way_));
        return;
      }
      if (under_way_.wait_for(kNap) == std::future_status::ready) ended = std::move(under_way_);
    }
    if (ended.valid()) return ended.get();
    poll_interrupt();
  }
}

void CheckpointFolder::save(Checkpoint checkpoint) {
  if (checkpoint.step < 0) {
    fail(Code::kInvalid, kWho, "step", "step is ", checkpoint.step, "; it is 0 or more");
  }
  if (options_.best && !checkpoint.metrics.empty() &&
      !checkpoint.metrics.contains(options_.best->metric)) {
    std::vector<std::string> names;
    for (const auto& [name, value] : checkpoint.metrics) names.push_back(name);
    fail(Code::kInvalid, kWho, "metric", "the metrics are ", names, ", but the best is chosen by '",
         options_.best->metric, "'");
  }
  require_names(checkpoint.objects);
  wait();
  if (!options_.asynchronous) return write(checkpoint);
  const std::lock_guard lock(mutex_);
  forks_ = forks_so_far();
  under_way_ = std::async(std::launch::async, [this, moved = std::move(checkpoint)]() mutable {
    const Checkpoint held = std::move(moved);  // and let go of with the task, not the future
    write(held);
  });
}

void CheckpointFolder::write(const Checkpoint& checkpoint) const {
  static constinit std::atomic<uint64_t> counter{0};
  make_folders(folder_, kWho);
  const FolderLock lock(folder_, kWho);
  remove_litter();
  const std::string temporary =
      text(folder_, "/", kTemporary, int64_t{getpid()}, "-", counter.fetch_add(1));
  const std::vector<Saved> before = saved();
  const int64_t order = before.empty() ? 1 : before.back().order + 1;
  const Saved newest{order, checkpoint.step, name_of(order, checkpoint.step)};
  try {
    write_files(checkpoint, temporary);
    rename_durably(temporary, path_of(newest), kWho);
  } catch (...) {
    try {
      remove_all(temporary, kWho);
    } catch (const Error&) {
    }
    throw;
  }
  prune(newest);
}

void CheckpointFolder::write_files(const Checkpoint& checkpoint,
                                   const std::string& temporary) const {
  make_folders(temporary, kWho);
  CheckpointIndex index{checkpoint.step, checkpoint.metrics, checkpoint.generator, {}, {}};
  for (const auto& [name, state] : checkpoint.objects) {
    NamedTensors tensors;
    index.objects.emplace_back(name, state_to_json(state, tensors, kWho));
    if (tensors.empty()) continue;
    const std::string file_name = name + ".safetensors";
    OutputFile file(text(temporary, "/", file_name), kWho);
    ChecksumSink sink(file);
    write_safetensors(sink, tensors, {}, kWho);
    file.finish();
    index.files.push_back({file_name, sink.size(), crc_text(sink.crc())});
  }
  OutputFile file(text(temporary, "/", kIndex), kWho);
  file.write(index_text(index));
  file.finish();
  sync_folder(temporary, kWho);
}

// The lock is held, so nobody else is writing what has a temporary name.
void CheckpointFolder::remove_litter() const {
  for (const std::string& name : names_in(folder_)) {
    if (name.starts_with(kTemporary)) remove_all(text(folder_, "/", name), kWho);
  }
}

// Under another name first: a checkpoint of which only a part is left must not look like one.
void CheckpointFolder::remove(const Saved& saved) const {
  const std::string temporary = text(folder_, "/", kTemporary, saved.name);
  rename_durably(path_of(saved), temporary, kWho);
  remove_all(temporary, kWho);
}

void CheckpointFolder::prune(const Saved& newest) const {
  for (const std::string& name : names_in(folder_)) {  // the same step, saved before
    const std::optional<Saved> one = saved_named(name);
    if (one && one->step == newest.step && one->order < newest.order) remove(*one);
  }
  if (!options_.max_to_keep) return;
  const std::vector<Saved> all = saved();
  const std::optional<Saved> best = best_of(all);
  const auto keep = static_cast<size_t>(*options_.max_to_keep);
  for (size_t i = 0; i + keep < all.size(); ++i) {
    if (!best || all[i].order != best->order) remove(all[i]);
  }
}

std::vector<CheckpointFolder::Saved> CheckpointFolder::saved() const {
  std::map<int64_t, Saved> by_step;
  for (const std::string& name : names_in(folder_)) {
    const std::optional<Saved> one = saved_named(name);
    if (!one) continue;
    const auto [at, is_new] = by_step.emplace(one->step, *one);
    if (!is_new && one->order > at->second.order) at->second = *one;
  }
  std::vector<Saved> out;
  for (auto& [step, one] : by_step) out.push_back(std::move(one));
  std::sort(out.begin(), out.end(),
            [](const Saved& a, const Saved& b) { return a.order < b.order; });
  return out;
}

std::vector<int64_t> CheckpointFolder::steps() const {
  std::vector<int64_t> out;
  for (const Saved& one : saved()) out.push_back(one.step);
  std::sort(out.begin(), out.end());
  return out;
}

Checkpoint CheckpointFolder::load(const Saved& saved) const {
  try {
    Checkpoint out = read_verified(path_of(saved));
    if (out.step != saved.step) {
      fail(Code::kIo, kWho, "index", "it says that it is of step ", out.step);
    }
    return out;
  } catch (const Error& error) {
    if (error.code != Code::kIo) throw;
    std::vector<int64_t> others = steps();
    std::erase(others, saved.step);
    fail(Code::kIo, kWho, "corrupt", "the checkpoint of step ", saved.step, " in '", folder_,
         "' is damaged: ", error.message, "; others are of the steps ", others);
  }
}

Checkpoint CheckpointFolder::load(int64_t step) const {
  for (const Saved& one : saved()) {
    if (one.step == step) return load(one);
  }
  fail(Code::kInvalid, kWho, "step", "there is no checkpoint of step ", step, " in '", folder_,
       "'; there are those of the steps ", steps());
}

std::optional<Checkpoint> CheckpointFolder::load_latest(bool skip_corrupt) const {
  std::vector<Saved> all = saved();
  if (all.empty()) return std::nullopt;
  for (; !all.empty(); all.pop_back()) {
    try {
      return load(all.back());
    } catch (Error& error) {
      if (error.law != "corrupt") throw;
      if (!skip_corrupt || all.size() == 1) {
        throw error.note("skip_corrupt takes the one that was saved before it");
      }
      log_warning(error.what(), "; the one of step ", all[all.size() - 2].step, " is used");
    }
  }
  return std::nullopt;
}

std::optional<CheckpointFolder::Saved> CheckpointFolder::best_of(
    const std::vector<Saved>& all) const {
  if (!options_.best) return std::nullopt;
  std::optional<Saved> out;
  double best = 0;
  for (const Saved& one : all) {
    double value = NAN;
    try {
      const std::string path = text(path_of(one), "/", kIndex);
      const CheckpointIndex index = parse_index(read_file(path), path);
      const auto found = index.metrics.find(options_.best->metric);
      if (found != index.metrics.end()) value = found->second;
    } catch (const Error& error) {  // a damaged one is not the best; loading it says what is wrong
      if (error.code == Code::kInterrupted) throw;
    }
    if (std::isnan(value)) continue;
    const bool is_better = options_.best->mode == "min" ? value < best : value > best;
    if (out && !is_better) continue;
    out = one;
    best = value;
  }
  return out;
}

std::optional<int64_t> CheckpointFolder::best_step() const {
  const std::optional<Saved> best = best_of(saved());
  return best ? std::optional(best->step) : std::nullopt;
}

}  // namespace weft::io
