// Feeds the readers of files what makes no sense; see README.md.
#include "tests/fuzz/drive.h"
#include "tests/fuzz/formats.h"

namespace weft::fuzz {
namespace {

std::optional<Subject> subject_of(const std::string& name) {
  const Format* const format = find_format(name);
  if (format == nullptr) return {};
  const std::vector<std::string> samples = format->samples();
  return Subject{
      .name = name,
      .samples = samples,
      .make =
          [=](Random& random) {
            std::string bytes = changed_file(samples, random);
            if (format->repair != nullptr && random.below(2) == 0) format->repair(bytes);
            return bytes;
          },
      .read =
          [=](const std::string& bytes) {
            format->read(bytes_in(bytes));
            return std::string();
          },
      .always = size_t{8} << 20,
      .per_byte = format->most_per_byte,
      .count = format->count,
  };
}

}  // namespace
}  // namespace weft::fuzz

int main(int argc, char** argv) { return weft::fuzz::drive(argc, argv, weft::fuzz::subject_of); }
