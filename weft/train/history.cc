// What was measured, by name and by epoch.
#include "weft/train/history.h"

#include <algorithm>
#include <cstdio>
#include <ostream>

#include "weft/base/error.h"
#include "weft/train/picture/pictures.h"

namespace weft::train {

void Logs::set(std::string name, double value) {
  for (auto& [known, held] : all_) {
    if (known == name) {
      held = value;
      return;
    }
  }
  all_.emplace_back(std::move(name), value);
}

const double* Logs::find(std::string_view name) const {
  for (const auto& [known, value] : all_) {
    if (known == name) return &value;
  }
  return nullptr;
}

double Logs::operator[](std::string_view name) const {
  if (const double* const value = find(name)) return *value;
  fail(Code::kIndex, "Logs", "name", "has no '", name, "'; it has ",
       empty() ? "nothing yet" : names());
}

std::string Logs::names() const {
  std::string out;
  for (const auto& [name, value] : all_) out += text(out.empty() ? "" : ", ", name);
  return out;
}

const std::vector<double>& History::operator[](std::string_view name) const {
  std::string names;
  for (const auto& [known, values] : history) {
    if (known == name) return values;
    names += text(names.empty() ? "" : ", ", known);
  }
  fail(Code::kIndex, "History", "name", "has no '", name, "'; it has ",
       names.empty() ? "nothing yet" : names);
}

void History::add(int64_t number, const Logs& logs) {
  epoch.push_back(number);
  for (const auto& [name, value] : logs) {
    auto at = history.begin();
    while (at != history.end() && at->first != name) ++at;
    if (at == history.end()) at = history.insert(at, {name, {}});
    at->second.push_back(value);
  }
}

void History::plot(const std::string& path) const {
  std::vector<double> epochs;
  for (const int64_t number : epoch) epochs.push_back(static_cast<double>(number) + 1);
  draw_curves(path, epochs, history);
}

SavedState History::state_dict() const {
  SavedState::List epochs(epoch.begin(), epoch.end());
  SavedState::Dict all;
  for (const auto& [name, values] : history) {
    all.emplace_back(name, SavedState::list({values.begin(), values.end()}));
  }
  return SavedState::dict(
      {{"epoch", SavedState::list(std::move(epochs))}, {"history", SavedState::dict(all)}});
}

void History::load_state_dict(const SavedState& state) {
  History loaded;
  for (const SavedState& one : state.at("epoch").items()) loaded.epoch.push_back(one.integer());
  for (const auto& [name, values] : state.at("history").members()) {
    // Python keeps matrices, too.
    const SavedState::List& items = values.items();
    const auto is_tensor = [](const SavedState& one) {
      return std::holds_alternative<Tensor>(one.value());
    };
    if (std::ranges::any_of(items, is_tensor)) continue;
    std::vector<double>& own = loaded.history.emplace_back(name, std::vector<double>()).second;
    for (const SavedState& one : items) own.push_back(one.number());
  }
  epoch = std::move(loaded.epoch);
  history = std::move(loaded.history);
}

void append_text(std::string& out, const History& history) {
  const size_t count = history.epoch.size();
  Logs last;
  for (const auto& [name, values] : history.history) last.set(name, values.back());
  out += text("<History of ", count, " epoch", count == 1 ? "" : "s", ": ", last, ">");
}
std::string to_string(const History& history) { return text(history); }
std::ostream& operator<<(std::ostream& out, const History& history) { return out << text(history); }

void append_text(std::string& out, const Logs& logs) {
  const char* between = "";
  for (const auto& [name, value] : logs) {
    out += text(between, name, "=", shown(value));
    between = ", ";
  }
}
std::string to_string(const Logs& logs) { return text(logs); }
std::ostream& operator<<(std::ostream& out, const Logs& logs) { return out << text(logs); }

std::string shown(double number, int digits) {
  char out[32];
  std::snprintf(out, sizeof out, "%.*g", digits, number);
  return out;
}

}  // namespace weft::train
