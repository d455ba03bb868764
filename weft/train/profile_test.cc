// Profiles: what is noted, sums, tables, traces and pictures.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <sstream>
#include <thread>

#include "weft/base/file.h"
#include "weft/base/test_folder.h"
#include "weft/io/json/json.h"
#include "weft/train/test_models.h"

namespace weft::train {
namespace {

TEST(Profile, NotesOpsAndSteps) {
  const Tensor a = ones({64, 64}), b = ones({64, 64});
  Profile profile;
  EXPECT_EQ(Profile::current(), &profile);
  for (int k = 0; k < 3; ++k) {
    tanh(matmul(a, b));
    profile.step();
  }
  const ProfileReport& report = profile.end();
  EXPECT_EQ(Profile::current(), nullptr);
  tanh(a);  // is no part of it
  EXPECT_EQ(report.steps(), 3);
  EXPECT_EQ(report.events.size(), 6U);
  int64_t calls = 0;
  double spent = 0;
  for (const ProfileTotal& total : report.by()) {
    EXPECT_TRUE(total.name == "tanh" || total.name == "matmul") << total.name;
    EXPECT_EQ(total.calls, 3);
    EXPECT_EQ(total.results, 3 * 64 * 64 * 4);
    calls += total.calls;
    spent += total.seconds;
  }
  EXPECT_EQ(calls, 6);
  EXPECT_GT(spent, 0);
  EXPECT_LE(spent, report.seconds);
  EXPECT_GE(report.by()[0].seconds, report.by()[1].seconds);
  EXPECT_GE(report.peak(), 2 * 64 * 64 * 4);
  EXPECT_FALSE(report.waiting());
  const std::vector<ProfileTotal> lines = report.by("line");
  ASSERT_EQ(lines.size(), 1U);  // both are called there
  EXPECT_NE(lines[0].name.find("profile_test.cc:"), std::string::npos);
  for (size_t k = 1; k < report.events.size(); ++k) {
    const ProfileEvent &before = report.events[k - 1], &now = report.events[k];
    EXPECT_GE(now.start + 1e-9, before.start + before.duration);
  }
}

TEST(Profile, FitTellsStepsAndWaiting) {
  seed(1);
  nn::Sequential net = small_net();
  Model model(net);
  optim::SGD sgd(net.parameters(), {.lr = 0.1});
  model.compile(sgd, "cross_entropy", {"accuracy"});
  Profile profile;
  model.fit(Points(40), {.epochs = 2, .batch_size = 8, .verbose = 0});
  const ProfileReport& report = profile.end();
  EXPECT_EQ(report.steps(), 10);
  EXPECT_EQ(report.waits.size(), 12U);  // the end of an epoch is waited for, too
  ASSERT_TRUE(report.waiting());
  EXPECT_GT(*report.waiting(), 0);
  EXPECT_LT(*report.waiting(), 1);
  EXPECT_GT(report.events.size(), 100U);  // of traced steps, op by op
}

TEST(Profile, ALoopOverADatasetTellsOfWaiting) {
  const data::Dataset inner = data::Dataset::range(6).batch(2);
  const data::Dataset outer = data::Dataset::range(4).map([inner](const data::Element& e) {
    for (const data::Element& one : inner) sum(one[0]);  // waits within a wait
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return e;
  });
  Profile profile;
  for (const data::Element& e : outer) {
    sum(e[0]);
    profile.step();
  }
  const ProfileReport& report = profile.end();
  EXPECT_EQ(report.waits.size(), 5U);  // the end is waited for, too
  EXPECT_EQ(report.steps(), 4);
  double waited = 0;
  for (const ProfileReport::Wait& one : report.waits) waited += one.seconds;
  EXPECT_GE(waited, 4 * 0.002);
  EXPECT_EQ(report.waiting(), waited / report.seconds);
  for (const data::Element& e : outer) sum(e[0]);  // is no part of it
  EXPECT_EQ(report.waits.size(), 5U);
}

TEST(Profile, TheSameBitsAsWithoutIt) {
  const auto trained = [](bool is_profiled) {
    seed(2);
    nn::Sequential net = small_net();
    Model model(net);
    optim::Adam adam(net.parameters(), {.lr = 0.02});
    model.compile(adam, "cross_entropy");
    std::optional<Profile> profile;
    if (is_profiled) profile.emplace();
    model.fit(Points(50), {.epochs = 2, .verbose = 0});
    return fingerprint(net);
  };
  EXPECT_EQ(trained(true), trained(false));
}

TEST(Profile, Table) {
  ProfileReport report;
  report.events = {{"matmul", "a.cc:1", 0, 0.002, 0.002, 2048, 4096},
                   {"tanh", "a.cc:2", 0.002, 0.0005, 0.0005, 100, 4196},
                   {"matmul", "", 0.0025, 0.001, 0.001, 2048, 1 << 20}};
  report.marks = {0.003, 0.004};
  report.waits = {{0, 0.0004}};
  report.seconds = 0.004;
  EXPECT_EQ(text(report),
            "op      calls    time   part    each  results  most in use\n"
            "----------------------------------------------------------\n"
            "matmul      2    3 ms  85.7%  1.5 ms     4 KB         1 MB\n"
            "tanh        1  500 us  14.3%  500 us    100 B       4.1 KB\n"
            "----------------------------------------------------------\n"
            "3 ops in 2 steps, 4 ms: 87.5% in ops, 10.0% waiting for data; at most 1 MB of tensors "
            "in use");
  EXPECT_NE(report.table("op", 1).find("\nand 1 more\n"), std::string::npos);
  EXPECT_EQ(report.by("line")[1].name, "(no line)");
  std::ostringstream out;
  out << report;
  EXPECT_EQ(out.str(), report.table());
  EXPECT_EQ(error_of([&] { report.by("module"); }),
            "profile: by is 'module'; it is 'op' or 'line' [profile.by]");
}

TEST(Profile, ChromeTraceAndPicture) {
  const TestFolder folder;
  const std::string trace = folder.path() + "/trace.json", picture = folder.path() + "/memory.svg";
  {
    Profile profile(trace);
    sum(ones({8}));
    profile.step();
    profile.waited(0, profile.now());
  }
  const io::Json json = io::parse_json(read_file(trace), "test", trace);
  const auto* const events = json.find("traceEvents")->get_if<io::JsonArray>();
  ASSERT_NE(events, nullptr);
  std::vector<std::string> names;
  for (const io::Json& one : *events) {
    names.push_back(*one.find("name")->get_if<std::string>());
  }
  const auto count = [&](const char* name) { return std::ranges::count(names, name); };
  EXPECT_EQ(count("thread_name"), 3);
  EXPECT_EQ(count("step 1"), 1);
  EXPECT_EQ(count("waiting"), 1);
  EXPECT_EQ(count("sum"), 1);
  EXPECT_GE(count("memory"), 1);

  Profile again;
  sum(ones({8}));
  again.step();
  again.end().draw_memory(picture);
  EXPECT_NE(read_file(picture).find("<svg"), std::string::npos);
}

TEST(Profile, Errors) {
  const Profile outer;
  EXPECT_EQ(error_of([] { const Profile inner; }),
            "profile: another profile is open on this thread; end it first [profile.nested]");
  EXPECT_EQ(Profile::current(), &outer);
}

TEST(Profile, IsNotWrittenAfterAnException) {
  const TestFolder folder;
  const std::string trace = folder.path() + "/trace.json";
  EXPECT_THROW(
      {
        const Profile profile(trace);
        throw std::runtime_error("no");
      },
      std::runtime_error);
  EXPECT_FALSE(std::filesystem::exists(trace));
  EXPECT_EQ(Profile::current(), nullptr);
}

}  // namespace
}  // namespace weft::train
