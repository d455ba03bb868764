// Reading what is expected, and comparing.
#include "weft/trace/expect.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "weft/base/error.h"
#include "weft/base/fail_at.h"
#include "weft/op/apply.h"
#include "weft/state/state.h"
#include "weft/trace/staging.h"

namespace weft {
namespace {

bool is_name(std::string_view word) {
  const auto is_letter = [](char c) { return isalpha(static_cast<unsigned char>(c)) || c == '_'; };
  return is_letter(word[0]) && std::ranges::all_of(word, [&](char c) {
           return is_letter(c) || isdigit(static_cast<unsigned char>(c));
         });
}

std::optional<int64_t> number_in(std::string_view word) {
  int64_t out = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), out);
  const bool is_one = error == std::errc() && end == word.data() + word.size() && out >= 0;
  return is_one ? std::optional(out) : std::nullopt;
}

std::vector<std::string_view> words_of(std::string_view sizes, Where where) {
  std::vector<std::string_view> out;
  constexpr std::string_view kSpace = " ,\t\n";
  for (size_t at = sizes.find_first_not_of(kSpace); at != std::string_view::npos;) {
    const size_t end = std::min(sizes.find_first_of(kSpace, at), sizes.size());
    out.push_back(sizes.substr(at, end - at));
    if (!is_name(out.back()) && !number_in(out.back())) {
      fail_at(where, Code::kInvalid, "expect", "sizes", "'", out.back(), "' in \"", sizes,
              "\" is no size; sizes are numbers, names, and _ for any");
    }
    at = sizes.find_first_not_of(kSpace, end);
  }
  return out;
}

// "n", or "n = 3" if the call that is traced tells.
std::string shown(Dim size, Staging* graph) {
  const std::optional<int64_t> hint =
      graph == nullptr || size.is_known() ? std::nullopt : graph->hint(size);
  return hint ? text(size, " = ", *hint) : text(size);
}

}  // namespace

Tensor expect(const Tensor& x, std::string_view sizes, Where where) {
  const std::vector<std::string_view> words = words_of(sizes, where);
  if (words.size() != x.shape().size()) {
    fail_at(where, Code::kInvalid, "expect", "rank", "x has shape ", x.shape(), ", which has ",
            x.shape().size(), " axes, but \"", sizes, "\" has ", words.size());
  }
  Staging* const own = staging_of(x);
  Staging* const graph = innermost_staging() != nullptr ? innermost_staging() : own;
  const size_t assumed = graph == nullptr ? 0 : graph->assumptions().size();
  std::map<std::string_view, Dim> named;  // in this call
  for (size_t axis = 0; axis < words.size(); ++axis) {
    const std::string_view word = words[axis];
    if (word == "_") continue;
    const Dim size = x.shape()[axis];
    const std::optional<int64_t> number = number_in(word);
    Dim wanted = number ? Dim(*number) : named.try_emplace(word, size).first->second;
    if (graph != nullptr) {
      if (!number) wanted = graph->size_named(word, size);
      if (graph->is_size(size, wanted, where)) continue;
    } else if (same(size, wanted) != Tri::kNo) {
      continue;
    }
    fail_at(where, Code::kInvalid, "expect", "size", "\"", sizes, "\" is expected, but axis ", axis,
            " of x (", x.type(), ") has size ", shown(size, graph), ", not ", shown(wanted, graph));
  }
  if (own == nullptr) return x;
  const Tensor renamed = own->tensor_of(staged_value(x, *own));
  const Tensor& out = renamed.type() == x.type() ? x : renamed;
  // What a run has to check is checked if this node runs.
  if (own->kind() != Staging::Kind::kGraph || graph->assumptions().size() == assumed) return out;
  return apply_prepared(kIdentity, {&out, 1}, &kNoAttrs, where)[0];
}

}  // namespace weft
