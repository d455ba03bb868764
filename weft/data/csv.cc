// csv: records of delimited fields, with quotes (RFC 4180).
#include <algorithm>
#include <charconv>
#include <cmath>

#include "weft/core/scalar.h"
#include "weft/data/records.h"

namespace weft::data {
namespace {

constexpr int64_t kSeen = 100;  // records by which the types of columns are found
constexpr std::string_view kText = "text";

std::string_view trimmed(std::string_view field) {
  while (!field.empty() && (field.front() == ' ' || field.front() == '\t')) field.remove_prefix(1);
  while (!field.empty() && (field.back() == ' ' || field.back() == '\t')) field.remove_suffix(1);
  return field;
}

template <class T>
bool parses(std::string_view field, T& out) {
  field = trimmed(field);
  if (field.starts_with('+')) field.remove_prefix(1);
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), out);
  return error == std::errc() && end == field.data() + field.size() && !field.empty();
}

// The fields of one record, which may go over several lines.
struct Record {
  std::vector<std::string> fields;
  std::string problem;   // a quote that is not closed
  size_t size = 0;       // with its end
  bool is_open = false;  // it may go on behind the bytes that were looked at
};

Record record_of(std::string_view rest, char delimiter) {
  Record out;
  size_t at = 0;
  std::string field;
  while (true) {
    if (at < rest.size() && rest[at] == '"') {
      const size_t opened = at++;
      while (true) {
        const size_t quote = rest.find('"', at);
        if (quote == std::string_view::npos) {  // the record ends with its first line
          out.problem = "has a quote that is not closed";
          out.is_open = true;
          at = std::min(rest.find('\n', opened), rest.size());
          break;
        }
        field.append(rest, at, quote - at);
        at = quote + 1;
        if (at >= rest.size() || rest[at] != '"') break;
        field += '"';
        ++at;
      }
    }
    while (at < rest.size() && rest[at] != delimiter && rest[at] != '\n') field += rest[at++];
    const bool is_last = at >= rest.size() || rest[at] == '\n' || !out.problem.empty();
    if (is_last && field.ends_with('\r')) field.pop_back();
    out.fields.push_back(std::exchange(field, {}));
    if (is_last) break;
    ++at;
  }
  out.is_open |= at >= rest.size();
  out.size = std::min(at + 1, rest.size());
  return out;
}

// Passes over it.
Record read_record(FileReader& file, char delimiter, int64_t& line) {
  Record out = record_of(file.near(), delimiter);
  while (out.is_open && file.read_on()) out = record_of(file.near(), delimiter);
  line += std::ranges::count(file.take(out.size), '\n');
  return out;
}

class Csv final : public RecordNode {
 public:
  Csv(Paths paths, CsvOptions options)
      : RecordNode("csv", std::move(paths), FileReader::kMayBePacked),
        options_(std::move(options)) {
    find_columns();
    find_types();
    std::vector<Shared<const Form>> leaves(wanted_.size(), leaf_form());
    form_ = has_names_           ? new_shared<const Form>(Form{Form::Kind::kDict, names_, leaves})
            : leaves.size() == 1 ? leaf_form()
                                 : tuple_form(std::move(leaves));
  }

  // The header of every file is the one of the first.
  void begin(FileReader& file) const override {
    pass_mark(file);
    if (!options_.header) return;
    int64_t line = 1;
    const Record header = read_record(file, options_.delimiter, line);
    if (header.fields != columns_) {
      fail(Code::kIo, "csv", "header", file.path(), " has the columns ", header.fields, " but ",
           paths()[0], " has ", columns_, "; the files of a dataset have one header");
    }
  }

  bool read(FileReader& file, int64_t& line, Element& out) const override {
    if (options_.header && line == 1) line = header_lines_;
    skip_empty_lines(file, line);
    if (file.done()) return false;
    const Origin origin{file.path(), line, file.offset()};
    const Record record = read_record(file, options_.delimiter, line);
    if (!record.problem.empty()) {
      fail(Code::kIo, "csv", "quote", to_string(origin), ", ", record.problem);
    }
    if (record.fields.size() != count_) {
      fail(Code::kIo, "csv", "fields", to_string(origin), ", has ", record.fields.size(),
           " fields but there are ", count_, " columns");
    }
    out = Element();
    for (size_t k = 0; k < wanted_.size(); ++k) {
      out.leaves.push_back(leaf_of(record.fields[wanted_[k]], k, origin));
    }
    out.form = form_;
    out.origin = new_shared<const Origin>(origin);
    return true;
  }
  Spec spec() const override {
    Spec out{form_, {}};
    for (const std::optional<DType>& type : types_) {
      out.leaves.push_back({!type.has_value(), type.value_or(DType::kU8), {}});
    }
    return out;
  }

 private:
  // Some programs begin a file in UTF-8 with a mark that is no part of it.
  static void pass_mark(FileReader& file) {
    constexpr std::string_view kMark = "\xef\xbb\xbf";
    if (file.next_is(kMark)) file.take(kMark.size());
  }

  static void skip_empty_lines(FileReader& file, int64_t& line) {
    while (file.next_is("\n") || file.next_is("\r\n")) {
      file.take_line();
      ++line;
    }
  }

  // How many columns the file has, what they are called, and which are wanted.
  void find_columns() {
    FileReader file(paths()[0], "csv", packed());
    int64_t line = 1;
    pass_mark(file);
    if (file.done() && options_.header) {
      fail(Code::kIo, "csv", "header", paths()[0],
           " is empty; its first line is to have the names of the columns");
    }
    if (file.done()) {
      count_ = options_.names.size();
    } else {
      columns_ = read_record(file, options_.delimiter, line).fields;
      count_ = columns_.size();
    }
    header_lines_ = line;
    has_names_ = options_.header || !options_.names.empty();
    if (!options_.header && !options_.names.empty() && options_.names.size() != count_) {
      fail(Code::kInvalid, "csv", "names", "names has ", options_.names.size(), " names but ",
           paths()[0], " has ", count_, " columns");
    }
    names_ = options_.names.empty() && options_.header ? columns_ : options_.names;
    for (size_t k = 0; k < names_.size(); ++k) {
      if (std::ranges::count(columns_, names_[k]) < 2 || !options_.header) continue;
      fail(Code::kInvalid, "csv", "names", "there are two columns '", names_[k], "' in ",
           paths()[0], "; rename one of them");
    }
    for (size_t k = 0; k < (has_names_ ? names_.size() : count_); ++k) {
      size_t at = k;
      if (options_.header) {
        at = static_cast<size_t>(std::ranges::find(columns_, names_[k]) - columns_.begin());
      }
      if (at >= count_) {
        fail(Code::kInvalid, "csv", "names", "there is no column '", names_[k], "' in ", paths()[0],
             "; it has ", columns_);
      }
      wanted_.push_back(at);
    }
  }

  void find_types() {
    if (!options_.types.empty() && options_.types.size() != wanted_.size()) {
      fail(Code::kInvalid, "csv", "types", "types has ", options_.types.size(), " entries but ",
           wanted_.size(), " columns are wanted; give one for each");
    }
    for (const std::string& type : options_.types) {
      const std::optional<DType> dtype = parse_dtype(type);
      if (!dtype && type != kText) {
        fail(Code::kInvalid, "csv", "types", "types has '", type, "'; it is a dtype, or 'text'");
      }
      types_.push_back(dtype);
    }
    if (options_.types.empty()) types_by_first_records();
  }

  void types_by_first_records() {
    types_.assign(wanted_.size(), DType::kI64);
    FileReader file(paths()[0], "csv", packed());
    int64_t line = 1;
    pass_mark(file);
    if (options_.header && !file.done()) read_record(file, options_.delimiter, line);
    for (int64_t i = 0; i < kSeen; ++i) {
      skip_empty_lines(file, line);
      if (file.done()) break;
      const Record record = read_record(file, options_.delimiter, line);
      if (record.fields.size() != count_) continue;
      for (size_t k = 0; k < wanted_.size(); ++k) {
        const std::string& field = record.fields[wanted_[k]];
        int64_t whole = 0;
        double number = 0;
        if (types_[k] == DType::kI64 && !parses(field, whole)) types_[k] = DType::kF32;
        if (types_[k] == DType::kF32 && !field.empty() && !parses(field, number)) types_[k] = {};
      }
    }
  }

  Leaf leaf_of(const std::string& field, size_t k, const Origin& origin) const {
    if (!types_[k]) return Leaf(field);
    const DType dtype = *types_[k];
    int64_t whole = 0;
    double number = 0;
    bool fits = false;
    if (is_integer(dtype) || dtype == DType::kBool) {
      fits = parses(field, whole) && fits_in(dtype, whole);
      if (dtype == DType::kI64 && fits) {
        return Tensor::from_bytes(DType::kI64, Shape{}, std::as_bytes(std::span(&whole, 1)));
      }
      number = static_cast<double>(whole);
    } else {
      fits = trimmed(field).empty() || parses(field, number);
      if (trimmed(field).empty()) number = std::nan("");  // a missing number
    }
    if (fits) return Tensor::scalar(dtype, number);
    fail(Code::kIo, "csv", "value", to_string(origin), ", column ",
         has_names_ ? "'" + names_[k] + "'" : std::to_string(wanted_[k]), " is '",
         field.substr(0, 40), "', which is no ", name_of(dtype),
         "; types= says what the columns hold");
  }

  static bool fits_in(DType dtype, int64_t value) {
    if (dtype == DType::kI64) return true;
    if (dtype == DType::kBool) return value == 0 || value == 1;
    const int64_t bits = 8 * size_of(dtype);
    if (is_unsigned_integer(dtype)) return value >= 0 && (bits == 64 || value < int64_t{1} << bits);
    return value >= -(int64_t{1} << (bits - 1)) && value < int64_t{1} << (bits - 1);
  }

  const CsvOptions options_;
  std::vector<std::string> columns_, names_;
  size_t count_ = 0;                         // of all columns
  std::vector<size_t> wanted_;               // their numbers
  std::vector<std::optional<DType>> types_;  // of those; none: text
  Shared<const Form> form_;
  int64_t header_lines_ = 1;  // the line behind the header
  bool has_names_ = false;
};

}  // namespace

Dataset csv(Paths paths, CsvOptions options) {
  return Dataset(new_shared<const Csv>(std::move(paths), std::move(options)));
}

}  // namespace weft::data
