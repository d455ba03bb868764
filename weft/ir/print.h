// The text of graphs and functions: prints, and parses back to an equal one.
//
//   weft 1
//
//   variable @w: f32[784, 10]
//
//   function @predict(%x: f32[n, 784]) -> (f32[n, 10]) {
//     %w = read_variable() {variable=@w} : f32[784, 10]
//     %y = matmul(%x, %w) : f32[n, 10] at "model.py:12"
//     return %y
//   }
//
// What a graph lists under a name stands before `return`, values, ops and Variables (version 2):
//
//     collect "losses" %loss, op %step, @w
//
// Names of letters, digits and _/.-<>? stand as they are, others in quotes: %"my layer". Comments
// go from // to the end of a line; they are not kept.
#pragma once

#include <map>

#include "weft/ir/function.h"
#include "weft/ir/lists.h"

namespace weft::ir {

// The first line says it: the lowest version that reads the text. A later version reads the texts
// of all before it.
inline constexpr int kTextVersion = 2;

struct TextOptions {
  bool lines = true;  // the user's lines
};

// A whole document: the Variables and functions it names come before it.
std::string to_text(const Function& function, const TextOptions& options = {},
                    const Lists& lists = {});

// What a document holds; the function it is about comes last.
struct Document {
  std::vector<Shared<const Function>> functions;
  std::map<std::string, Variable, std::less<>> variables;
  Lists lists;  // of that function

  const Shared<const Function>& main() const { return functions.back(); }
};

// Reads a document. `variables` are those that it names already; others are made, with zeros for
// values. Raises [graph.parse] with line and column, and what `verify` raises; text of any kind
// does no harm. Ops must be registered: those that live in one program only, such as custom
// functions and checkpoints, print and do not parse.
Document parse(std::string_view text, std::map<std::string, Variable, std::less<>> variables = {});

}  // namespace weft::ir
