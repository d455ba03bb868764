// InlineVector against std::vector, in place and on the heap, with elements that own memory.
#ifndef WEFT_CHECK_BOUNDS
#define WEFT_CHECK_BOUNDS  // of the vectors of this file
#endif
#include "weft/base/inline_vector.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "weft/base/error.h"

namespace weft {
namespace {

using Strings = InlineVector<std::string, 3>;

// Longer than a string keeps in place, so that the address sanitizer sees mistakes.
std::string long_text(int i) {
  return "a text that is too long for the small buffer, number " + std::to_string(i);
}

Strings strings(int count) {
  Strings out;
  for (int i = 0; i < count; ++i) out.push_back(long_text(i));
  return out;
}

TEST(InlineVector, constructors) {
  EXPECT_TRUE((InlineVector<int, 2>()).empty());
  EXPECT_EQ((InlineVector<int, 2>(3, 7)), (InlineVector<int, 2>{7, 7, 7}));
  const std::vector<int> list{1, 2, 3, 4};
  EXPECT_EQ((InlineVector<int, 2>(list.begin(), list.end())), (InlineVector<int, 2>{1, 2, 3, 4}));
  EXPECT_EQ((InlineVector<int, 8>(std::span<const int>(list))), (InlineVector<int, 8>{1, 2, 3, 4}));
  EXPECT_FALSE((InlineVector<int, 2>{1, 2}) == (InlineVector<int, 2>{1, 3}));
  EXPECT_FALSE((InlineVector<int, 2>{1}) == (InlineVector<int, 2>{1, 3}));
}

TEST(InlineVector, elements_that_are_not_there) {
  const auto raised = [](const auto& read) -> std::string {
    try {
      read();
      return "nothing";
    } catch (const Error& error) {
      return error.what();
    }
  };
  struct Row {};
  InlineVector<Row, 2> list(1);
  EXPECT_EQ(raised([&] { list[0]; }), "nothing");
  EXPECT_EQ(raised([&] { list[1]; }), "list: element 1 of a list of 1 was asked for [list.bounds]");
  EXPECT_EQ(raised([&] { list.erase(1); }),
            "list: element 1 of a list of 1 was asked for [list.bounds]");
  EXPECT_EQ(raised([&] { list.insert(2, Row{}); }),
            "list: element 2 of a list of 1 was asked for [list.bounds]");
  list.pop_back();
  const std::string last =
      "list: element 18446744073709551615 of a list of 0 was asked for [list.bounds]";
  EXPECT_EQ(raised([&] { list.back(); }), last);
  EXPECT_EQ(raised([&] { list.pop_back(); }), last);
}

TEST(InlineVector, copies_and_moves_of_every_length) {
  for (int from = 0; from < 7; ++from) {
    for (int to = 0; to < 7; ++to) {
      const Strings source = strings(from);
      Strings copied = strings(to);
      copied = source;
      EXPECT_EQ(copied, source);
      Strings moved = strings(to);
      moved = std::move(copied);
      EXPECT_EQ(moved, source);
      copied = strings(1);  // what was moved from can be used again
      EXPECT_EQ(copied, strings(1));
      Strings constructed(std::move(moved));
      EXPECT_EQ(constructed, source);
      Strings& same = constructed;
      constructed = same;
      EXPECT_EQ(constructed, source);
    }
  }
}

TEST(InlineVector, arguments_may_be_own_elements) {
  Strings list = strings(3);
  list.push_back(list[0]);
  list.resize(9, list[1]);
  EXPECT_EQ(list[3], long_text(0));
  EXPECT_EQ(list[8], long_text(1));
  list.insert(0, list.back());
  EXPECT_EQ(list.front(), long_text(1));
}

TEST(InlineVector, takes_types_that_only_move) {
  InlineVector<std::unique_ptr<int>, 1> list;
  for (int i = 0; i < 5; ++i) list.push_back(std::make_unique<int>(i));
  const auto moved = std::move(list);
  EXPECT_EQ(*moved[4], 4);
}

TEST(InlineVector, does_what_a_vector_does) {
  std::mt19937 random(1);
  Strings ours;
  std::vector<std::string> theirs;
  for (int i = 0; i < 3000; ++i) {
    const size_t at = random() % (theirs.size() + 1);
    const std::string value = long_text(i);
    switch (random() % 6) {
      case 0: ours.push_back(value), theirs.push_back(value); break;
      case 1: ours.insert(at, value), theirs.insert(theirs.begin() + at, value); break;
      case 2:
        if (at < theirs.size()) ours.erase(at), theirs.erase(theirs.begin() + at);
        break;
      case 3:
        if (!theirs.empty()) ours.pop_back(), theirs.pop_back();
        break;
      case 4: ours.resize(at / 2, value), theirs.resize(at / 2, value); break;
      default: ours.resize(random() % 9, value), theirs.resize(ours.size(), value); break;
    }
    ASSERT_EQ(std::vector<std::string>(ours.begin(), ours.end()), theirs);
  }
  const std::span<const std::string> view = ours;
  EXPECT_EQ(view.size(), theirs.size());
  ours.clear();
  EXPECT_TRUE(ours.empty());
}

}  // namespace
}  // namespace weft
