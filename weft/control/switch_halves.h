// The halves of a choice: forward branches that give what their backward halves read, all of them
// values of the same types.
#pragma once

#include "weft/control/ops.h"
#include "weft/trace/halves.h"

namespace weft {

class SwitchHalves {
 public:
  // Of these branches, for the cotangents of these operands. `operands` are the types they are
  // given.
  SwitchHalves(const FunctionsAttr& branches, const Flags& wanted, TypeSpan operands);

  // Can what the branches save be given by all of them? Not if only running one tells a size.
  bool can_save() const { return can_save_; }
  // Results: those of the branch, then a value for each place, zeros where it saves nothing there.
  FunctionsAttr forward() const;
  // Parameters: those of the branches, the results of `forward`, a cotangent for each given one, a
  // sum for each begun operand. Results: the cotangents of the operands that are reached in some
  // branch; in the others zeros, or the sum as it was begun.
  struct Backward {
    FunctionsAttr branches;
    Flags reached;
  };
  Backward backward(const Flags& given, const Flags& begun) const;

 private:
  // Where the branches put what they save; branches that save values of one type share places.
  struct Place {
    size_t branch, result;  // one that uses it, and which of its results this is
  };
  void take_places(size_t branch);
  Type type_in(const ir::Function& branch, const Place& place) const;
  std::string key(std::string_view kind, size_t branch) const;

  const FunctionsAttr& branches_;
  const Flags& wanted_;
  const TypeSpan operands_;
  FunctionsAttr halves_;  // forward halves
  bool can_save_ = true;
  std::vector<Place> places_;
  std::vector<std::vector<size_t>> used_;  // per branch and saved value: its place
};

}  // namespace weft
