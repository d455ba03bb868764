// Rule: a function whose first parameter is the op's attribute struct, with that type erased, so
// that OpDef is plain data.
#pragma once

namespace weft {

template <class Result, class... Params>
struct Rule {
  Result (*call)(const void* attrs, Params...) = nullptr;

  constexpr explicit operator bool() const { return call != nullptr; }
  Result operator()(const void* attrs, Params... params) const {
    return call(attrs, static_cast<Params>(params)...);
  }
};

namespace detail {
template <auto F, class Attrs, class Result, class... Params>
constexpr Rule<Result, Params...> erase(Result (*)(const Attrs&, Params...)) {
  return {[](const void* attrs, Params... params) -> Result {
    return F(*static_cast<const Attrs*>(attrs), static_cast<Params>(params)...);
  }};
}
}  // namespace detail

// rule<concat_infer>(): for functions `Result f(const Attrs&, ...)`.
template <auto F>
constexpr auto rule() {
  return detail::erase<F>(+F);
}

}  // namespace weft
