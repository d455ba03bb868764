// In which order the operands of an einsum are contracted.
#include <algorithm>
#include <limits>

#include "weft/ops/shape/einsum_plan.h"

namespace weft {
namespace {

constexpr size_t kTryAll = 5;        // orders of more terms are too many to try
constexpr double kUnknownSize = 64;  // what a symbol counts as

struct Sized {
  Label label;
  double size;
};

class Search {
 public:
  Search(const std::vector<Labels>& terms, const std::vector<Shape>& sizes, const Labels& result)
      : result_(result) {
    for (size_t k = 0; k < terms.size(); ++k) {
      for (size_t i = 0; i < terms[k].size(); ++i) {
        const std::optional<int64_t> size = hinted_value(sizes[k][i]);
        note(terms[k][i], size ? static_cast<double>(*size) : kUnknownSize);
      }
    }
  }

  // The labels of both that somebody still needs.
  Labels joined(const std::vector<Labels>& terms, Pair pair) const {
    Labels out;
    for (const Labels* labels : {&terms[pair.first], &terms[pair.second]}) {
      for (Label label : *labels) {
        bool needed = contains(result_, label);
        for (size_t k = 0; k < terms.size(); ++k) {
          needed |= k != pair.first && k != pair.second && contains(terms[k], label);
        }
        if (needed && !contains(out, label)) out.push_back(label);
      }
    }
    return out;
  }

  double elements(const Labels& labels) const {
    double out = 1;
    for (Label label : labels) out *= size_of_label(label);
    return out;
  }

  // Every label of both once: one multiplication each.
  double work(const std::vector<Labels>& terms, Pair pair) const {
    Labels all = terms[pair.first];
    for (Label label : terms[pair.second]) {
      if (!contains(all, label)) all.push_back(label);
    }
    return elements(all);
  }

  static std::vector<Labels> after(std::vector<Labels> terms, Pair pair, Labels made) {
    terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(pair.second));
    terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(pair.first));
    terms.push_back(std::move(made));
    return terms;
  }

  void best(const std::vector<Labels>& terms, double done, std::vector<Pair>& so_far) {
    if (done >= least_) return;
    if (terms.size() <= 1) {
      least_ = done;
      path = so_far;
      return;
    }
    for (size_t i = 0; i < terms.size(); ++i) {
      for (size_t j = i + 1; j < terms.size(); ++j) {
        so_far.push_back({i, j});
        best(after(terms, {i, j}, joined(terms, {i, j})), done + work(terms, {i, j}), so_far);
        so_far.pop_back();
      }
    }
  }

  void greedy(std::vector<Labels> terms) {
    while (terms.size() > 1) {
      Pair chosen{0, 1};
      double least = std::numeric_limits<double>::infinity();
      for (size_t i = 0; i < terms.size(); ++i) {
        for (size_t j = i + 1; j < terms.size(); ++j) {
          const double growth =
              elements(joined(terms, {i, j})) - elements(terms[i]) - elements(terms[j]);
          if (growth < least) least = growth, chosen = {i, j};
        }
      }
      path.push_back(chosen);
      terms = after(terms, chosen, joined(terms, chosen));
    }
  }

  std::vector<Pair> path;

 private:
  void note(Label label, double size) {
    for (Sized& known : sizes_) {
      if (known.label != label) continue;
      known.size = std::max(known.size, size);
      return;
    }
    sizes_.push_back({label, size});
  }
  double size_of_label(Label label) const {
    for (const Sized& known : sizes_) {
      if (known.label == label) return known.size;
    }
    return 1;
  }

  const Labels& result_;
  std::vector<Sized> sizes_;
  double least_ = std::numeric_limits<double>::infinity();
};

}  // namespace

std::vector<Pair> contraction_path(const std::vector<Labels>& terms,
                                   const std::vector<Shape>& sizes, const Labels& result) {
  Search search(terms, sizes, result);
  if (terms.size() <= kTryAll) {
    std::vector<Pair> so_far;
    search.best(terms, 0, so_far);
  } else {
    search.greedy(terms);
  }
  return search.path;
}

}  // namespace weft
