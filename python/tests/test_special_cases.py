"""The special cases that the array API standard (2024.12) lists for its elementwise functions, function by function.

A case is (arguments, result), in the order of the standard's list. An argument that is a tuple stands for each of its
numbers: ZEROS, POSITIVE, ANYTHING ... are the standard's words. A result may be a function of the arguments. Functions
that are not in the standard have cases after the same rules.

A complex number is c(real, imaginary), a complex result a tuple of two; any_sign marks what the standard leaves open.
Complex cases are given for arguments in the upper half plane or on the real axis, as the standard does; the others
follow by f(conj(z)) = conj(f(z)), which is checked with them.
"""

import itertools
import math
import struct

import pytest

import weft as wf

INF, NAN, PI = math.inf, math.nan, math.pi
Z, NZ = 0.0, -0.0
ZEROS, INFINITE = (Z, NZ), (INF, -INF)
POSITIVE, NEGATIVE = (0.25, 1.0, 3.0), (-0.25, -1.0, -3.0)
NONZERO = POSITIVE + NEGATIVE
FINITE = ZEROS + NONZERO
NUMBER = FINITE + INFINITE
ANYTHING = NUMBER + (NAN,)
ABOVE_ONE, BELOW_MINUS_ONE = (1.5, 3.0, INF), (-1.5, -3.0, -INF)
INTEGRAL = (1.0, 2.0, -1.0, -7.0, 64.0)
SAME = lambda *x: x[0]


class any_sign(float):
    """A number whose sign does not matter."""


def c(re, im):
    return re, im


UNARY = {
    "abs": [(NAN, NAN), (NZ, Z), (-INF, INF), (NONZERO, abs)],
    "acos": [(NAN, NAN), (ABOVE_ONE, NAN), (BELOW_MINUS_ONE, NAN), (1.0, Z), (-1.0, PI)],
    "acosh": [(NAN, NAN), ((0.5, -1.0, Z, NZ, -INF), NAN), (1.0, Z), (INF, INF)],
    "asin": [(NAN, NAN), (ABOVE_ONE, NAN), (BELOW_MINUS_ONE, NAN), (ZEROS, SAME), (1.0, PI / 2)],
    "asinh": [(NAN, NAN), (ZEROS, SAME), (INFINITE, SAME)],
    "atan": [(NAN, NAN), (ZEROS, SAME), (INF, PI / 2), (-INF, -PI / 2)],
    "atanh": [(NAN, NAN), (BELOW_MINUS_ONE, NAN), (ABOVE_ONE, NAN), (-1.0, -INF), (1.0, INF), (ZEROS, SAME)],
    "cbrt": [(NAN, NAN), (ZEROS, SAME), (INFINITE, SAME), (-8.0, -2.0)],
    "ceil": [(INTEGRAL, SAME), (INFINITE, SAME), (ZEROS, SAME), (NAN, NAN), (-0.5, NZ), (0.5, 1.0)],
    "conj": [(ANYTHING, SAME)],
    "cos": [(NAN, NAN), (ZEROS, 1.0), (INFINITE, NAN)],
    "cosh": [(NAN, NAN), (ZEROS, 1.0), (INFINITE, INF)],
    "digamma": [(NAN, NAN), (Z, -INF), (NZ, INF), (-3.0, NAN), (INF, INF), (-INF, NAN)],
    "erf": [(NAN, NAN), (ZEROS, SAME), (INF, 1.0), (-INF, -1.0)],
    "erfc": [(NAN, NAN), (INF, Z), (-INF, 2.0), (ZEROS, 1.0)],
    "erfinv": [(NAN, NAN), (ZEROS, SAME), (1.0, INF), (-1.0, -INF), (ABOVE_ONE, NAN), (BELOW_MINUS_ONE, NAN)],
    "exp": [(NAN, NAN), (ZEROS, 1.0), (INF, INF), (-INF, Z)],
    "exp2": [(NAN, NAN), (ZEROS, 1.0), (INF, INF), (-INF, Z), (-2.0, 0.25)],
    "expm1": [(NAN, NAN), (ZEROS, SAME), (INF, INF), (-INF, -1.0)],
    "floor": [(INTEGRAL, SAME), (INFINITE, SAME), (ZEROS, SAME), (NAN, NAN), (-0.5, -1.0), (0.5, Z)],
    "lgamma": [(NAN, NAN), (ZEROS, INF), ((1.0, 2.0), Z), (-4.0, INF), (INFINITE, INF)],
    "log": [(NAN, NAN), (NEGATIVE + (-INF,), NAN), (ZEROS, -INF), (1.0, Z), (INF, INF)],
    "log10": [(NAN, NAN), (NEGATIVE + (-INF,), NAN), (ZEROS, -INF), (1.0, Z), (INF, INF), (1000.0, 3.0)],
    "log1p": [(NAN, NAN), (BELOW_MINUS_ONE, NAN), (-1.0, -INF), (ZEROS, SAME), (INF, INF)],
    "log2": [(NAN, NAN), (NEGATIVE + (-INF,), NAN), (ZEROS, -INF), (1.0, Z), (INF, INF), (0.125, -3.0)],
    "logit": [(NAN, NAN), (ZEROS, -INF), (1.0, INF), (0.5, Z), ((-1.0, 2.0, INF, -INF), NAN)],
    "negative": [(NAN, NAN), (NUMBER, lambda x: -x)],
    "positive": [(ANYTHING, SAME)],
    "real": [(ANYTHING, SAME)],
    "reciprocal": [(NAN, NAN), (Z, INF), (NZ, -INF), (INF, Z), (-INF, NZ), (NONZERO, lambda x: 1 / x)],
    "round": [(INTEGRAL, SAME), (INFINITE, SAME), (ZEROS, SAME), (NAN, NAN), (0.5, Z), (-0.5, NZ), (1.5, 2.0), (2.5, 2.0),
              (-1.5, -2.0), (-2.5, -2.0), (3.5, 4.0)],
    "sign": [(NEGATIVE + (-INF,), -1.0), (ZEROS, any_sign(Z)), (POSITIVE + (INF,), 1.0), (NAN, NAN)],
    "sin": [(NAN, NAN), (ZEROS, SAME), (INFINITE, NAN)],
    "sinc": [(NAN, NAN), (ZEROS, 1.0)],
    "sinh": [(NAN, NAN), (ZEROS, SAME), (INFINITE, SAME)],
    "sqrt": [(NAN, NAN), (NEGATIVE + (-INF,), NAN), (ZEROS, SAME), (INF, INF)],
    "square": [(NAN, NAN), (NUMBER, lambda x: x * x)],
    "tan": [(NAN, NAN), (ZEROS, SAME), (INFINITE, NAN)],
    "tanh": [(NAN, NAN), (ZEROS, SAME), (INF, 1.0), (-INF, -1.0)],
    "trunc": [(INTEGRAL, SAME), (INFINITE, SAME), (ZEROS, SAME), (NAN, NAN), (-0.5, NZ), (0.5, Z), (-1.5, -1.0)],
}

ODD = ("asin", "asinh", "atan", "atanh", "cbrt", "erf", "erfinv", "sin", "sinh", "sign", "tan", "tanh", "trunc")
EVEN = ("abs", "cos", "cosh", "sinc", "square")

TRUTH = {
    "isfinite": [(INFINITE, False), (NAN, False), (FINITE, True)],
    "isinf": [(INFINITE, True), (FINITE, False), (NAN, False)],
    "isnan": [(NAN, True), (NUMBER, False)],
    "signbit": [(Z, False), (NZ, True), (INF, False), (-INF, True), (POSITIVE, False), (NEGATIVE, True)],
}
COMPLEX_TRUTH = {
    "isfinite": [(c(NAN, ANYTHING), False), (c(ANYTHING, NAN), False), (c(INFINITE, NUMBER), False), (c(NUMBER, INFINITE), False),
                 (c(FINITE, FINITE), True)],
    "isinf": [(c(INFINITE, ANYTHING), True), (c(FINITE + (NAN,), INFINITE), True), (c(FINITE, FINITE), False),
              (c(NAN, FINITE + (NAN,)), False), (c(FINITE, NAN), False)],
    "isnan": [(c(NAN, ANYTHING), True), (c(ANYTHING, NAN), True), (c(NUMBER, NUMBER), False)],
}
COMPARED = {
    "equal": [((NAN, ANYTHING), False), ((ANYTHING, NAN), False), ((INF, INF), True), ((-INF, -INF), True), ((ZEROS, ZEROS), True),
              ((FINITE, FINITE), lambda a, b: a == b), ((INF, -INF), False), ((INFINITE, FINITE), False), ((FINITE, INFINITE), False)],
    "not_equal": [((NAN, ANYTHING), True), ((ANYTHING, NAN), True), ((INF, -INF), True), ((-INF, INF), True),
                  ((FINITE, FINITE), lambda a, b: a != b), ((INF, INF), False), ((-INF, -INF), False)],
    "less": [((NAN, ANYTHING), False), ((ANYTHING, NAN), False), ((NUMBER, NUMBER), lambda a, b: a < b)],
    "less_equal": [((NAN, ANYTHING), False), ((ANYTHING, NAN), False), ((NUMBER, NUMBER), lambda a, b: a <= b)],
    "greater": [((NAN, ANYTHING), False), ((ANYTHING, NAN), False), ((NUMBER, NUMBER), lambda a, b: a > b)],
    "greater_equal": [((NAN, ANYTHING), False), ((ANYTHING, NAN), False), ((NUMBER, NUMBER), lambda a, b: a >= b)],
}

DIVISION = [((NAN, ANYTHING), NAN), ((ANYTHING, NAN), NAN), ((INFINITE, INFINITE), NAN), ((ZEROS, ZEROS), NAN), ((Z, POSITIVE), Z),
            ((NZ, POSITIVE), NZ), ((Z, NEGATIVE), NZ), ((NZ, NEGATIVE), Z), ((POSITIVE, Z), INF), ((POSITIVE, NZ), -INF),
            ((NEGATIVE, Z), -INF), ((NEGATIVE, NZ), INF), ((POSITIVE, INF), Z), ((NEGATIVE, -INF), Z)]
BINARY = {
    "add": [((NAN, ANYTHING), NAN), ((ANYTHING, NAN), NAN), ((INF, -INF), NAN), ((-INF, INF), NAN), ((INF, INF), INF),
            ((-INF, -INF), -INF), ((INF, FINITE), INF), ((-INF, FINITE), -INF), ((FINITE, INF), INF), ((FINITE, -INF), -INF),
            ((NZ, NZ), NZ), ((NZ, Z), Z), ((Z, NZ), Z), ((Z, Z), Z), ((ZEROS, NONZERO), lambda a, b: b), ((NONZERO, ZEROS), SAME),
            *[((x, -x), Z) for x in NONZERO], ((NONZERO, NONZERO), lambda a, b: a + b)],
    "atan2": [((NAN, ANYTHING), NAN), ((ANYTHING, NAN), NAN), ((POSITIVE, Z), PI / 2), ((POSITIVE, NZ), PI / 2), ((Z, POSITIVE), Z),
              ((Z, Z), Z), ((Z, NZ), PI), ((Z, NEGATIVE), PI), ((NZ, POSITIVE), NZ), ((NZ, Z), NZ), ((NZ, NZ), -PI), ((NZ, NEGATIVE), -PI),
              ((NEGATIVE, Z), -PI / 2), ((NEGATIVE, NZ), -PI / 2), ((POSITIVE, INF), Z), ((POSITIVE, -INF), PI), ((NEGATIVE, INF), NZ),
              ((NEGATIVE, -INF), -PI), ((INF, FINITE), PI / 2), ((-INF, FINITE), -PI / 2), ((INF, INF), PI / 4), ((INF, -INF), 3 * PI / 4),
              ((-INF, INF), -PI / 4), ((-INF, -INF), -3 * PI / 4), ((Z, INF), Z), ((Z, -INF), PI), ((NZ, INF), NZ), ((NZ, -INF), -PI)],
    "copysign": [((NUMBER, NEGATIVE + (NZ, -INF)), lambda a, b: -abs(a)), ((NUMBER, POSITIVE + (Z, INF)), lambda a, b: abs(a)),
                 ((NAN, ANYTHING), NAN)],
    "divide": DIVISION + [((INF, POSITIVE), INF), ((INF, NEGATIVE), -INF), ((-INF, POSITIVE), -INF), ((-INF, NEGATIVE), INF),
                          ((POSITIVE, -INF), NZ), ((NEGATIVE, INF), NZ), ((NONZERO, NONZERO), lambda a, b: a / b)],
    # The quotient rounded down: -1 where it is a little below 0, as in Python, which the standard allows.
    "floor_divide": DIVISION + [((INFINITE, NONZERO), lambda a, b: a * b), ((POSITIVE, -INF), -1.0), ((NEGATIVE, INF), -1.0),
                                ((NONZERO, NONZERO), lambda a, b: a // b)],
    "fmax": [((NAN, NUMBER), lambda a, b: b), ((NUMBER, NAN), SAME), ((NAN, NAN), NAN), ((-INF, 2.0), 2.0)],
    "fmin": [((NAN, NUMBER), lambda a, b: b), ((NUMBER, NAN), SAME), ((NAN, NAN), NAN), ((INF, 2.0), 2.0)],
    "fmod": [((NAN, ANYTHING), NAN), ((ANYTHING, NAN), NAN), ((INFINITE, NUMBER), NAN), ((NUMBER, ZEROS), NAN), ((FINITE, INFINITE), SAME),
             ((ZEROS, NONZERO), SAME), ((-4.0, 2.0), NZ), ((-7.0, 3.0), -1.0), ((7.0, -3.0), 1.0)],
    "heaviside": [((NEGATIVE, 0.5), Z), ((ZEROS, 0.5), 0.5), ((POSITIVE, 0.5), 1.0), ((NAN, 0.5), NAN)],
    "hypot": [((INFINITE, ANYTHING), INF), ((ANYTHING, INFINITE), INF), ((ZEROS, FINITE), lambda a, b: abs(b)),
              ((FINITE, ZEROS), lambda a, b: abs(a)), ((FINITE + (NAN,), NAN), NAN), ((NAN, FINITE + (NAN,)), NAN)],
    "logaddexp": [((NAN, ANYTHING), NAN), ((ANYTHING, NAN), NAN), ((INF, NUMBER), INF), ((NUMBER, INF), INF), ((-INF, -INF), -INF),
                  ((-INF, FINITE), lambda a, b: any_sign(b)), ((FINITE, -INF), lambda a, b: any_sign(a))],
    "logaddexp2": [((NAN, ANYTHING), NAN), ((ANYTHING, NAN), NAN), ((INF, NUMBER), INF), ((NUMBER, INF), INF), ((-INF, -INF), -INF),
                   ((3.0, 3.0), 4.0)],
    "maximum": [((NAN, ANYTHING), NAN), ((ANYTHING, NAN), NAN), ((NZ, Z), Z), ((Z, NZ), Z), ((NONZERO + INFINITE, NONZERO + INFINITE), max)],
    "minimum": [((NAN, ANYTHING), NAN), ((ANYTHING, NAN), NAN), ((NZ, Z), NZ), ((Z, NZ), NZ), ((NONZERO + INFINITE, NONZERO + INFINITE), min)],
    "multiply": [((NAN, ANYTHING), NAN), ((ANYTHING, NAN), NAN), ((INFINITE, ZEROS), NAN), ((ZEROS, INFINITE), NAN),
                 ((INFINITE, INFINITE), lambda a, b: a * b), ((INFINITE, NONZERO), lambda a, b: a * b),
                 ((NONZERO, INFINITE), lambda a, b: a * b), ((FINITE, FINITE), lambda a, b: a * b)],
    "nextafter": [((NAN, ANYTHING), NAN), ((ANYTHING, NAN), NAN), ((NZ, Z), Z), ((Z, NZ), NZ), *[((x, x), x) for x in NUMBER]],
    "pow": [((NEGATIVE + (3.0, Z, NZ, INF, -INF), NAN), NAN), ((ANYTHING, ZEROS), 1.0), ((NAN, NONZERO + INFINITE), NAN),
            ((ABOVE_ONE + BELOW_MINUS_ONE, INF), INF), ((ABOVE_ONE + BELOW_MINUS_ONE, -INF), Z), ((1.0, ANYTHING), 1.0),
            ((-1.0, INFINITE), 1.0), ((FINITE[:3] + (-0.5,), INF), Z), (((Z, NZ, 0.25, -0.5), -INF), INF), ((INF, POSITIVE + (INF,)), INF),
            ((INF, NEGATIVE + (-INF,)), Z), ((-INF, (1.0, 3.0)), -INF), ((-INF, (0.25, 2.0, INF)), INF), ((-INF, (-1.0, -3.0)), NZ),
            ((-INF, (-0.25, -2.0, -INF)), Z), ((Z, POSITIVE + (INF,)), Z), ((Z, NEGATIVE + (-INF,)), INF), ((NZ, (1.0, 3.0)), NZ),
            ((NZ, (0.25, 2.0, INF)), Z), ((NZ, (-1.0, -3.0)), -INF), ((NZ, (-0.25, -2.0, -INF)), INF), ((NEGATIVE, (0.25, -1.5)), NAN),
            (((-3.0, -0.5), (2.0, 3.0, -1.0)), lambda a, b: a ** b)],
    "remainder": [((NAN, ANYTHING), NAN), ((ANYTHING, NAN), NAN), ((INFINITE, INFINITE), NAN), ((ZEROS, ZEROS), NAN), ((ZEROS, POSITIVE), Z),
                  ((ZEROS, NEGATIVE), NZ), ((NONZERO, ZEROS), NAN), ((INFINITE, NONZERO), NAN), ((POSITIVE, INF), SAME),
                  ((POSITIVE, -INF), -INF), ((NEGATIVE, INF), INF), ((NEGATIVE, -INF), SAME), ((NONZERO, NONZERO), lambda a, b: a % b)],
    "subtract": [((NAN, ANYTHING), NAN), ((ANYTHING, NAN), NAN), ((INF, INF), NAN), ((-INF, -INF), NAN), ((INF, -INF), INF), ((-INF, INF), -INF),
                 ((INF, FINITE), INF), ((FINITE, INF), -INF), ((NZ, Z), NZ), ((Z, Z), Z), ((Z, NZ), Z), ((NZ, NZ), Z),
                 *[((x, x), Z) for x in NONZERO]],
    "xlogy": [((ZEROS, (Z, -1.0, INF)), any_sign(Z)), ((Z, NAN), NAN), ((2.0, Z), -INF), ((NAN, 1.0), NAN)],
    "xlog1py": [((ZEROS, (-1.0, -3.0, INF)), any_sign(Z)), ((Z, NAN), NAN), ((2.0, -1.0), -INF)],
}

A = any_sign


def cis(size):
    """size * (cos b + i sin b) of the argument a + i b, where size is 0 or infinite; a part is 0 or infinite too."""
    return lambda a, b: (math.copysign(size, math.cos(b)), math.copysign(size, math.sin(b)))


POLAR = [(c(-INF, POSITIVE), (INF, PI)), (c(INF, POSITIVE), (INF, Z)), (c(-INF, INF), (INF, 3 * PI / 4)), (c(INF, INF), (INF, PI / 4)),
         (c(INFINITE, NAN), (INF, NAN)), (c(NAN, FINITE), (NAN, NAN)), (c(NAN, INF), (INF, NAN)), (c(NAN, NAN), (NAN, NAN))]
LOG = [(c(NZ, Z), (-INF, PI)), (c(Z, Z), (-INF, Z)), (c(FINITE, INF), (INF, PI / 2)), (c(FINITE, NAN), (NAN, NAN))] + POLAR


def divided(cases, by):
    return [(z, (re if math.isinf(re) else re / by, im / by)) for z, (re, im) in cases]


COMPLEX = {
    "abs": [(c(INFINITE, ANYTHING), INF), (c(ANYTHING, INFINITE), INF), (c(ZEROS, FINITE), lambda a, b: abs(b)),
            (c(FINITE, ZEROS), lambda a, b: abs(a)), (c(NAN, FINITE), NAN), (c(FINITE, NAN), NAN), (c(NAN, NAN), NAN)],
    "acos": [(c(ZEROS, Z), (PI / 2, NZ)), (c(ZEROS, NAN), (PI / 2, NAN)), (c(FINITE, INF), (PI / 2, -INF)), (c(NONZERO, NAN), (NAN, NAN)),
             (c(-INF, POSITIVE), (PI, -INF)), (c(INF, POSITIVE), (Z, -INF)), (c(-INF, INF), (3 * PI / 4, -INF)),
             (c(INF, INF), (PI / 4, -INF)), (c(INFINITE, NAN), (NAN, A(INF))), (c(NAN, FINITE), (NAN, NAN)), (c(NAN, INF), (NAN, -INF)),
             (c(NAN, NAN), (NAN, NAN))],
    "acosh": [(c(ZEROS, Z), (Z, PI / 2)), (c(FINITE, INF), (INF, PI / 2)), (c(NONZERO, NAN), (NAN, NAN)), (c(Z, NAN), (NAN, A(PI / 2)))]
             + POLAR,
    "asinh": [(c(Z, Z), (Z, Z)), (c(POSITIVE, INF), (INF, PI / 2)), (c(FINITE, NAN), (NAN, NAN)), (c(INF, POSITIVE), (INF, Z)),
              (c(INF, INF), (INF, PI / 4)), (c(INF, NAN), (INF, NAN)), (c(NAN, Z), (NAN, Z)), (c(NAN, NONZERO), (NAN, NAN)),
              (c(NAN, INF), (A(INF), NAN)), (c(NAN, NAN), (NAN, NAN))],
    "atanh": [(c(Z, Z), (Z, Z)), (c(Z, NAN), (Z, NAN)), (c(1.0, Z), (INF, Z)), (c(POSITIVE, INF), (Z, PI / 2)), (c(NONZERO, NAN), (NAN, NAN)),
              (c(INF, POSITIVE), (Z, PI / 2)), (c(INF, INF), (Z, PI / 2)), (c(INF, NAN), (Z, NAN)), (c(NAN, FINITE), (NAN, NAN)),
              (c(NAN, INF), (A(Z), PI / 2)), (c(NAN, NAN), (NAN, NAN))],
    "conj": [(c(ANYTHING, ANYTHING), lambda a, b: (a, -b))],
    "cosh": [(c(Z, Z), (1, Z)), (c(Z, INF), (NAN, A(Z))), (c(Z, NAN), (NAN, A(Z))), (c(NONZERO, INF), (NAN, NAN)), (c(NONZERO, NAN), (NAN, NAN)),
             (c(INF, Z), (INF, Z)), (c(INF, NONZERO), cis(INF)), (c(INF, INF), (A(INF), NAN)), (c(INF, NAN), (INF, NAN)),
             (c(NAN, ZEROS), (NAN, A(Z))), (c(NAN, NONZERO), (NAN, NAN)), (c(NAN, NAN), (NAN, NAN))],
    "exp": [(c(ZEROS, Z), (1, Z)), (c(FINITE, INF), (NAN, NAN)), (c(FINITE, NAN), (NAN, NAN)), (c(INF, Z), (INF, Z)), (c(-INF, FINITE), cis(Z)),
            (c(INF, NONZERO), cis(INF)), (c(-INF, INF), (A(Z), A(Z))), (c(INF, INF), (A(INF), NAN)), (c(-INF, NAN), (A(Z), A(Z))),
            (c(INF, NAN), (A(INF), NAN)), (c(NAN, Z), (NAN, Z)), (c(NAN, NONZERO + INFINITE), (NAN, NAN)), (c(NAN, NAN), (NAN, NAN))],
    "expm1": [(c(ZEROS, Z), (A(Z), Z)), (c(FINITE, INF), (NAN, NAN)), (c(FINITE, NAN), (NAN, NAN)), (c(INF, Z), (INF, Z)),
              (c(-INF, FINITE), lambda a, b: (-1, math.copysign(0, math.sin(b)))), (c(INF, NONZERO), cis(INF)), (c(-INF, INF), (-1, A(Z))),
              (c(INF, INF), (A(INF), NAN)), (c(-INF, NAN), (-1, A(Z))), (c(INF, NAN), (A(INF), NAN)), (c(NAN, Z), (NAN, Z)),
              (c(NAN, NONZERO + INFINITE), (NAN, NAN)), (c(NAN, NAN), (NAN, NAN))],
    "imag": [(c(ANYTHING, ANYTHING), lambda a, b: b)],
    "log": LOG,
    "log1p": [(c(-1.0, Z), (-INF, Z)), (c(FINITE, INF), (INF, PI / 2)), (c(FINITE, NAN), (NAN, NAN))] + POLAR,
    "log2": divided(LOG, math.log(2)),
    "log10": divided(LOG, math.log(10)),
    "negative": [(c(NUMBER, NUMBER), lambda a, b: (-a, -b))],
    "positive": [(c(ANYTHING, ANYTHING), lambda a, b: (a, b))],
    "real": [(c(ANYTHING, ANYTHING), lambda a, b: a)],
    "reciprocal": [(c(NONZERO, ZEROS), lambda a, b: (1 / a, A(Z))), (c(NAN, NAN), (NAN, NAN))],
    "round": [(c((1.5, -0.5, INF, NAN), (2.5, 3.0, Z, NZ, -INF, NAN)), lambda a, b: (rounded(a), rounded(b)))],
    "sign": [(c(ZEROS, ZEROS), (A(Z), A(Z))), (c(NAN, ANYTHING), (NAN, NAN)), (c(ANYTHING, NAN), (NAN, NAN)), (c(POSITIVE, ZEROS), lambda a, b: (1, b)),
             (c((3.0, -3.0), (4.0, -4.0)), lambda a, b: (a / 5, b / 5))],
    "sinh": [(c(Z, Z), (Z, Z)), (c(Z, INF), (A(Z), NAN)), (c(Z, NAN), (A(Z), NAN)), (c(POSITIVE, INF), (NAN, NAN)), (c(POSITIVE, NAN), (NAN, NAN)),
             (c(INF, Z), (INF, Z)), (c(INF, POSITIVE), cis(INF)), (c(INF, INF), (A(INF), NAN)), (c(INF, NAN), (A(INF), NAN)),
             (c(NAN, Z), (NAN, Z)), (c(NAN, NONZERO), (NAN, NAN)), (c(NAN, NAN), (NAN, NAN))],
    "sqrt": [(c(ZEROS, Z), (Z, Z)), (c(ANYTHING, INF), (INF, INF)), (c(FINITE, NAN), (NAN, NAN)), (c(-INF, POSITIVE), (Z, INF)),
             (c(INF, POSITIVE), (INF, Z)), (c(-INF, NAN), (NAN, A(INF))), (c(INF, NAN), (INF, NAN)), (c(NAN, FINITE), (NAN, NAN)),
             (c(NAN, NAN), (NAN, NAN))],
    "square": [(c(FINITE, FINITE), lambda a, b: ((z := complex(a, b) * complex(a, b)).real, z.imag)), (c(NAN, NAN), (NAN, NAN))],
    "tanh": [(c(Z, Z), (Z, Z)), (c(NONZERO, INF), (NAN, NAN)), (c(Z, INF), (Z, NAN)), (c(NONZERO, NAN), (NAN, NAN)), (c(Z, NAN), (Z, NAN)),
             (c(INF, 1.0), (1, Z)), (c(INF, 0.25), (1, Z)), (c(INF, INF), (1, A(Z))), (c(INF, NAN), (1, A(Z))), (c(NAN, Z), (NAN, Z)),
             (c(NAN, NONZERO + INFINITE), (NAN, NAN)), (c(NAN, NAN), (NAN, NAN))],
}
# Of these the standard says: f(z) = -1j g(1j z).
TURNED = {"asin": "asinh", "atan": "atanh", "sin": "sinh", "tan": "tanh"}

PARTS = [(c(NZ, Z), c(NZ, NZ), (NZ, Z)), (c(NAN, 1.0), c(2.0, 3.0), (NAN, 4.0)), (c(1.0, INF), c(INF, -INF), (INF, NAN))]
COMPLEX_BINARY = {
    "add": PARTS,
    "subtract": [(x, (-y[0], -y[1]), result) for x, y, result in PARTS],
    "multiply": [(c(NAN, NAN), c(NAN, NAN), (NAN, NAN)), (c(1.0, 2.0), c(3.0, -4.0), (11.0, 2.0))],
    "divide": [(c(NAN, NAN), c(NAN, NAN), (NAN, NAN)), (c(11.0, 2.0), c(3.0, -4.0), (1.0, 2.0))],
    "pow": [(c(1.0, 2.0), c(Z, Z), (1.0, Z)), (c(-4.0, Z), c(0.5, Z), (A(1.22e-16), 2.0)), (c(-4.0, NZ), c(0.5, Z), (A(1.22e-16), -2.0)),
            (c(NAN, NAN), c(NAN, NAN), (NAN, NAN))],
}


def rounded(x):
    return float(math.copysign(round(x), x)) if math.isfinite(x) else x


def agrees(got, expected, tolerance):
    if math.isnan(expected):
        return math.isnan(got)
    if isinstance(expected, any_sign):
        got, expected = abs(got), abs(float(expected))
    if expected == 0:
        return got == 0 and math.copysign(1, got) == math.copysign(1, expected)
    return got == expected or abs(got - expected) <= tolerance * abs(expected)


TOLERANCE = {"bfloat16": 5e-3, "float16": 6e-4, "float32": 3e-7, "float64": 6e-16, "complex64": 4e-7, "complex128": 8e-16}
REALS = ("bfloat16", "float16", "float32", "float64")
COMPLEXES = ("complex64", "complex128")


def expanded(cases):
    """[(numbers, result)] with every class of numbers written out."""
    listed = []
    for arguments, result in cases:
        choices = [x if isinstance(x, tuple) else (x,) for x in arguments]
        for numbers in itertools.product(*choices):
            listed.append((numbers, result(*numbers) if callable(result) else result))
    return listed


def of_one(cases):
    return [((x,), result) for x, result in cases]


def check(name, arguments, results, dtype, matches):
    """Calls `name` once for all cases and tells all that are wrong. `arguments` has a list of numbers per argument."""
    out = getattr(wf, name)(*(wf.tensor(list(x), dtype=getattr(wf, dtype)) for x in arguments))
    values = (out.astype(wf.float32) if out.dtype is wf.bfloat16 else out).numpy().tolist()
    wrong = [f"{name}{numbers} is {got} in {dtype}, not {result}"
             for numbers, got, result in zip(zip(*arguments), values, results) if not matches(got, result)]
    assert not wrong, "\n".join(wrong)


def check_reals(name, listed, dtype):
    arguments = list(zip(*(numbers for numbers, _ in listed)))
    check(name, arguments, [result for _, result in listed], dtype, lambda got, result: agrees(got, result, TOLERANCE[dtype]))


@pytest.mark.parametrize("name", UNARY)
def test_of_one_real_number(name):
    listed = expanded(of_one(UNARY[name]))
    for dtype in REALS:
        check_reals(name, listed, dtype)
        if name in ODD or name in EVEN:
            check_reals(name, [((-x,), negated(result) if name in ODD else result) for (x,), result in listed], dtype)


@pytest.mark.parametrize("name", BINARY)
def test_of_two_real_numbers(name):
    for dtype in REALS:
        check_reals(name, expanded(BINARY[name]), dtype)


@pytest.mark.parametrize("name", list(TRUTH) + list(COMPARED))
def test_of_a_question(name):
    listed = expanded(of_one(TRUTH[name]) if name in TRUTH else COMPARED[name])
    for dtype in REALS:
        check(name, list(zip(*(numbers for numbers, _ in listed))), [result for _, result in listed], dtype,
              lambda got, result: got is result)


@pytest.mark.parametrize("name", COMPLEX_TRUTH)
def test_of_a_question_about_a_complex_number(name):
    listed = expanded(COMPLEX_TRUTH[name])
    for dtype in COMPLEXES:
        check(name, [[complex(*z) for z, _ in listed]], [result for _, result in listed], dtype, lambda got, result: got is result)


def test_equality_of_complex_numbers():
    numbers = [complex(a, b) for a in (1.0, Z, NZ, INF, NAN) for b in (2.0, Z, NZ, -INF, NAN)]
    x, y = zip(*itertools.product(numbers, numbers))
    for dtype in COMPLEXES:
        equal = [a.real == b.real and a.imag == b.imag for a, b in zip(x, y)]
        check("equal", [x, y], equal, dtype, lambda got, result: got is result)
        check("not_equal", [x, y], [not e for e in equal], dtype, lambda got, result: got is result)


def check_complex(name, listed, dtype):
    def matches(got, result):
        if not isinstance(result, tuple):
            return agrees(got, result, TOLERANCE[dtype])
        return agrees(got.real, result[0], TOLERANCE[dtype]) and agrees(got.imag, result[1], TOLERANCE[dtype])
    check(name, [[complex(*z) for z, _ in listed]], [result for _, result in listed], dtype, matches)


def negated(x):
    return any_sign(x) if isinstance(x, any_sign) else -x


@pytest.mark.parametrize("name", COMPLEX)
def test_of_a_complex_number(name):
    listed = expanded(COMPLEX[name])
    for dtype in COMPLEXES:
        check_complex(name, listed, dtype)
        check_complex(name, [((a, -b), (result[0], negated(result[1]))) for (a, b), result in listed if isinstance(result, tuple)] or listed,
                      dtype)


@pytest.mark.parametrize("name", TURNED)
def test_of_a_complex_number_turned(name):
    """w = g(z) gives f(-1j z) = -1j w."""
    listed = expanded(COMPLEX[TURNED[name]])
    for dtype in COMPLEXES:
        check_complex(name, [((b, -a), (result[1], negated(result[0]))) for (a, b), result in listed], dtype)


def test_cos_is_cosh_turned():
    for dtype in COMPLEXES:
        check_complex("cos", [((b, -a), result) for (a, b), result in expanded(COMPLEX["cosh"])], dtype)


@pytest.mark.parametrize("name", COMPLEX_BINARY)
def test_of_two_complex_numbers(name):
    for dtype in COMPLEXES:
        tolerance = 20 * TOLERANCE[dtype]  # pow of them is exp(y log(x))
        for x, y, result in COMPLEX_BINARY[name]:
            got = getattr(wf, name)(*(wf.tensor(complex(*z), dtype=getattr(wf, dtype)) for z in (x, y))).item()
            for part, expected in ((got.real, result[0]), (got.imag, result[1])):
                small = isinstance(expected, any_sign) and abs(part) <= tolerance
                assert small or agrees(part, expected, tolerance), f"{name}({x}, {y}) is {got} in {dtype}, not {result}"


def nan_with_sign(bit):
    return struct.unpack("<d", struct.pack("<Q", bit << 63 | 0x7ff8 << 48))[0]


def test_signs_of_nan():
    for dtype in ("float32", "float64"):
        sizes = wf.tensor([3.0, -3.0, Z, NZ, INF, -INF, NAN, nan_with_sign(1)], dtype=getattr(wf, dtype))
        for bit in (0, 1):
            signed = wf.full_like(sizes, nan_with_sign(bit))
            assert wf.signbit(signed).numpy().all() == bool(bit)
            out = wf.copysign(sizes, signed)
            assert (wf.signbit(out[:6]).numpy() == bool(bit)).all()
            same = wf.abs(out[:6]).numpy() == wf.abs(sizes[:6]).numpy()
            assert same.all() and wf.isnan(out[6:]).numpy().all()


def test_clip_lets_nan_through():
    for dtype in REALS:
        x, low, high = (wf.tensor(v, dtype=getattr(wf, dtype)) for v in ([NAN, 1.0, 1.0, 9.0, -9.0], [0.0, NAN, 0.0, 0.0, 0.0],
                                                                          [2.0, 2.0, NAN, 2.0, 2.0]))
        out = wf.clip(x, low, high).astype(wf.float32).numpy().tolist()
        assert all(map(math.isnan, out[:3])) and out[3:] == [2.0, 0.0]
        assert math.isnan(wf.clip(wf.tensor(NAN, dtype=getattr(wf, dtype)), -1, 1).item())
        kept = wf.clip(x[3:]).astype(wf.float32).numpy().tolist()
        assert kept == [9.0, -9.0]


def test_the_next_number_is_that_of_the_dtype():
    for dtype, above, least in (("float16", 1 + 2**-10, 2**-24), ("bfloat16", 1 + 2**-7, 2**-133), ("float32", 1 + 2**-23, 2**-149),
                                ("float64", 1 + 2**-52, 2**-1074)):
        one, two, zero, up, infinity = (wf.tensor(x, dtype=getattr(wf, dtype)) for x in (1.0, 2.0, 0.0, above, math.inf))
        assert wf.nextafter(one, two).item() == above
        assert wf.nextafter(up, zero).item() == 1
        assert wf.nextafter(zero, -one).item() == -least
        assert wf.nextafter(infinity, zero).item() == wf.finfo(getattr(wf, dtype)).max


def test_every_elementwise_function_of_the_standard_is_there():
    names = """abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_left_shift bitwise_invert bitwise_or
        bitwise_right_shift bitwise_xor ceil clip conj copysign cos cosh divide equal exp expm1 floor floor_divide greater
        greater_equal hypot imag isfinite isinf isnan less less_equal log log1p log2 log10 logaddexp logical_and logical_not
        logical_or logical_xor maximum minimum multiply negative nextafter not_equal positive pow real reciprocal remainder round
        sign signbit sin sinh square sqrt subtract tan tanh trunc""".split()
    assert [name for name in names if not hasattr(wf, name)] == []


def test_the_least_numbers_are_their_own_sinh():
    for dtype, least in ((wf.float32, 2**-149), (wf.float64, 2**-1074)):
        x = [k * least for k in (1, -1, 2, 3, 7, 1 << 20)]
        assert wf.sinh(wf.tensor(x, dtype=dtype)).numpy().tolist() == x
