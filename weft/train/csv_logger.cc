// CSVLogger: a line for each epoch.
#include <algorithm>

#include "weft/base/error.h"
#include "weft/base/file.h"
#include "weft/io/json/json.h"
#include "weft/train/callbacks.h"
#include "weft/train/run.h"

namespace weft::train {
namespace {

// Python's repr of a number, so that both languages write one file.
std::string written(double number) {
  if (number != number) return "nan";
  return text(number);
}

bool is_number(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return '0' <= c && c <= '9'; });
}

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> out(1);
  for (const char c : line) {
    if (c == ',') {
      out.emplace_back();
    } else if (c != '\r') {
      out.back() += c;
    }
  }
  return out;
}

std::vector<std::string> lines_of(const std::string& all) {
  std::vector<std::string> out;
  for (size_t first = 0; first < all.size();) {
    const size_t end = std::min(all.find('\n', first), all.size());
    out.push_back(all.substr(first, end - first));
    first = end + 1;
  }
  return out;
}

const std::string* find(const std::vector<std::pair<std::string, std::string>>& row,
                        std::string_view name) {
  for (const auto& [known, cell] : row) {
    if (known == name) return &cell;
  }
  return nullptr;
}

}  // namespace

std::vector<CSVLogger::Row> CSVLogger::read_rows() const {
  const std::optional<std::string> bytes = try_read_file(path_);
  if (!bytes) return {};
  const std::vector<std::string> lines = lines_of(*bytes);
  std::vector<Row> out;
  for (size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> names = cells_of(lines[0]), cells = cells_of(lines[i]);
    Row& row = out.emplace_back();
    for (size_t k = 0; k < std::min(names.size(), cells.size()); ++k) {
      row.emplace_back(names[k], cells[k]);
    }
    const std::string* const epoch = find(row, "epoch");
    if (epoch != nullptr && is_number(*epoch)) continue;
    fail(Code::kInvalid, "CSVLogger", "append", "'", path_,
         "' is there, but has no numbers in a column 'epoch'; name another file, or leave append "
         "false");
  }
  return out;
}

void CSVLogger::on_train_begin(Run&) { rows_ = append_ ? read_rows() : std::vector<Row>(); }

void CSVLogger::on_epoch_end(Run& run, int64_t epoch, const Logs& logs) {
  // Of epochs that are done again the last account counts.
  std::erase_if(rows_, [&](const Row& row) { return std::stoll(*find(row, "epoch")) >= epoch; });
  Row& own = rows_.emplace_back();
  own.emplace_back("epoch", text(epoch));
  for (const auto& [name, value] : logs) own.emplace_back(name, written(value));
  std::vector<std::string> names;
  for (const Row& row : rows_) {
    for (const auto& [name, cell] : row) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  std::string all;
  for (const std::string& name : names) all += text(all.empty() ? "" : ",", name);
  for (const Row& row : rows_) {
    std::string line;
    for (const std::string& name : names) {
      const std::string* const cell = find(row, name);
      line += text(name == names[0] ? "" : ",", cell == nullptr ? "" : *cell);
    }
    all += text('\n', line);
  }
  try {
    write_file_atomically(path_, all + "\n");
  } catch (const Error& error) {
    if (error.code == Code::kInterrupted) throw;
    run.warn(text("CSVLogger: '", path_, "' could not be written: ", error.message,
                  "; training goes on [CSVLogger.write]"));
  }
}

// As Python keeps them: [{"epoch": "0", "loss": "0.5"}, ...].
SavedState CSVLogger::state_dict() const {
  io::JsonArray all;
  for (const Row& row : rows_) all.emplace_back(io::JsonObject(row.begin(), row.end()));
  return SavedState::dict({{"rows", io::to_text(io::Json(std::move(all)))}});
}

void CSVLogger::load_state_dict(Run&, const SavedState& state) {
  const SavedState* const kept = state.find("rows");
  if (kept == nullptr) return;
  const io::Json all = io::parse_json(kept->text(), "CSVLogger", "its state");
  std::vector<Row> rows;
  const auto* const list = all.get_if<io::JsonArray>();
  for (const io::Json& one : list != nullptr ? *list : io::JsonArray()) {
    const auto* const members = one.get_if<io::JsonObject>();
    if (members == nullptr || one.find("epoch") == nullptr) continue;
    Row& row = rows.emplace_back();
    for (const auto& [name, cell] : *members) {
      const auto* const words = cell.get_if<std::string>();
      row.emplace_back(name, words != nullptr ? *words : "");
    }
  }
  rows_ = std::move(rows);
}

}  // namespace weft::train
