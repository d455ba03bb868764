// History: what was measured in each epoch.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "weft/io/checkpoint/state.h"

namespace weft::train {

// What was measured, by name, in the order of the metrics: the loss first.
class Logs {
 public:
  void set(std::string name, double value);
  // Null: there is none of that name.
  const double* find(std::string_view name) const;
  // Raises [Logs.name].
  double operator[](std::string_view name) const;
  bool empty() const { return all_.empty(); }
  size_t size() const { return all_.size(); }
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }
  // "loss, accuracy"
  std::string names() const;

 private:
  std::vector<std::pair<std::string, double>> all_;
};

// Seconds that steps waited for data, and seconds that they worked, without validation.
struct Waiting {
  double waited = 0, worked = 0;
  // The part of the time that was waited; none before the first step.
  std::optional<double> part() const {
    const double whole = waited + worked;
    return whole > 0 ? std::optional(waited / whole) : std::nullopt;
  }
};

class History {
 public:
  std::vector<int64_t> epoch;                                        // numbers of the epochs
  std::vector<std::pair<std::string, std::vector<double>>> history;  // a value for each epoch
  // Why the training ended before its last epoch; none if it did not. "interrupted" after Ctrl-C,
  // else a sentence of who stopped it: "early stopping: val_loss has not become better for 3
  // epochs; ...", "the loss or a gradient is not finite in epoch 2, ...", or what was given to
  // Run::stop. If that was at the end of an epoch, a run that is taken up from its folder does not
  // go on.
  std::optional<std::string> stop_reason;
  // What went wrong though it went on, such as a checkpoint that could not be saved.
  std::vector<std::string> warnings;
  Waiting times;

  // The part of the time of training in which steps waited for data.
  std::optional<double> waiting() const { return times.part(); }
  // The values of a name, one for each epoch; raises [History.name].
  const std::vector<double>& operator[](std::string_view name) const;
  void add(int64_t number, const Logs& logs);
  // Draws a panel for each name, loss and val_loss together, as .png or .svg.
  void plot(const std::string& path) const;

  SavedState state_dict() const;
  void load_state_dict(const SavedState& state);
};
// <History of 2 epochs: loss=0.5, accuracy=0.75>
void append_text(std::string& out, const History& history);
std::string to_string(const History& history);
std::ostream& operator<<(std::ostream& out, const History& history);
// loss=0.5, accuracy=0.75
void append_text(std::string& out, const Logs& logs);
std::string to_string(const Logs& logs);
std::ostream& operator<<(std::ostream& out, const Logs& logs);

// A number as people read it: 0.1234, 1e-05.
std::string shown(double number, int digits = 4);

}  // namespace weft::train
