// Mutations of files: bits, numbers, pieces.
#include <algorithm>
#include <cstring>
#include <iterator>

#include "tests/fuzz/mutate.h"

namespace weft::fuzz {
namespace {

constexpr uint64_t kNumbers[] = {0,         1,          0x7f,       0x80,       0xff,
                                 0xffff,    0x7fffffff, 0x80000000, 0xffffffff, uint64_t{1} << 32,
                                 INT64_MAX, UINT64_MAX, 100,        1032,       uint64_t{1} << 62};

std::string digits(Random& random) {
  switch (random.below(4)) {
    case 0: return std::to_string(random.next());
    case 1: return std::to_string(random.below(1000));
    case 2: return "-1";
    default: return std::to_string(kNumbers[random.below(std::size(kNumbers))]);
  }
}

void change_once(std::string& bytes, const std::vector<std::string>& corpus, Random& random) {
  const size_t at = random.below(bytes.size() + 1);
  const size_t length = std::min(random.below(20), bytes.size() - at);
  switch (random.below(9)) {
    case 0:
      if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
      break;
    case 1:
      if (at < bytes.size()) bytes[at] = static_cast<char>(random.next());
      break;
    case 2: bytes.erase(at, length); break;
    case 3: bytes.insert(random.below(bytes.size() + 1), bytes.substr(at, length)); break;
    case 4: bytes.resize(at); break;
    case 5: {  // a number of the file's own kind
      const uint64_t number = kNumbers[random.below(std::size(kNumbers))];
      const size_t size = size_t{1} << random.below(4);
      if (bytes.size() - at >= size) std::memcpy(bytes.data() + at, &number, size);
      break;
    }
    case 6: {  // a number in a text
      const size_t first = bytes.find_first_of("0123456789", at);
      if (first == std::string::npos) break;
      const size_t end = std::min(bytes.find_first_not_of("0123456789", first), bytes.size());
      bytes.replace(first, end - first, digits(random));
      break;
    }
    case 7: {
      const std::string& other = corpus[random.below(corpus.size())];
      bytes.insert(at, other.substr(random.below(other.size()), random.below(100)));
      break;
    }
    default: {  // deep nesting, and long runs
      constexpr char kRuns[] = {'[', '{', '"', '(', '0', ' ', '\0', '\\'};
      bytes.insert(at, std::string(random.below(random.below(20) == 0 ? 5000 : 10),
                                   kRuns[random.below(std::size(kRuns))]));
      break;
    }
  }
}

}  // namespace

std::string changed_file(const std::vector<std::string>& corpus, Random& random) {
  if (random.below(50) == 0) {
    std::string out(random.below(300), '\0');
    for (char& c : out) c = static_cast<char>(random.next());
    return out;
  }
  std::string out = corpus[random.below(corpus.size())];
  constexpr size_t kChanges[] = {0, 1, 1, 1, 1, 2, 3, 8};
  for (size_t n = kChanges[random.below(std::size(kChanges))]; n > 0; --n) {
    change_once(out, corpus, random);
  }
  return out;
}

}  // namespace weft::fuzz
