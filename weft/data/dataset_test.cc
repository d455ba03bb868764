// Datasets: every transformation gives what it says, for any number of threads, and resumes
// exactly.
#include "weft/data/dataset.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include "weft/data/crew.h"
#include "weft/data/row_batches.h"
#include "weft/data/test_data.h"
#include "weft/ops/creation/creation.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/random/key.h"
#include "weft/ops/shape/advanced_index.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft::data {
namespace {

Dataset ten() { return Dataset::range(10); }

Dataset pairs() {
  const Tensor x = reshape(arange(0, 40, 1, DType::kF32), {10, 4});
  return Dataset::from_tensor_slices({x, arange(0, 10, 1, DType::kI64)});
}

// Elements that are not known by number.
Dataset generated(int64_t count) {
  return Dataset::from_generator([count]() -> Generation {
    return [count, i = int64_t{0}](Element& out) mutable {
      if (i == count) return false;
      out = Element(tensor(i++));
      return true;
    };
  });
}

Tensor ones_like_length(int64_t length) { return ones({length}); }

Element doubled(const Element& e) { return Element(e[0] * Tensor(int64_t{2})); }

TEST(RowBatches, AreRowsInTheOrder) {
  const Tensor x = reshape(arange(0, 14, 1, DType::kF32), {7, 2}),
               y = arange(0, 7, 1) * int64_t{10};
  const Tensor order = tensor(std::vector<int64_t>{6, 0, 3, 2, 5, 4, 1}, {7});
  EXPECT_EQ(
      all_of(row_batches({x, y}, order, 3)),
      (Numbers{{12, 13, 0, 1, 6, 7, 60, 0, 30}, {4, 5, 10, 11, 8, 9, 20, 50, 40}, {2, 3, 10}}));
  EXPECT_EQ(all_of(row_batches({y}, order, 3, 2)), (Numbers{{10}}));
  EXPECT_EQ(all_of(row_batches({y}, order, 3, 5)), Numbers{});
  EXPECT_EQ(all_of(row_batches({y}, order, 9)), (Numbers{{60, 0, 30, 20, 50, 40, 10}}));
  expect_resumes([&] { return row_batches({x, y}, order, 2); });
  EXPECT_EQ(all_of(row_batches({zeros({7, 0})}, order, 4)), (Numbers{{}, {}}));
}

TEST(RowBatches, ReadViewsOfWholeRows) {
  const Tensor table = reshape(arange(0, 12, 1, DType::kI64), {4, 3});
  const Tensor order = tensor(std::vector<int64_t>{2, 0, 3, 1}, {4});
  const Tensor first = index(table, {kEllipsis, 0}),
               others = index(table, {kEllipsis, Range{1, 3}});
  const Tensor one = broadcast_to(tensor(int64_t{5}), {4});
  for (const Tensor& view : {first, others, one}) EXPECT_TRUE(has_whole_rows(view));
  EXPECT_EQ(all_of(row_batches({others, first, one}, order, 3)),
            (Numbers{{7, 8, 1, 2, 10, 11, 6, 0, 9, 5, 5, 5}, {4, 5, 3, 5}}));
  EXPECT_FALSE(has_whole_rows(swapaxes(table, 0, 1)));
  EXPECT_FALSE(has_whole_rows(tensor(1.0)));
}

// So large that a thread gathers them.
TEST(RowBatches, AreTheSameFromAThread) {
  constexpr int64_t kRows = 300, kLength = 20000;
  const Tensor x = reshape(arange(0, kRows * kLength, 1, DType::kI64), {kRows, kLength});
  std::vector<int64_t> numbers(kRows);
  for (int64_t i = 0; i < kRows; ++i) numbers[static_cast<size_t>(i)] = i * 7 % kRows;
  int64_t at = 0;
  for (const Element& batch : row_batches({x}, tensor(numbers, {kRows}), 16)) {
    const std::vector<int64_t> found = batch[0].to_vector<int64_t>();
    for (size_t i = 0; i < found.size(); ++i) {
      const auto row = static_cast<int64_t>(i) / kLength;
      ASSERT_EQ(found[i], numbers[static_cast<size_t>(at + row)] * kLength +
                              static_cast<int64_t>(i) % kLength);
    }
    at += batch[0].dim(0).value();
  }
  EXPECT_EQ(at, kRows);
}

TEST(DatasetTest, RangeBatchTakeSkipShardRepeat) {
  EXPECT_EQ(all_of(ten().batch(4)), (Numbers{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9}}));
  EXPECT_EQ(all_of(ten().batch(4, {.drop_remainder = true})),
            (Numbers{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(all_of(ten().skip(7).take(2)), (Numbers{{7}, {8}}));
  EXPECT_EQ(all_of(ten().shard(3, 1)), (Numbers{{1}, {4}, {7}}));
  EXPECT_EQ(all_of(Dataset::range(2).repeat(2)), (Numbers{{0}, {1}, {0}, {1}}));
  EXPECT_EQ(all_of(Dataset::range(5, 0, -2)), (Numbers{{5}, {3}, {1}}));
  EXPECT_EQ(all_of(generated(10).skip(7).take(2)), (Numbers{{7}, {8}}));
  EXPECT_EQ(all_of(generated(10).shard(3, 1)), (Numbers{{1}, {4}, {7}}));
  EXPECT_EQ(all_of(generated(2).repeat(2)), (Numbers{{0}, {1}, {0}, {1}}));
  EXPECT_TRUE(all_of(generated(0).repeat()).empty());
}

TEST(DatasetTest, Cardinality) {
  EXPECT_EQ(ten().cardinality(), 10);
  EXPECT_EQ(ten().batch(4).cardinality(), 3);
  EXPECT_EQ(ten().batch(4, {.drop_remainder = true}).cardinality(), 2);
  EXPECT_EQ(ten().repeat().cardinality(), kInfinite);
  EXPECT_EQ(ten().repeat().take(7).cardinality(), 7);
  EXPECT_EQ(ten().repeat(3).skip(5).cardinality(), 25);
  EXPECT_EQ(ten().shard(3, 1).cardinality(), 3);
  EXPECT_EQ(ten().concatenate(ten()).cardinality(), 20);
  EXPECT_EQ(Dataset::zip({ten(), Dataset::range(3)}).cardinality(), 3);
  EXPECT_EQ(generated(3).cardinality(), kUnknown);
  EXPECT_EQ(ten().window(3, {.shift = 2, .drop_remainder = true}).cardinality(), 4);
}

TEST(DatasetTest, SlicesAreGatheredByBatch) {
  const Numbers all = all_of(pairs().batch(2));
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(all[1], (std::vector<double>{8, 9, 10, 11, 12, 13, 14, 15, 2, 3}));
  for (const Element& e : pairs().shuffle(10, {.seed = 3}).batch(5)) {
    const auto [x, y] = e.tensors<2>();
    const std::vector<float> rows = x.to_vector<float>();
    const std::vector<int64_t> labels = y.to_vector<int64_t>();
    for (size_t i = 0; i < labels.size(); ++i) {
      EXPECT_EQ(rows[4 * i], static_cast<float>(4 * labels[i]));
    }
  }
}

TEST(DatasetTest, AllElementsAsOne) {
  const Dataset pairs = Dataset::zip({Dataset::range(5), Dataset::range(10, 15)});
  const auto [x, y] = pairs.as_tensors().tensors<2>();
  EXPECT_EQ(x.to_vector<int64_t>(), (std::vector<int64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(y.to_vector<int64_t>(), (std::vector<int64_t>{10, 11, 12, 13, 14}));
  const auto said = [](const Dataset& dataset) {
    try {
      dataset.as_tensors();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(said(Dataset::range(0)),
            "as_tensors: the dataset has no elements that would make tensors [as_tensors.empty]");
  EXPECT_EQ(said(Dataset::range(2).repeat()),
            "as_tensors: the dataset is without end; take(n) gives the first n elements "
            "[as_tensors.infinite]");
  const Dataset large = Dataset::range(5).filter([](const Element& e) { return e[0].item() > 2; });
  EXPECT_EQ(large.as_tensors()[0].to_vector<int64_t>(), (std::vector<int64_t>{3, 4}));
}

TEST(DatasetTest, ShuffleIsAPermutationThatDiffersByPass) {
  const Dataset shuffled = ten().shuffle(10, {.seed = 7});
  const Numbers first = all_of(shuffled), second = all_of(shuffled);
  EXPECT_NE(first, second);
  Numbers sorted = first;
  std::ranges::sort(sorted);
  EXPECT_EQ(sorted, all_of(ten()));
  const Dataset again = ten().shuffle(10, {.seed = 7});
  EXPECT_EQ(all_of(again), first);
  EXPECT_EQ(all_of(again), second);
  const Dataset fixed = ten().shuffle(10, {.seed = 7, .reshuffle_each_iteration = false});
  EXPECT_EQ(all_of(fixed), all_of(fixed));
  Numbers buffered = all_of(generated(10).shuffle(4, {.seed = 7}));
  EXPECT_NE(buffered, all_of(ten()));
  std::ranges::sort(buffered);
  EXPECT_EQ(buffered, all_of(ten()));
}

TEST(DatasetTest, EveryRoundOfARepeatIsShuffledAnew) {
  const Numbers all = all_of(ten().shuffle(10, {.seed = 1}).repeat(2));
  ASSERT_EQ(all.size(), 20u);
  EXPECT_NE(Numbers(all.begin(), all.begin() + 10), Numbers(all.begin() + 10, all.end()));
}

TEST(DatasetTest, ThreadsChangeNoResult) {
  const auto with = [](int workers) {
    return all_of(pairs()
                      .shuffle(10, {.seed = 5})
                      .repeat(3)
                      .map([](const Element& e) { return Element({e[0] * e[0], e[1]}); },
                           {.num_parallel_calls = workers})
                      .batch(4)
                      .prefetch(2));
  };
  const Numbers expected = with(0);
  for (const int workers : {1, 2, 4}) EXPECT_EQ(with(workers), expected) << workers << " workers";
}

// Neither threads, nor what the consumer draws, nor where a pass is taken up again.
TEST(DatasetTest, WhatFunctionsDrawDependsOnTheElementAlone) {
  const auto noisy = [](int workers) {
    const auto noise = [](const Element&) { return Element(rand({2})); };
    return Dataset::range(0, 12).map(noise, {.num_parallel_calls = workers});
  };
  const auto drawn = [&](const Dataset& dataset, int draws_between) {
    seed(5);
    Numbers out;
    for (const Element& element : dataset) {
      for (int i = 0; i < draws_between; ++i) rand({1});
      out.push_back(numbers_of(element));
    }
    return out;
  };
  const Numbers alone = drawn(noisy(0), 0);
  EXPECT_NE(alone[0], alone[1]);
  EXPECT_EQ(drawn(noisy(0), 3), alone);
  EXPECT_EQ(drawn(noisy(2), 1), alone);
  EXPECT_EQ(drawn(noisy(2).prefetch(3), 2), alone);
  expect_resumes([&] { return noisy(2); });
  // Another seed, another pass and another step draw otherwise.
  const Dataset dataset = noisy(0);
  const Numbers first = all_of(dataset);
  EXPECT_NE(all_of(dataset), first);
  seed(6);
  EXPECT_NE(all_of(noisy(0)), alone);
  seed(5);
  const auto more = [](const Element& element) { return Element({element[0], rand({2})}); };
  const std::vector<double> both = all_of(noisy(0).map(more))[0];
  EXPECT_NE(both[0], both[2]);
  const auto made = [] {
    return Generation([left = 3](Element& out) mutable {
      out = Element(rand({1}));
      return left-- > 0;
    });
  };
  EXPECT_EQ(drawn(Dataset::from_generator(made), 2), drawn(Dataset::from_generator(made), 0));
  EXPECT_EQ(drawn(Dataset::from_generator(made).prefetch(2), 1),
            drawn(Dataset::from_generator(made), 0));
  seed(0);
}

TEST(DatasetTest, FilterEnumerateZipConcatenateUnbatchWindow) {
  const auto is_even = [](const Element& e) { return e[0].item_int() % 2 == 0; };
  EXPECT_EQ(all_of(ten().filter(is_even)), (Numbers{{0}, {2}, {4}, {6}, {8}}));
  EXPECT_EQ(all_of(Dataset::range(5, 8).enumerate(1)), (Numbers{{1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(all_of(Dataset::zip({Dataset::range(5, 8), ten()})), (Numbers{{5, 0}, {6, 1}, {7, 2}}));
  EXPECT_EQ(all_of(Dataset::range(2).concatenate(Dataset::range(5, 7))),
            (Numbers{{0}, {1}, {5}, {6}}));
  EXPECT_EQ(all_of(Dataset::range(5).batch(2).unbatch()), (Numbers{{0}, {1}, {2}, {3}, {4}}));
  EXPECT_EQ(all_of(Dataset::range(5).window(3, {.shift = 2})),
            (Numbers{{0, 1, 2}, {2, 3, 4}, {4}}));
  EXPECT_EQ(all_of(Dataset::range(7).window(2, {.shift = 3, .stride = 2, .drop_remainder = true})),
            (Numbers{{0, 2}, {3, 5}}));
  EXPECT_EQ(all_of(Dataset::range(9).window(2, {.shift = 4})), (Numbers{{0, 1}, {4, 5}, {8}}));
}

TEST(DatasetTest, FlatMapAndInterleave) {
  const auto up_to = [](const Element& e) { return Dataset::range(e[0].item_int()); };
  EXPECT_EQ(all_of(Dataset::range(4).flat_map(up_to)), (Numbers{{0}, {0}, {1}, {0}, {1}, {2}}));
  const auto three = [](const Element& e) {
    return Dataset::range(10 * e[0].item_int(), 10 * e[0].item_int() + 3);
  };
  const Numbers expected{{0}, {1}, {10}, {11}, {2}, {12}, {20}, {21}, {22}};
  EXPECT_EQ(all_of(Dataset::range(3).interleave(three, {.cycle_length = 2, .block_length = 2})),
            expected);
  EXPECT_EQ(all_of(Dataset::range(3).interleave(
                three, {.cycle_length = 2, .block_length = 2, .num_parallel_calls = 2})),
            expected);
}

TEST(DatasetTest, PaddedBatchAndBuckets) {
  const auto ones = [](const Element& e) { return Element(ones_like_length(e[0].item_int())); };
  const Dataset lengths = Dataset::range(1, 5).map(ones);
  EXPECT_EQ(all_of(lengths.padded_batch(2)), (Numbers{{1, 0, 1, 1}, {1, 1, 1, 0, 1, 1, 1, 1}}));
  EXPECT_EQ(all_of(lengths.take(1).padded_batch(
                2, {.padded_shapes = {Shape{3}}, .padding_values = {tensor(7.0f)}})),
            (Numbers{{1, 7, 7}}));
  const auto length = [](const Element& e) { return e[0].dim(0).value(); };
  EXPECT_EQ(
      all_of(
          lengths.repeat(2).bucket_by_length(length, {.boundaries = {3}, .batch_sizes = {2, 3}})),
      (Numbers{{1, 0, 1, 1}, {1, 0, 1, 1}, {1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 0}, {1, 1, 1, 1}}));
}

TEST(DatasetTest, CachesTheFirstWholePass) {
  int calls = 0;
  const Dataset cached = ten()
                             .map([&](const Element& e) {
                               ++calls;
                               return doubled(e);
                             })
                             .cache();
  const Numbers first = all_of(cached);
  EXPECT_EQ(all_of(cached), first);
  EXPECT_EQ(calls, 10);
}

TEST(DatasetTest, TreeAsText) {
  EXPECT_EQ(to_string(pairs().shuffle(5, {.seed = 1}).batch(2).prefetch(3)),
            "prefetch(3)\n"
            "  batch(2)\n"
            "    shuffle(5, seed=1)\n"
            "      from_tensor_slices(float32[10, 4], int64[10])");
}

TEST(DatasetTest, PassesResumeExactly) {
  const auto is_odd = [](const Element& e) { return e[0].item_int() % 2 == 1; };
  const auto three = [](const Element& e) {
    return Dataset::range(10 * e[0].item_int(), 10 * e[0].item_int() + 3);
  };
  const auto length = [](const Element& e) { return e[0].dim(0).value(); };
  const auto ones = [](const Element& e) { return Element(ones_like_length(e[0].item_int() % 4)); };
  const std::vector<std::pair<std::string, std::function<Dataset()>>> cases = {
      {"slices", [] { return pairs().shuffle(10, {.seed = 2}).batch(3); }},
      {"repeat", [] { return pairs().shuffle(10, {.seed = 2}).repeat(3).batch(4); }},
      {"numbers in a buffer", [] { return ten().repeat().shuffle(4, {.seed = 2}).take(25); }},
      {"elements in a buffer", [] { return generated(12).shuffle(5, {.seed = 2}).batch(2); }},
      {"twice shuffled",
       [] { return ten().shuffle(9, {.seed = 1}).shard(2, 1).shuffle(9, {.seed = 2}); }},
      {"map", [] { return ten().map(doubled); }},
      {"parallel map", [] { return ten().map(doubled, {.num_parallel_calls = 3}).batch(2); }},
      {"prefetch", [] { return pairs().shuffle(10, {.seed = 4}).batch(2).prefetch(3); }},
      {"prefetch of a buffer",
       [] {
         return generated(12)
             .shuffle(4, {.seed = 4})
             .map(doubled, {.num_parallel_calls = 2})
             .prefetch(3);
       }},
      {"filter", [=] { return ten().filter(is_odd); }},
      {"enumerate", [] { return ten().enumerate(3); }},
      {"zip", [] { return Dataset::zip({ten().shuffle(9, {.seed = 1}), generated(8)}); }},
      {"concatenate", [] { return generated(3).concatenate(ten().shuffle(3, {.seed = 1})); }},
      {"skip, shard and take", [] { return generated(20).skip(2).shard(2, 1).take(6); }},
      {"unbatch", [] { return ten().batch(4).unbatch(); }},
      {"window", [] { return generated(11).window(3, {.shift = 2}); }},
      {"window with gaps", [] { return generated(11).window(2, {.shift = 4}); }},
      {"flat_map", [=] { return ten().flat_map(three); }},
      {"interleave", [=] { return Dataset::range(5).interleave(three, {.cycle_length = 3}); }},
      {"parallel interleave",
       [=] {
         return Dataset::range(5).interleave(three, {.cycle_length = 3, .num_parallel_calls = 2});
       }},
      {"padded_batch", [=] { return ten().map(ones).padded_batch(3); }},
      {"bucket_by_length",
       [=] {
         return ten().map(ones).bucket_by_length(length,
                                                 {.boundaries = {2}, .batch_sizes = {2, 3}});
       }},
      {"cache", [] { return ten().map(doubled).cache().repeat(2); }},
      {"ignore_errors", [] { return ten().ignore_errors(); }},
  };
  for (const auto& [name, make] : cases) {
    SCOPED_TRACE(name);
    expect_resumes(make);
  }
}

TEST(DatasetTest, ARestoredPassIsFollowedByTheNextOne) {
  const auto make = [] { return ten().shuffle(10, {.seed = 9}); };
  const Dataset one = make();
  all_of(one);
  Iterator second = one.iterator();
  Element element;
  second.next(element);
  const State state = second.state_dict();
  rest_of(second);
  const Numbers third = all_of(one);
  const Dataset other = make();
  Iterator resumed = other.iterator();
  resumed.load_state_dict(state);
  EXPECT_EQ(rest_of(resumed).size(), 9u);
  EXPECT_EQ(all_of(other), third);
}

TEST(DatasetTest, AStateHoldsNumbersNotRecords) {
  Iterator iterator = pairs().shuffle(10, {.seed = 2}).batch(3).prefetch(2).iterator();
  Element element;
  iterator.next(element);
  int64_t bytes = 0;
  for (const auto& [name, value] : iterator.state_dict())
    bytes += value.numel() * size_of(value.dtype());
  EXPECT_LT(bytes, 100);
}

TEST(DatasetTest, AStateOfAnotherPipelineIsRefused) {
  Iterator from = ten().batch(2).iterator();
  const State state = from.state_dict();
  EXPECT_EQ(error_of([&] { ten().shuffle(3, {.seed = 1}).iterator().load_state_dict(state); }),
            "load_state_dict: 'shuffle/position' is missing; a state is loaded into an iterator of "
            "the pipeline that saved it [load_state_dict.state]");
}

TEST(DatasetTest, FailingElementsSayWhichTheyWere) {
  const auto checked = [](const Element& e) {
    if (e[0].item_int() % 4 == 3) fail(Code::kInvalid, "check", "three", "got ", e[0].item_int());
    return e;
  };
  for (const int workers : {0, 2}) {
    Iterator iterator =
        ten().map(checked, {.num_parallel_calls = workers, .name = "checked"}).iterator();
    Element element;
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(iterator.next(element));
    const std::string said = error_of([&] { iterator.next(element); });
    const std::string step = workers == 0 ? "map(checked)" : "map(checked, num_parallel_calls=2)";
    EXPECT_EQ(said, "check: got 3 [check.three]\n  element 3 of " + step +
                        "\n  after 3 elements of the dataset");
    ASSERT_TRUE(iterator.next(element));  // it goes on behind the one that failed
    EXPECT_EQ(element[0].item_int(), 4);
  }
}

TEST(DatasetTest, FailingGeneratorsSayAtWhichElement) {
  const auto made = [] {
    return Generation([given = 0](Element& out) mutable {
      if (given == 2) fail(Code::kInvalid, "mine", "", "nothing more to say");
      out = Element(tensor(given++));
      return true;
    });
  };
  Iterator iterator = Dataset::from_generator(made, "made").iterator();
  EXPECT_EQ(error_of([&] { rest_of(iterator); }),
            "mine: nothing more to say\n  element 2 of from_generator(made)\n  after 2 elements of "
            "the dataset");
}

TEST(DatasetTest, FailingElementsCanBeLeftOut) {
  const auto checked = [](const Element& e) {
    if (e[0].item_int() % 4 == 3) fail(Code::kInvalid, "check", "three", "got ", e[0].item_int());
    return e;
  };
  Iterator iterator =
      ten().map(checked, {.num_parallel_calls = 2}).ignore_errors().batch(4).iterator();
  EXPECT_EQ(rest_of(iterator), (Numbers{{0, 1, 2, 4}, {5, 6, 8, 9}}));
  EXPECT_EQ(iterator.skipped(), 2);
}

TEST(DatasetTest, StatesKeepElementsThatFailed) {
  const auto checked = [](const Element& e) {
    if (e[0].item_int() == 3) fail(Code::kInvalid, "check", "three", "got 3");
    return e;
  };
  const auto make = [&] {
    return generated(8).shuffle(4, {.seed = 4}).map(checked, {.num_parallel_calls = 2}).prefetch(4);
  };
  const auto outcomes = [](Iterator& iterator) {
    std::vector<int64_t> out;
    Element element;
    while (true) {
      try {
        if (!iterator.next(element)) return out;
        out.push_back(element[0].item_int());
      } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("got 3"), std::string::npos) << error.what();
        out.push_back(-1);
      }
    }
  };
  Iterator whole = make().iterator();
  const std::vector<int64_t> expected = outcomes(whole);
  Iterator begun = make().iterator();
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  Element element;
  if (expected[0] != -1) begun.next(element);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // threads run ahead
  Iterator resumed = make().iterator();
  resumed.load_state_dict(begun.state_dict());
  EXPECT_EQ(outcomes(resumed),
            std::vector<int64_t>(expected.begin() + (expected[0] != -1 ? 1 : 0), expected.end()));
}

TEST(DatasetTest, ErrorsByTheirWholeText) {
  EXPECT_EQ(error_of([] { (void)(*ten().begin())[2]; }),
            "Element: has 1 leaves, but 3 are asked for [Element.tensors]");
  EXPECT_EQ(error_of([] { ten().batch(0); }), "batch: size is 0; it is 1 or more [batch.size]");
  EXPECT_EQ(error_of([] { ten().shard(2, 2); }),
            "shard: index is 2 of 2 shards; it is 0 or more, and less than their number "
            "[shard.index]");
  EXPECT_EQ(error_of([] { ten().take(-2); }),
            "take: count is -2; it is 0 or more, or -1 for all [take.count]");
  EXPECT_EQ(error_of([] { Dataset::range(0, 5, 0); }),
            "range: step is 0; the numbers would never end [range.step]");
  EXPECT_EQ(error_of([] { Dataset::from_tensor_slices({tensor(1.0f)}); }),
            "from_tensor_slices: has float32[]; elements lie along a first axis "
            "[from_tensor_slices.axis]");
  EXPECT_EQ(
      error_of([] { Dataset::from_tensor_slices({zeros({3}), zeros({4})}); }),
      "from_tensor_slices: has 3 elements in leaf 0 and 4 in leaf 1; the first axes are of one "
      "length [from_tensor_slices.axis]");
  const auto ones = [](const Element& e) { return Element(ones_like_length(e[0].item_int())); };
  EXPECT_EQ(
      error_of([&] { all_of(ten().map(ones).batch(2)); }),
      "batch: element 1 is float32[1] but element 0 is float32[0]; the elements of a batch have "
      "one dtype and shape: padded_batch and bucket_by_length take lengths that differ "
      "[batch.elements]\n  after 0 elements of the dataset");
}

TEST(DatasetTest, BuffersStayWithinTheirBudget) {
  const auto large = [](const Element& e) {
    return Element(zeros({1 << 16}) + cast(e[0], DType::kF32));  // 256 KB
  };
  Iterator iterator = Dataset::range(64)
                          .map(large, {.num_parallel_calls = 2})
                          .prefetch(32)
                          .with_options(1 << 20)
                          .iterator();
  Element element;
  int64_t most = 0;
  while (iterator.next(element)) most = std::max(most, iterator.buffered_bytes());
  EXPECT_LE(most, 1 << 20);
  EXPECT_GE(most, 3 << 18);  // and use it
  EXPECT_EQ(
      error_of([&] {
        all_of(Dataset::range(64).map(large).shuffle(32, {.seed = 1}).with_options(1 << 20));
      }),
      "shuffle: its buffer needs more than the 1048576 bytes that buffers of this pipeline may "
      "hold; take a smaller buffer, or give them more by with_options [shuffle.budget]\n"
      "  after 0 elements of the dataset");
}

Dataset large(int64_t count) {  // elements of 300,000 bytes
  return Dataset::range(count).map([](const Element&) { return Element(zeros({75'000})); });
}
// Until threads have done what they should, and some time in which they could do more.
void wait_until(const std::function<bool()>& is_done) {
  for (int left = 500; left > 0 && !is_done(); --left) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
}

TEST(DatasetTest, WhatIsAheadFitsIntoTheBudget) {
  Iterator iterator = large(50).prefetch(40).with_options(1'000'000).iterator();
  Element element;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(iterator.next(element));
    wait_until([&] { return iterator.buffered_bytes() == 900'000; });
    EXPECT_EQ(iterator.buffered_bytes(), 900'000) << i;
  }
  // Threads that wait are accounted for while they do, and the verdict is not that they are slow.
  const std::string why = iterator.explain();
  EXPECT_NE(why.find(" by buffer_bytes)"), std::string::npos) << why;
  EXPECT_EQ(why.find("full for 0 ns"), std::string::npos) << why;
  EXPECT_NE(why.find("the consumer is slow: "), std::string::npos) << why;
}

TEST(DatasetTest, OneThatIsLargerThanTheBudgetPasses) {
  std::atomic<int> made{0};
  const Dataset batches = Dataset::range(12)
                              .map([&](const Element&) {
                                ++made;
                                return Element(zeros({75'000}));
                              })
                              .batch(4)
                              .prefetch(2);
  Iterator iterator = batches.with_options(1'000).iterator();
  Element element;
  ASSERT_TRUE(iterator.next(element));
  wait_until([&] { return made == 8; });
  EXPECT_EQ(made, 8);  // the one that was taken, and one ahead of it
  EXPECT_EQ(rest_of(iterator).size(), 2u);
}

TEST(DatasetTest, ExplainsTheLatestPassOverADataset) {
  const Dataset dataset = ten().batch(5).prefetch(1);
  EXPECT_EQ(dataset.explain(), "there was no pass yet");
  EXPECT_EQ(all_of(dataset).size(), 2u);
  EXPECT_NE(dataset.explain().find("batch(5): 2 elements"), std::string::npos);
  Iterator second = dataset.iterator();
  EXPECT_NE(dataset.explain().find("batch(5): 2 elements"), std::string::npos);  // not begun yet
  Element element;
  ASSERT_TRUE(second.next(element));
  EXPECT_NE(dataset.explain().find("prefetch(1): 1 elements"), std::string::npos);
  EXPECT_EQ(second.explain().substr(0, 23), dataset.explain().substr(0, 23));
}

TEST(DatasetTest, PaddingIsANumberOfTheElements) {
  const Dataset rows = Dataset::range(1, 3).map(
      [](const Element& e) { return Element(zeros({e[0].item_int()}, DType::kI64)); });
  const auto padded = [&](const Tensor& value) {
    return all_of(rows.padded_batch(2, {.padding_values = {value}}));
  };
  EXPECT_EQ(padded(Tensor::scalar(DType::kF64, 7)), (Numbers{{0, 7, 0, 0}}));
  EXPECT_EQ(padded(Tensor::scalar(DType::kI64, -1)), (Numbers{{0, -1, 0, 0}}));
  EXPECT_EQ(
      error_of([&] { padded(Tensor::scalar(DType::kF64, 0.5)); }),
      "padded_batch: the padding is tensor(0.5, dtype=float64) but the elements are int64, which "
      "has no such number [padded_batch.padding_values]\n"
      "  after 0 elements of the dataset");
  EXPECT_NE(error_of([&] { padded(Tensor::scalar(DType::kF64, NAN)); }), "nothing was raised");
  EXPECT_NE(error_of([&] { padded(zeros({2})); }).find("it is one number"), std::string::npos);
}

TEST(DatasetTest, DroppingAnIteratorEndsItsThreads) {
  std::atomic<int> made{0};
  for (int round = 0; round < 20; ++round) {
    Iterator iterator = ten()
                            .repeat()
                            .map(
                                [&](const Element& e) {
                                  ++made;
                                  return doubled(e);
                                },
                                {.num_parallel_calls = 2})
                            .batch(2)
                            .prefetch(2)
                            .iterator();
    Element element;
    ASSERT_TRUE(iterator.next(element));
  }
  wait_for_threads();
  const int now = made;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(made, now);
}

// Elements of a parallel map that the thread that asked worked on, by its own account.
int64_t done_here(const Iterator& iterator) {
  const std::string said = iterator.explain();
  const size_t end = said.find(" too short for them");
  if (end == std::string::npos) return 0;
  return std::stoll(said.substr(said.rfind(' ', end - 1) + 1));
}

TEST(DatasetTest, ThreadsRestWhileTheWorkIsShorterThanToHandItOver) {
  constexpr int64_t kAll = 20'000, kBegin = 15'000, kSlow = 60, kFails = 14'000;
  const auto f = [](const Element& e) {
    const int64_t i = e[0].item_int();
    if (i >= kBegin && i < kBegin + kSlow)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (i == kFails) fail(Code::kInvalid, "f", "", "is given ", i);
    return e;
  };
  const Dataset dataset =
      Dataset::range(kAll).map(f, {.num_parallel_calls = 2, .hand_over = 500'000});
  Iterator iterator = dataset.iterator();
  Element element;
  const auto expect_up_to = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      ASSERT_TRUE(iterator.next(element));
      ASSERT_EQ(element[0].item_int(), i);
    }
  };
  expect_up_to(0, kFails);
  const int64_t before = done_here(iterator);
  EXPECT_GT(before, kFails / 2) << iterator.explain();
  EXPECT_EQ(error_of([&] { iterator.next(element); }),
            "f: is given 14000\n  element 14000 of map(f, num_parallel_calls=2)\n"
            "  after 14000 elements of the dataset");
  expect_up_to(kFails + 1, kBegin);
  const int64_t until_slow = done_here(iterator);
  EXPECT_GT(until_slow, before);
  expect_up_to(kBegin, kBegin + kSlow);  // the threads are back
  EXPECT_LT(done_here(iterator), until_slow + kSlow / 2) << iterator.explain();
  const State state = iterator.state_dict();
  expect_up_to(kBegin + kSlow, kAll);
  EXPECT_FALSE(iterator.next(element));
  iterator = dataset.iterator();
  iterator.load_state_dict(state);
  expect_up_to(kBegin + kSlow, kAll);
  expect_resumes([] {
    return Dataset::range(60).map([](const Element& e) { return e; },
                                  {.num_parallel_calls = 2, .hand_over = 500'000});
  });
  Iterator threads =
      Dataset::range(1000).map(f, {.num_parallel_calls = 2, .hand_over = 0}).iterator();
  EXPECT_EQ(rest_of(threads).size(), 1000u);
  EXPECT_EQ(done_here(threads), 0);
}

TEST(DatasetTest, ExplainNamesWhoIsSlow) {
  const auto slow = [](const Element& e) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return e;
  };
  Iterator producer = ten().map(slow, {.name = "slow"}).batch(2).prefetch(1).iterator();
  rest_of(producer);
  const std::string said = producer.explain();
  EXPECT_NE(said.find("the producer is slow"), std::string::npos) << said;
  EXPECT_NE(said.find("the slowest stage is map(slow)"), std::string::npos) << said;
  Iterator consumer = ten().prefetch(10).iterator();
  Element element;
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  while (consumer.next(element)) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_NE(consumer.explain().find("the consumer is slow"), std::string::npos)
      << consumer.explain();
}

}  // namespace
}  // namespace weft::data
