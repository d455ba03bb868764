// JSON: what is written reads back, and what is none says where.
#include "weft/io/json/json.h"

#include <gtest/gtest.h>

#include <cmath>

#include "weft/base/error.h"

namespace weft::io {
namespace {

std::string again(std::string_view text) { return to_text(parse_json(text, "load", "f")); }

std::string error_of(std::string_view text) {
  try {
    parse_json(text, "load", "f");
  } catch (const Error& error) {
    EXPECT_EQ(error.code, Code::kIo);
    return error.what();
  }
  return "no error";
}
std::string said(size_t at, std::string_view what) {
  return text("load: 'f' has a header that is no JSON, at byte ", at, ": ", what,
              "; it is damaged, or of another format [load.json]");
}

TEST(Json, reads_back_what_it_writes) {
  for (const char* const text :
       {"null", "true", "false", "0", "-1", "9223372036854775807", "-9223372036854775808",
        "18446744073709551615", "0.1", "3.0", "1e+300", "-2.5e-320", "[]", "{}", "[1,[2,[]],{}]",
        R"({"a":1,"b":{"c":[null,true]}})", R"("\" \\ \n \u0001 \u001f é 漢 😀")"}) {
    EXPECT_EQ(again(text), text);
  }
  EXPECT_EQ(again(" { \"a\" :\t[ 1 ,2 ]\r\n} "), R"({"a":[1,2]})");
  EXPECT_EQ(again(R"("\u00e9\u6f22\ud83d\ude00\/\b")"), "\"é漢😀/\\u0008\"");
}

TEST(Json, keeps_integers_and_floating_numbers_apart) {
  EXPECT_NE(parse_json("3", "load", "f").get_if<int64_t>(), nullptr);
  EXPECT_NE(parse_json("3.0", "load", "f").get_if<double>(), nullptr);
  EXPECT_EQ(*parse_json("18446744073709551615", "load", "f").get_if<uint64_t>(), UINT64_MAX);
  EXPECT_NE(parse_json("18446744073709551616", "load", "f").get_if<double>(), nullptr);
}

TEST(Json, refuses_what_is_none) {
  EXPECT_EQ(error_of(""), said(0, "it ends too early"));
  EXPECT_EQ(error_of("[1,"), said(3, "it ends too early"));
  EXPECT_EQ(error_of("[1 2]"), said(3, "expected , or ]"));
  EXPECT_EQ(error_of("{1:2}"), said(1, "expected a name in quotes"));
  EXPECT_EQ(error_of(R"({"a" 2})"), said(5, "expected :"));
  EXPECT_EQ(error_of(R"({"a":1 "b":2})"), said(7, "expected , or }"));
  EXPECT_EQ(error_of(R"({"a":1,"b":2,"a":3})"), said(19, "a name comes twice"));
  EXPECT_EQ(error_of("1 1"), said(2, "something follows the end"));
  EXPECT_EQ(error_of("nan"), said(0, "expected a value"));
  EXPECT_EQ(error_of("01"), said(0, "expected a value"));
  EXPECT_EQ(error_of("1.e5"), said(0, "expected a value"));
  EXPECT_EQ(error_of("1e999"), said(0, "expected a number that fits"));
  EXPECT_EQ(error_of("\"abc"), said(4, "a string has no end"));
  EXPECT_EQ(error_of("\"a\nb\""), said(2, "a string holds a control character"));
  EXPECT_EQ(error_of("\"\\x\""), said(2, "a string has an escape that JSON lacks"));
  EXPECT_EQ(error_of("\"\\u12\""), said(2, "a string has an escape that JSON lacks"));
  EXPECT_EQ(error_of("\"\\ud800\""), said(7, "a string has half of a character"));
  EXPECT_EQ(error_of("\"\\udc00\""), said(7, "a string has half of a character"));
  EXPECT_EQ(error_of("\"\xc0\xaf\""), said(1, "a string is not UTF-8"));
  EXPECT_EQ(error_of("\"\xed\xa0\x80\""), said(1, "a string is not UTF-8"));
}

TEST(Json, is_not_nested_without_end) {
  EXPECT_EQ(error_of(std::string(64, '[') + std::string(64, ']')), "no error");
  EXPECT_EQ(error_of(std::string(100'000, '[')), said(65, "it is nested more than 64 deep"));
}

TEST(Json, has_no_infinite_numbers) {
  try {
    to_text(Json(std::nan("")));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "json: the number is nan, which JSON cannot say; write it as a string "
                 "[json.number]");
  }
}

}  // namespace
}  // namespace weft::io
