// Errors: their text, notes, assertions, checked arithmetic, and the user's line.
#include "weft/base/error.h"

#include <gtest/gtest.h>

#include <set>

#include "weft/base/checked.h"
#include "weft/base/where.h"

namespace weft {
namespace {

template <class Call>
Error error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  return Error(Code::kInternal, "test", "", "nothing was thrown");
}

TEST(Error, reads_who_what_law) {
  const Error error = error_of([] { fail(Code::kIndex, "concat", "C2", "axis ", 3, " of 2"); });
  EXPECT_EQ(error.code, Code::kIndex);
  EXPECT_EQ(error.op, "concat");
  EXPECT_EQ(error.law, "C2");
  EXPECT_EQ(error.message, "axis 3 of 2");
  EXPECT_STREQ(error.what(), "concat: axis 3 of 2 [concat.C2]");
}

TEST(Error, does_without_law_or_op) {
  EXPECT_STREQ(Error(Code::kIo, "read", "", "no file").what(), "read: no file");
  EXPECT_STREQ(Error(Code::kIo, "", "", "no file").what(), "no file");
}

TEST(Error, notes_are_lines) {
  Error error(Code::kType, "add", "", "wrong");
  error.note("at a.py:1").note("in f");
  EXPECT_STREQ(error.what(), "add: wrong\n  at a.py:1\n  in f");
  EXPECT_EQ(error.notes, (std::vector<std::string>{"at a.py:1", "in f"}));
  const Error copy = error;
  EXPECT_STREQ(copy.what(), error.what());
}

TEST(Error, codes_have_names_of_their_own) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(Code::kInternal); ++i) {
    names.insert(name_of(static_cast<Code>(i)));
  }
  EXPECT_EQ(names.size(), 9u);
  EXPECT_FALSE(names.contains("unknown"));
}

TEST(Error, assertions_throw_with_values) {
  const int rank = 3;
  const Error error = error_of([&] { WEFT_ASSERT(rank == 2, "rank = ", rank); });
  EXPECT_EQ(error.code, Code::kInternal);
  EXPECT_EQ(error.message,
            "internal error: rank == 2 does not hold: rank = 3; this is a bug in Weft");
  ASSERT_EQ(error.notes.size(), 1u);
  EXPECT_NE(error.notes[0].find("error_test.cc:"), std::string::npos);
  EXPECT_NO_THROW(WEFT_ASSERT(rank == 3));
}

TEST(Checked, values_that_fit) {
  EXPECT_EQ(checked_add(INT64_MAX - 1, 1), INT64_MAX);
  EXPECT_EQ(checked_sub(INT64_MIN + 1, 1), INT64_MIN);
  EXPECT_EQ(checked_mul(int64_t{1} << 31, int64_t{1} << 31), int64_t{1} << 62);
}

TEST(Checked, overflow_raises) {
  EXPECT_STREQ(error_of([] { checked_add(INT64_MAX, 1); }).what(),
               "size: 9223372036854775807 + 1 does not fit in 64 bits; use smaller sizes "
               "[size.overflow]");
  EXPECT_EQ(error_of([] { checked_sub(INT64_MIN, 1); }).code, Code::kOverflow);
  EXPECT_EQ(error_of([] { checked_mul(int64_t{1} << 32, int64_t{1} << 31); }).code,
            Code::kOverflow);
  EXPECT_EQ(error_of([] { checked_mul(INT64_MIN, -1); }).code, Code::kOverflow);
}

Where line_of_call(Where where = Where::here()) { return where; }

TEST(Where, is_the_callers_line) {
  const Where where = line_of_call();
  const uint32_t line = __LINE__ - 1;
  EXPECT_TRUE(where.known());
  EXPECT_EQ(where.line, line);
  EXPECT_EQ(to_string(where), text(where.file, ":", line));
  EXPECT_EQ(to_string(Where{}), "unknown line");
}

}  // namespace
}  // namespace weft
