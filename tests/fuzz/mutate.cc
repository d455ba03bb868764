// Mutations: bytes, tokens, lines, splices, repetitions, deep nesting.
#include "tests/fuzz/mutate.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace weft::fuzz {
namespace {

constexpr std::string_view kTokens[] = {"%",
                                        "@",
                                        "(",
                                        ")",
                                        "{",
                                        "}",
                                        "[",
                                        "]",
                                        ",",
                                        ":",
                                        "=",
                                        "->",
                                        "\"",
                                        "\\",
                                        "//",
                                        "none",
                                        "n",
                                        "max(",
                                        "floor((",
                                        ")/",
                                        "^16",
                                        "*",
                                        "+",
                                        "-",
                                        "?x.1",
                                        "0x",
                                        "nan",
                                        "inf",
                                        "-0",
                                        "true",
                                        "9223372036854775807",
                                        "-1",
                                        "4611686018427387904",
                                        "99999999999999999999",
                                        "1e400",
                                        "f32[]",
                                        "c128[2]",
                                        "bool[1]",
                                        "f64[1000000000, 1000000000]",
                                        "variable @v: f32[2]\n",
                                        "function @g(",
                                        "return",
                                        "assume ",
                                        "after ",
                                        "follows ",
                                        "on \"d\"",
                                        "at \"f:1\"",
                                        "weft 1\n",
                                        "\n",
                                        " ",
                                        "axis=[0]",
                                        "shape=[n, -1]",
                                        "add",
                                        "reshape",
                                        "matmul",
                                        "nn.conv",
                                        "slice",
                                        "constant",
                                        "placeholder",
                                        "while",
                                        "call",
                                        "exp.vjp1",
                                        "concat",
                                        "take",
                                        "pad",
                                        "split",
                                        "broadcast_to"};

std::string_view token(Random& random) { return kTokens[random.below(std::size(kTokens))]; }

std::string random_bytes(Random& random) {
  std::string out(random.below(2000), '\0');
  for (char& c : out) c = static_cast<char>(random.next());
  return random.below(2) == 0 ? "weft 1\n" + out : out;
}

std::string random_tokens(Random& random) {
  std::string out = "weft 1\nfunction @f(%x: f32[n, 2]) -> () {\n";
  for (size_t i = random.below(200); i > 0; --i) out += token(random);
  return out;
}

std::string repeated(std::string_view piece, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i) out += piece;
  return out;
}

// Parentheses, quotients, sums and lists without end.
std::string nested(Random& random) {
  constexpr std::string_view kPieces[] = {"floor((", "max(", "(", "n+", "n*", "-", "[", "max(n,"};
  const std::string deep =
      repeated(kPieces[random.below(std::size(kPieces))], random.below(20000)) + "n" +
      repeated(random.below(2) == 0 ? ")" : ")/2)", random.below(20000));
  return "weft 1\nfunction @f(%x: f32[" + deep + "]) -> () {\n  return\n}\n";
}

// A sum that simplifies to many terms, to the sixteenth power.
std::string powers(Random& random) {
  std::string sum = "2*a0";
  for (size_t i = random.below(60); i > 0; --i) sum += "+2*a" + std::to_string(i);
  return "weft 1\nfunction @f(%x: f32[floor((" + sum + ")/2)^16*floor((" + sum +
         ")/2)^16]) -> () {\n  return\n}\n";
}

void change_once(std::string& text, const std::vector<std::string>& corpus, Random& random) {
  const size_t at = random.below(text.size() + 1);
  const size_t length = std::min(random.below(30), text.size() - at);
  switch (random.below(9)) {
    case 0:
      if (at < text.size()) text[at] = static_cast<char>(random.next());
      break;
    case 1: text.erase(at, length); break;
    case 2: text.insert(at, token(random)); break;
    case 3: text.replace(at, length, token(random)); break;
    case 4: text.insert(random.below(text.size() + 1), text.substr(at, length)); break;
    case 5: {  // a line twice, or somewhere else
      const size_t start = text.rfind('\n', at), end = text.find('\n', at);
      if (start == std::string::npos || end == std::string::npos) break;
      const std::string line = text.substr(start, end - start);
      if (random.below(2) == 0) text.erase(start, end - start);
      const size_t to = text.find('\n', random.below(text.size() + 1));
      if (to != std::string::npos) text.insert(to, line);
      break;
    }
    case 6: {  // a piece of another text
      const std::string& other = corpus[random.below(corpus.size())];
      text.insert(at, other.substr(random.below(other.size()), random.below(200)));
      break;
    }
    case 7: {  // a number for a number
      const size_t digit = text.find_first_of("0123456789", at);
      if (digit != std::string::npos) text.replace(digit, 1, std::to_string(random.below(1 << 20)));
      break;
    }
    default: {  // a dtype for a dtype
      const size_t type = text.find("f32", at);
      constexpr std::string_view kTypes[] = {"i64", "bool", "c64", "f16", "u8"};
      if (type != std::string::npos) text.replace(type, 3, kTypes[random.below(5)]);
      break;
    }
  }
}

}  // namespace

std::string made_text(const std::vector<std::string>& corpus, Random& random) {
  switch (random.below(40)) {
    case 0: return random_bytes(random);
    case 1: return random_tokens(random);
    case 2: return nested(random);
    case 3: return powers(random);
    default: break;
  }
  std::string out = corpus[random.below(corpus.size())];
  constexpr size_t kChanges[] = {1, 1, 1, 1, 2, 2, 3, 5, 40};
  for (size_t n = kChanges[random.below(std::size(kChanges))]; n > 0; --n) {
    change_once(out, corpus, random);
  }
  return out;
}

}  // namespace weft::fuzz
