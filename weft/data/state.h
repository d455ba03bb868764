// State: what an iterator is in the middle of, as tensors by name, so that any checkpoint holds it.
#pragma once

#include <map>

#include "weft/data/element.h"

namespace weft::data {

using State = std::map<std::string, Tensor>;

// Writes under a prefix: "batch/shuffle/position".
class StateWriter {
 public:
  explicit StateWriter(State& out, std::string prefix = "")
      : out_(&out), prefix_(std::move(prefix)) {}

  StateWriter at(std::string_view name) const {
    return StateWriter(*out_, text(prefix_, name, "/"));
  }
  void put(std::string_view name, const Tensor& value) const {
    out_->insert_or_assign(text(prefix_, name), value);
  }
  void put(std::string_view name, int64_t value) const;
  void put(std::string_view name, std::string_view bytes) const;
  void put(std::string_view name, std::span<const int64_t> values) const;
  void put(std::string_view name, const Element& element) const;
  void put(std::string_view name, std::span<const Element> elements) const;

 private:
  State* out_;
  std::string prefix_;
};

// Reads them back. What is missing or of another kind raises [load_state_dict.state].
class StateReader {
 public:
  explicit StateReader(const State& state, std::string prefix = "")
      : state_(&state), prefix_(std::move(prefix)) {}

  StateReader at(std::string_view name) const {
    return StateReader(*state_, text(prefix_, name, "/"));
  }
  bool has(std::string_view name) const { return state_->contains(text(prefix_, name)); }
  const Tensor& tensor(std::string_view name) const;
  int64_t integer(std::string_view name) const;
  int64_t position(std::string_view name) const;  // an integer that is not negative
  std::string bytes(std::string_view name) const;
  std::vector<int64_t> integers(std::string_view name) const;
  Element element(std::string_view name) const;
  std::vector<Element> elements(std::string_view name) const;

  [[noreturn]] void fail_state(std::string_view name, std::string_view wrong) const;

 private:
  const State* state_;
  std::string prefix_;
};

// An element as bytes, and back: for files. Reading raises [who.element] for what is no element.
std::string element_bytes(const Element& element);
Element element_of(std::string_view bytes, std::string_view who);

}  // namespace weft::data
