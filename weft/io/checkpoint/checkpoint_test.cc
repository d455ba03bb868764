// Checkpoints: what is restored has the bits that were saved, whatever happens to the writer.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <random>
#include <thread>

#include "weft/base/error.h"
#include "weft/base/file.h"
#include "weft/base/folder.h"
#include "weft/base/log.h"
#include "weft/base/test_folder.h"
#include "weft/core/literal.h"
#include "weft/io/checkpoint/index.h"
#include "weft/io/checkpoint/manager.h"
#include "weft/io/checkpoint/state_json.h"
#include "weft/weft.h"

namespace weft {
namespace {

class Checkpoints : public testing::Test {
 protected:
  std::string path(std::string_view name) const { return text(folder_, "/", name); }
  const TestFolder made_;
  const std::string& folder_ = made_.path();
};

// What has a state: a weight and a count.
struct Counter {
  Variable weight{zeros({3})};
  int64_t count = 0;
  double loss = NAN;

  SavedState state_dict() const {
    return SavedState::dict({{"layer.weight", weight}, {"count", count}, {"loss", loss}});
  }
  void load_state_dict(const SavedState& state) {
    weight.assign(state.at("layer.weight").tensor());
    count = state.at("count").integer();
    loss = state.at("loss").number();
  }
};

template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::vector<float> values(const Variable& v) { return v.value().to_vector<float>(); }

TEST_F(Checkpoints, give_back_the_state_of_objects_and_of_the_generator) {
  Counter model;
  const Variable scale(ones({2}), {.name = "scale"});
  CheckpointManager manager(path("run"), {{"model", model}, {"scale", scale}});
  EXPECT_EQ(manager.restore_latest(), std::nullopt);
  seed(7);
  model.weight.assign(randn({3}));
  model.count = 5;
  manager.save(1, {{"loss", NAN}});
  const std::vector<float> weight = values(model.weight);
  const std::vector<float> next = randn({4}).to_vector<float>();

  model.weight.assign(zeros({3}));
  model.count = 0;
  model.loss = 2.0;
  scale.assign(zeros({2}));
  EXPECT_EQ(manager.restore_latest(), 1);
  EXPECT_EQ(values(model.weight), weight);
  EXPECT_EQ(model.count, 5);
  EXPECT_TRUE(std::isnan(model.loss));
  EXPECT_EQ(values(scale), (std::vector<float>{1, 1}));
  EXPECT_EQ(randn({4}).to_vector<float>(), next);
  // The file of a model is plain safetensors.
  EXPECT_EQ(load(path("run/000001.step-1/model.safetensors")).begin()->first, "layer.weight");
}

TEST_F(Checkpoints, keep_the_last_and_the_best) {
  Counter model;
  CheckpointManager manager(folder_, {{"model", model}},
                            {.max_to_keep = 2, .best = Best{"loss", "min"}});
  const double losses[] = {5, 1, 3, NAN, 4};
  for (int64_t step = 0; step < 5; ++step) manager.save(step, {{"loss", losses[step]}});
  EXPECT_EQ(manager.steps(), (std::vector<int64_t>{1, 3, 4}));
  EXPECT_EQ(manager.best_step(), 1);
  manager.save(5);  // without metrics: no candidate
  EXPECT_EQ(manager.steps(), (std::vector<int64_t>{1, 4, 5}));
  EXPECT_EQ(error_of([&] { manager.save(6, {{"los", 1.0}}); }),
            "CheckpointManager: the metrics are [los], but the best is chosen by 'loss' "
            "[CheckpointManager.metric]");
}

TEST_F(Checkpoints, remove_only_what_is_theirs) {
  make_folders(path("run/.tmp-mine"), "test");
  write_file_atomically(path("run/.tmp-mine/notes"), "of the user");
  make_folders(path("run/.weft-saving-1-0"), "test");  // of a save that was killed
  Counter counter;
  CheckpointManager manager(path("run"), {{"model", counter}});
  manager.save(1);
  EXPECT_EQ(names_in(path("run")), (std::vector<std::string>{".tmp-mine", "000001.step-1"}));
  EXPECT_EQ(read_file(path("run/.tmp-mine/notes")), "of the user");
}

TEST_F(Checkpoints, count_by_the_order_of_saves) {
  Counter model;
  CheckpointManager manager(folder_, {{"model", model}}, {.max_to_keep = 2});
  for (const int64_t step : {100, 200, 50}) {
    model.count = step;
    manager.save(step);
  }
  EXPECT_EQ(manager.steps(), (std::vector<int64_t>{50, 200}));
  EXPECT_EQ(manager.restore_latest(), 50);
  model.count = 1;
  manager.save(200);  // again: in the place of the other
  model.count = 2;
  EXPECT_EQ(manager.restore_latest(), 200);
  EXPECT_EQ(model.count, 1);
  EXPECT_EQ(names_in(folder_), (std::vector<std::string>{"000003.step-50", "000004.step-200"}));
}

TEST_F(Checkpoints, are_written_beside_the_training) {
  Counter model;
  CheckpointManager manager(folder_, {{"model", model}}, {.asynchronous = true});
  for (int64_t step = 1; step <= 4; ++step) {
    model.weight.assign_add(ones({3}));  // while the one before is written
    model.count = step;
    manager.save(step);
  }
  manager.wait();
  for (int64_t step = 1; step <= 4; ++step) {
    manager.restore(step);
    EXPECT_EQ(values(model.weight), std::vector<float>(3, static_cast<float>(step)));
    EXPECT_EQ(model.count, step);
  }
}

TEST_F(Checkpoints, tell_at_the_next_save_what_the_writer_met) {
  write_file_atomically(path("file"), "x");
  Counter model;
  CheckpointManager manager(path("file/run"), {{"model", model}}, {.asynchronous = true});
  manager.save(1);
  const std::string reason = text("CheckpointManager: cannot make the folder '", path("file"),
                                  "': File exists; give a folder that can be written to");
  EXPECT_EQ(error_of([&] { manager.save(2); }), reason);
  manager.save(3);
  EXPECT_EQ(error_of([&] { manager.wait(); }), reason);
  manager.wait();  // told once
}

TEST_F(Checkpoints, need_the_same_objects) {
  Counter model, other;
  CheckpointManager(folder_, {{"model", model}}).save(3);
  CheckpointManager both(folder_, {{"model", model}, {"other", other}});
  EXPECT_EQ(error_of([&] { both.restore(3); }),
            "CheckpointManager: the checkpoint of step 3 has [model], but the manager keeps "
            "[model, other]; partial restores what both have [CheckpointManager.objects]");
  model.count = 9;
  both.restore(3, /*partial=*/true);
  EXPECT_EQ(model.count, 0);
  EXPECT_EQ(error_of([&] { both.restore(4); }),
            text("CheckpointManager: there is no checkpoint of step 4 in '", folder_,
                 "'; there are those of the steps [3] [CheckpointManager.step]"));
}

TEST_F(Checkpoints, leave_objects_as_they_were_if_one_does_not_fit) {
  Counter model;
  const Variable small(ones({2}));
  const Variable large(zeros({3}));
  model.count = 1;
  CheckpointManager(folder_, {{"model", model}, {"v", small}}).save(1);
  model.count = 2;
  model.weight.assign(ones({3}));
  CheckpointManager manager(folder_, {{"model", model}, {"v", large}});
  EXPECT_NE(error_of([&] { manager.restore(1); }).find("[assign"), std::string::npos);
  EXPECT_EQ(model.count, 2);
  EXPECT_EQ(values(model.weight), (std::vector<float>{1, 1, 1}));
}

TEST_F(Checkpoints, say_what_is_asked_for_wrongly) {
  Counter model;
  const auto made = [&](CheckpointOptions options) {
    return error_of([&] { CheckpointManager(folder_, {{"model", model}}, options); });
  };
  EXPECT_EQ(made({.max_to_keep = 0}),
            "CheckpointManager: max_to_keep is 0; it is 1 or more, or none to keep all "
            "[CheckpointManager.max_to_keep]");
  EXPECT_EQ(made({.best = Best{"loss", "least"}}),
            "CheckpointManager: the mode of best is 'least'; it is 'min' or 'max' "
            "[CheckpointManager.best]");
  EXPECT_EQ(error_of([&] { CheckpointManager(folder_, {{"a/b", model}}).save(1); }),
            "CheckpointManager: an object is named 'a/b'; names are of letters, digits, _, - and "
            "., and come once [CheckpointManager.names]");
  EXPECT_EQ(error_of([&] { CheckpointManager(folder_, {{"model", model}}).save(-1); }),
            "CheckpointManager: step is -1; it is 0 or more [CheckpointManager.step]");
}

TEST_F(Checkpoints, notice_every_flipped_bit_and_missing_byte) {
  Counter model;
  CheckpointManager manager(folder_, {{"model", model}});
  manager.save(1);
  manager.save(2);
  std::mt19937 random(1);
  for (const char* const name : {"index.json", "model.safetensors"}) {
    const std::string file = text(path("000002.step-2/"), name), whole = read_file(file);
    for (size_t at = 0; at < whole.size(); at += 1 + random() % 7) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ (1 << (random() % 8)));
      write_file_atomically(file, changed);
      const std::string said = error_of([&] { manager.restore_latest(); });
      EXPECT_TRUE(said.find("the checkpoint of step 2") != std::string::npos &&
                  said.find("[CheckpointManager.corrupt]") != std::string::npos)
          << said;
      write_file_atomically(file, std::string_view(whole).substr(0, at));
      EXPECT_NE(error_of([&] { manager.restore_latest(); }), "no error");
    }
    write_file_atomically(file, whole);
  }
  EXPECT_EQ(manager.restore_latest(), 2);
}

std::vector<std::string>& logged() {
  static std::vector<std::string> lines;
  return lines;
}

TEST_F(Checkpoints, take_the_one_before_a_damaged_one_only_if_told_so) {
  Counter model;
  CheckpointManager manager(folder_, {{"model", model}});
  manager.save(10);
  manager.save(20);
  const std::string file = path("000002.step-20/model.safetensors");
  const std::string whole = read_file(file);
  write_file_atomically(file, whole.substr(0, 50));
  const std::string said =
      text("CheckpointManager: the checkpoint of step 20 in '", folder_, "' is damaged: '", file,
           "' has 50 bytes where ", whole.size(),
           " were written; others are of the steps [10] [CheckpointManager.corrupt]");
  EXPECT_EQ(error_of([&] { manager.restore_latest(); }),
            said + "\n  skip_corrupt takes the one that was saved before it");
  set_log_sink([](LogLevel, std::string_view line) { logged().emplace_back(line); });
  EXPECT_EQ(manager.restore_latest(/*skip_corrupt=*/true), 10);
  set_log_sink(nullptr);
  EXPECT_EQ(logged(), std::vector<std::string>{said + "; the one of step 10 is used"});
}

TEST_F(Checkpoints, survive_a_disk_that_is_full) {
  Counter model;
  model.count = 1;
  const Variable large(ones({100'000}));
  CheckpointManager manager(folder_, {{"model", model}, {"large", large}});
  manager.save(1);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{50'000, before.rlim_max};
  auto* const old_action = signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string said = error_of([&] { manager.save(2); });
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, old_action);
  EXPECT_TRUE(said.starts_with("CheckpointManager: cannot write '") &&
              said.ends_with("large.safetensors': File too large; give a path in a folder that "
                             "exists, can be written to and has room"))
      << said;
  EXPECT_EQ(names_in(folder_), std::vector<std::string>{"000001.step-1"});
  EXPECT_EQ(manager.restore_latest(), 1);
  manager.save(2);
  EXPECT_EQ(manager.steps(), (std::vector<int64_t>{1, 2}));
}

TEST_F(Checkpoints, cannot_be_written_to_a_folder_that_is_read_only) {
  Counter model;
  CheckpointManager manager("/proc/self/weft", {{"model", model}});
  EXPECT_EQ(error_of([&] { manager.save(1); }),
            "CheckpointManager: cannot make the folder '/proc/self/weft': No such file or "
            "directory; give a folder that can be written to");
}

// A process that saves without end is killed at any moment: the last checkpoint that it has told of
// is there, and what it left behind is gone with the next save.
TEST_F(Checkpoints, survive_kill_9) {
  const int trials = std::getenv("WEFT_LONG") != nullptr ? 200 : 20;
  std::mt19937 random(std::random_device{}());
  int64_t step = 0;
  int killed_within = 0;
  for (int trial = 0; trial < trials; ++trial) {
    int told[2];
    ASSERT_EQ(pipe(told), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      close(told[0]);
      try {
        io::CheckpointFolder folder(folder_, {.max_to_keep = 2});
        for (int64_t next = step + 1;; ++next) {
          const Tensor data = Tensor::empty(DType::kI64, Shape{1 << 15});
          std::fill_n(static_cast<int64_t*>(data.writable_data()), 1 << 15, next);
          folder.save({next, {}, {}, {{"a", data}, {"b", data}}});
          if (write(told[1], &next, sizeof next) != sizeof next) _exit(1);
        }
      } catch (...) {
        _exit(2);
      }
    }
    close(told[1]);
    std::this_thread::sleep_for(std::chrono::microseconds(2000 + random() % 60'000));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status));
    int64_t last_told = step;
    for (int64_t next = 0; read(told[0], &next, sizeof next) == sizeof next;) last_told = next;
    close(told[0]);

    for (const std::string& name : names_in(folder_))
      killed_within += name.starts_with('.') ? 1 : 0;
    io::CheckpointFolder folder(folder_, {.max_to_keep = 2});
    const std::optional<io::Checkpoint> latest = folder.load_latest(/*skip_corrupt=*/false);
    if (last_told > 0) {
      ASSERT_TRUE(latest.has_value());
      EXPECT_GE(latest->step, last_told);  // it may have been killed before it told
      EXPECT_LE(latest->step, last_told + 1);
      for (const auto& [name, state] : latest->objects) {
        EXPECT_EQ(state.tensor().to_vector<int64_t>(), std::vector<int64_t>(1 << 15, latest->step));
      }
    }
    step = std::max(last_told, latest ? latest->step : 0) + 1;
    folder.save({step, {}, {}, {{"a", full({1 << 15}, step, DType::kI64)}}});
    for (const std::string& name : names_in(folder_)) EXPECT_FALSE(name.starts_with('.')) << name;
    EXPECT_LE(names_in(folder_).size(), 2u);
  }
  EXPECT_GT(killed_within, 0) << "no save was interrupted: kill earlier";
}

TEST_F(Checkpoints, hold_any_tree) {
  const SavedState tree = SavedState::dict(
      {{"none", SavedState()},
       {"flag", true},
       {"integers", SavedState::list({int64_t{-5}, UINT64_MAX, INT64_MIN})},
       {"numbers", SavedState::list({0.1, -0.0, INFINITY, -INFINITY, 3.0})},
       {"text", "é\n\"$\""},
       {"tuple", SavedState(SavedState::Tagged{"tuple", {SavedState::list({1, ones({2})})}})},
       {"$tensor", SavedState::dict({{"$odd", 1}})},
       {"a.b", ones({1})},
       {"a", SavedState::dict({{"b", zeros({2})}})},
       {"complex", cast(ones({2}), DType::kC128)},
       {"half", cast(ones({2}), DType::kBF16)}});
  io::CheckpointFolder folder(folder_, {});
  folder.save({1, {}, {UINT64_MAX, 3}, {{"tree", tree}}});
  const io::Checkpoint back = folder.load(1);
  EXPECT_EQ(back.generator.seed, UINT64_MAX);
  EXPECT_EQ(back.generator.draws, 3u);
  const SavedState& got = back.objects[0].second;
  io::NamedTensors before, after;
  EXPECT_EQ(io::to_text(io::state_to_json(got, after, "test")),
            io::to_text(io::state_to_json(tree, before, "test")));
  ASSERT_EQ(before.size(), after.size());
  for (size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(before[i].name, after[i].name);
    EXPECT_TRUE(are_equal_literals(before[i].value, after[i].value)) << before[i].name;
  }
  EXPECT_EQ(got.at("complex").tensor().dtype(), DType::kC128);
  EXPECT_TRUE(std::signbit(got.at("numbers").items()[1].number()));
}

TEST_F(Checkpoints, are_not_nested_without_end) {
  SavedState deep = 1;
  for (int i = 0; i < 100; ++i) deep = SavedState::list({deep});
  io::CheckpointFolder folder(folder_, {});
  EXPECT_NE(error_of([&] {
              folder.save({1, {}, {}, {{"deep", deep}}});
            }).find("is nested more than 56 deep; keep it flatter [CheckpointManager.state]"),
            std::string::npos);
}

TEST(SavedState, says_what_is_missing) {
  const SavedState state = SavedState::dict({{"a", 1}, {"b", "x"}});
  EXPECT_EQ(error_of([&] { state.at("c"); }),
            "SavedState: has no 'c'; it has [a, b] [SavedState.name]");
  EXPECT_EQ(
      error_of([&] { state.at("a").tensor(); }),
      "SavedState: is an integer, but a tensor is asked for; the state is of another object, or "
      "of another version of it [SavedState.kind]");
}

}  // namespace
}  // namespace weft
