// Math functions as Call nodes, and their values by libm.
#include "weft/expr/calls.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "weft/base/error.h"
#include "weft/expr/build.h"
#include "weft/expr/intern.h"

namespace weft {

using namespace expr_internal;

namespace {

constexpr std::array<std::string_view, kNumFns> kNames{
    "exp",  "expm1", "exp2", "log",   "log1p", "log2",  "log10",  "sin",     "cos",
    "tan",  "asin",  "acos", "atan",  "sinh",  "cosh",  "tanh",   "sigmoid", "erf",
    "erfc", "pow",   "cbrt", "asinh", "acosh", "atanh", "erfinv", "lgamma",  "digamma"};

Expr make_call(Fn fn, Expr a, const Expr* b) {
  ExprNode node = blank(ExprOp::kCall, a.dtype());
  node.fn = fn;
  node.args[node.arity++] = a.node();
  if (b != nullptr) node.args[node.arity++] = b->node();
  return intern(node);
}

// A function of language constants is a language constant.
Expr weak_call(Fn fn, Expr a, Expr b) {
  return Expr(static_cast<double>(
      call_libm(fn, std::bit_cast<double>(a->constant), std::bit_cast<double>(b->constant))));
}

}  // namespace

std::string_view name_of(Fn fn) { return kNames[static_cast<size_t>(fn)]; }

Expr call(Fn fn, Expr a) {
  if (fn == Fn::kPow) {
    fail(Code::kInvalid, "pow", "arity", "1 argument was given; it takes a base and an exponent");
  }
  if (is_complex(a.dtype())) return complex_call(fn, a);
  if (a->weak && a.is_constant()) return weak_call(fn, a, a);
  require_float(name_of(fn), a);
  return make_call(fn, a->weak ? adapt(name_of(fn), a, DType::kF64) : a, nullptr);
}

Expr call(Fn fn, Expr a, Expr b) {
  if (fn != Fn::kPow) {
    fail(Code::kInvalid, name_of(fn), "arity", "2 arguments were given; it takes 1");
  }
  if (a->weak && b->weak && a.is_constant() && b.is_constant()) return weak_call(fn, a, b);
  unify("pow", a, b);
  if (is_complex(a.dtype())) return complex_pow(a, b);
  require_float("pow", a);
  return make_call(fn, a, &b);
}

Expr exp(Expr a) { return call(Fn::kExp, a); }
Expr expm1(Expr a) { return call(Fn::kExpm1, a); }
Expr exp2(Expr a) { return call(Fn::kExp2, a); }
Expr log(Expr a) { return call(Fn::kLog, a); }
Expr log1p(Expr a) { return call(Fn::kLog1p, a); }
Expr log2(Expr a) { return call(Fn::kLog2, a); }
Expr log10(Expr a) { return call(Fn::kLog10, a); }
Expr sin(Expr a) { return call(Fn::kSin, a); }
Expr cos(Expr a) { return call(Fn::kCos, a); }
Expr tan(Expr a) { return call(Fn::kTan, a); }
Expr asin(Expr a) { return call(Fn::kAsin, a); }
Expr acos(Expr a) { return call(Fn::kAcos, a); }
Expr atan(Expr a) { return call(Fn::kAtan, a); }
Expr sinh(Expr a) { return call(Fn::kSinh, a); }
Expr cosh(Expr a) { return call(Fn::kCosh, a); }
Expr tanh(Expr a) { return call(Fn::kTanh, a); }
Expr sigmoid(Expr a) { return call(Fn::kSigmoid, a); }
Expr erf(Expr a) { return call(Fn::kErf, a); }
Expr erfc(Expr a) { return call(Fn::kErfc, a); }
Expr cbrt(Expr a) { return call(Fn::kCbrt, a); }
Expr asinh(Expr a) { return call(Fn::kAsinh, a); }
Expr acosh(Expr a) { return call(Fn::kAcosh, a); }
Expr atanh(Expr a) { return call(Fn::kAtanh, a); }
Expr erfinv(Expr a) { return call(Fn::kErfinv, a); }
Expr lgamma(Expr a) { return call(Fn::kLgamma, a); }
Expr digamma(Expr a) { return call(Fn::kDigamma, a); }
Expr pow(Expr a, Expr b) { return call(Fn::kPow, a, b); }

// atan of the smaller over the larger magnitude, moved to the octant, then to the quadrant.
Expr atan2(Expr y, Expr x) {
  unify("atan2", y, x);
  if (y->weak) y = adapt("atan2", y, DType::kF64), x = adapt("atan2", x, DType::kF64);
  require_float("atan2", y);
  const Expr ax = abs(x), ay = abs(y);
  const Expr steep = ax < ay;
  const Expr small = where(steep, ax, ay), large = where(steep, ay, ax);
  // 0 / 0 and inf / inf mean 0 and 1 here.
  const Expr quotient = where(
      large == 0, 0.0, where(small == std::numeric_limits<double>::infinity(), 1.0, small / large));
  constexpr double pi = std::numbers::pi;
  const Expr angle = atan(quotient);
  const Expr octant = where(steep, Expr(pi / 2) - angle, angle);
  const Expr negative = copy_sign(Expr::constant(x.dtype(), 1.0), x) < 0;  // also -0
  const Expr result = copy_sign(where(negative, Expr(pi) - octant, octant), y);
  return where(isnan(x) | isnan(y), x + y, result);
}

namespace expr_internal {

long double call_libm(Fn fn, long double a, long double b) {
  switch (fn) {
    case Fn::kExp: return std::exp(a);
    case Fn::kExpm1: return std::expm1(a);
    case Fn::kExp2: return std::exp2(a);
    case Fn::kLog: return std::log(a);
    case Fn::kLog1p: return std::log1p(a);
    case Fn::kLog2: return std::log2(a);
    case Fn::kLog10: return std::log10(a);
    case Fn::kSin: return std::sin(a);
    case Fn::kCos: return std::cos(a);
    case Fn::kTan: return std::tan(a);
    case Fn::kAsin: return std::asin(a);
    case Fn::kAcos: return std::acos(a);
    case Fn::kAtan: return std::atan(a);
    case Fn::kSinh: return std::sinh(a);
    case Fn::kCosh: return std::cosh(a);
    case Fn::kTanh: return std::tanh(a);
    case Fn::kSigmoid: return 1.0L / (1.0L + std::exp(-a));
    case Fn::kErf: return std::erf(a);
    case Fn::kErfc: return std::erfc(a);
    case Fn::kPow: return std::pow(a, b);
    case Fn::kCbrt: return std::cbrt(a);
    case Fn::kAsinh: return std::asinh(a);
    case Fn::kAcosh: return std::acosh(a);
    case Fn::kAtanh: return std::atanh(a);
    case Fn::kErfinv: return erfinv_libm(a);
    case Fn::kLgamma: return lgamma_libm(a);
    case Fn::kDigamma: return digamma_libm(a);
  }
  fail(Code::kInternal, "call", "fn", "function ", static_cast<int>(fn), " does not exist");
}

}  // namespace expr_internal
}  // namespace weft
