"""The special cases that the array API standard (2024.12) lists for its elementwise functions, function by function.

A case is (arguments, result). A result that is a tuple of two floats is complex; `any_sign` marks the parts whose sign the
standard leaves open. Complex cases are given for arguments in the upper half plane or on the real axis, as the standard
does; the others follow by f(conj(z)) = conj(f(z)), which is checked with them, and by f(-z) = -f(z) for odd functions.
"""

import math

import pytest

import weft as wf

INF, NAN, PI = math.inf, math.nan, math.pi
Z, NZ = 0.0, -0.0


class any_sign(float):
    """A number whose sign does not matter."""


def c(re, im):
    return complex(re, im)


UNARY = {
    "abs": [(NAN, NAN), (NZ, Z), (-INF, INF)],
    "acos": [(NAN, NAN), (1.5, NAN), (-1.5, NAN), (INF, NAN), (1.0, Z), (-1.0, PI)],
    "acosh": [(NAN, NAN), (0.5, NAN), (-INF, NAN), (1.0, Z), (INF, INF)],
    "asin": [(NAN, NAN), (1.5, NAN), (-1.5, NAN), (Z, Z), (NZ, NZ), (1.0, PI / 2)],
    "asinh": [(NAN, NAN), (Z, Z), (NZ, NZ), (INF, INF), (-INF, -INF)],
    "atan": [(NAN, NAN), (Z, Z), (NZ, NZ), (INF, PI / 2), (-INF, -PI / 2)],
    "atanh": [(NAN, NAN), (-1.5, NAN), (1.5, NAN), (-1.0, -INF), (1.0, INF), (Z, Z), (NZ, NZ)],
    "cbrt": [(NAN, NAN), (Z, Z), (NZ, NZ), (INF, INF), (-INF, -INF), (-8.0, -2.0)],
    "ceil": [(INF, INF), (-INF, -INF), (Z, Z), (NZ, NZ), (NAN, NAN), (-0.5, NZ), (2.0, 2.0)],
    "cos": [(NAN, NAN), (Z, 1.0), (NZ, 1.0), (INF, NAN), (-INF, NAN)],
    "cosh": [(NAN, NAN), (Z, 1.0), (NZ, 1.0), (INF, INF), (-INF, INF)],
    "digamma": [(NAN, NAN), (Z, -INF), (NZ, INF), (-3.0, NAN), (INF, INF), (-INF, NAN)],
    "erf": [(NAN, NAN), (Z, Z), (NZ, NZ), (INF, 1.0), (-INF, -1.0)],
    "erfc": [(NAN, NAN), (INF, Z), (-INF, 2.0), (Z, 1.0)],
    "erfinv": [(NAN, NAN), (Z, Z), (NZ, NZ), (1.0, INF), (-1.0, -INF), (1.5, NAN)],
    "exp": [(NAN, NAN), (Z, 1.0), (NZ, 1.0), (INF, INF), (-INF, Z)],
    "exp2": [(NAN, NAN), (Z, 1.0), (NZ, 1.0), (INF, INF), (-INF, Z), (-2.0, 0.25)],
    "expm1": [(NAN, NAN), (Z, Z), (NZ, NZ), (INF, INF), (-INF, -1.0)],
    "floor": [(INF, INF), (-INF, -INF), (Z, Z), (NZ, NZ), (NAN, NAN), (-2.0, -2.0)],
    "lgamma": [(NAN, NAN), (Z, INF), (NZ, INF), (1.0, Z), (2.0, Z), (-4.0, INF), (INF, INF), (-INF, INF)],
    "log": [(NAN, NAN), (-1.0, NAN), (-INF, NAN), (Z, -INF), (NZ, -INF), (1.0, Z), (INF, INF)],
    "log10": [(NAN, NAN), (-1.0, NAN), (Z, -INF), (NZ, -INF), (1.0, Z), (INF, INF), (1000.0, 3.0)],
    "log1p": [(NAN, NAN), (-2.0, NAN), (-1.0, -INF), (NZ, NZ), (Z, Z), (INF, INF)],
    "log2": [(NAN, NAN), (-1.0, NAN), (Z, -INF), (NZ, -INF), (1.0, Z), (INF, INF), (0.125, -3.0)],
    "logit": [(NAN, NAN), (Z, -INF), (1.0, INF), (0.5, Z), (-1.0, NAN), (2.0, NAN)],
    "negative": [(NAN, NAN), (Z, NZ), (INF, -INF)],
    "positive": [(NAN, NAN), (NZ, NZ), (-INF, -INF)],
    "reciprocal": [(NAN, NAN), (Z, INF), (NZ, -INF), (INF, Z), (-INF, NZ)],
    "round": [(INF, INF), (-INF, -INF), (Z, Z), (NZ, NZ), (NAN, NAN), (0.5, Z), (1.5, 2.0), (2.5, 2.0), (-0.5, NZ)],
    "sign": [(-3.0, -1.0), (Z, Z), (NZ, NZ), (3.0, 1.0), (NAN, NAN), (-INF, -1.0)],
    "sin": [(NAN, NAN), (Z, Z), (NZ, NZ), (INF, NAN), (-INF, NAN)],
    "sinc": [(NAN, NAN), (Z, 1.0), (NZ, 1.0)],
    "sinh": [(NAN, NAN), (Z, Z), (NZ, NZ), (INF, INF), (-INF, -INF)],
    "sqrt": [(NAN, NAN), (-1.0, NAN), (Z, Z), (NZ, NZ), (INF, INF)],
    "square": [(NAN, NAN), (NZ, Z), (-INF, INF)],
    "tan": [(NAN, NAN), (Z, Z), (NZ, NZ), (INF, NAN), (-INF, NAN)],
    "tanh": [(NAN, NAN), (Z, Z), (NZ, NZ), (INF, 1.0), (-INF, -1.0)],
    "trunc": [(INF, INF), (-INF, -INF), (Z, Z), (NZ, NZ), (NAN, NAN), (-0.5, NZ), (2.0, 2.0)],
}

ODD = ("asin", "asinh", "atan", "atanh", "cbrt", "erf", "erfinv", "sin", "sinh", "sign", "tan", "tanh", "trunc")
EVEN = ("abs", "cos", "cosh", "sinc", "square")

TRUTH = {
    "isfinite": [(INF, False), (-INF, False), (NAN, False), (1.0, True), (Z, True)],
    "isinf": [(INF, True), (-INF, True), (NAN, False), (1.0, False)],
    "isnan": [(NAN, True), (INF, False), (NZ, False)],
    "signbit": [(Z, False), (NZ, True), (INF, False), (-INF, True), (3.0, False), (-3.0, True), (-NAN, None)],
}

BINARY = {
    "add": [((NAN, 1.0), NAN), ((INF, -INF), NAN), ((-INF, INF), NAN), ((INF, INF), INF), ((-INF, -INF), -INF),
            ((INF, 3.0), INF), ((3.0, -INF), -INF), ((NZ, NZ), NZ), ((NZ, Z), Z), ((Z, NZ), Z), ((Z, Z), Z),
            ((NZ, 3.0), 3.0), ((3.0, -3.0), Z)],
    "atan2": [((NAN, 1.0), NAN), ((1.0, NAN), NAN), ((2.0, Z), PI / 2), ((2.0, NZ), PI / 2), ((Z, 2.0), Z), ((Z, Z), Z),
              ((Z, NZ), PI), ((Z, -2.0), PI), ((NZ, 2.0), NZ), ((NZ, Z), NZ), ((NZ, NZ), -PI), ((NZ, -2.0), -PI),
              ((-2.0, Z), -PI / 2), ((-2.0, NZ), -PI / 2), ((2.0, INF), Z), ((2.0, -INF), PI), ((-2.0, INF), NZ),
              ((-2.0, -INF), -PI), ((INF, 2.0), PI / 2), ((-INF, 2.0), -PI / 2), ((INF, INF), PI / 4), ((INF, -INF), 3 * PI / 4),
              ((-INF, INF), -PI / 4), ((-INF, -INF), -3 * PI / 4)],
    "copysign": [((3.0, NZ), -3.0), ((-3.0, Z), 3.0), ((-3.0, 2.0), 3.0), ((INF, -2.0), -INF), ((Z, -1.0), NZ), ((NAN, 1.0), NAN)],
    "divide": [((NAN, 1.0), NAN), ((INF, INF), NAN), ((INF, -INF), NAN), ((Z, Z), NAN), ((NZ, Z), NAN), ((Z, 2.0), Z),
               ((NZ, 2.0), NZ), ((Z, -2.0), NZ), ((NZ, -2.0), Z), ((2.0, Z), INF), ((2.0, NZ), -INF), ((-2.0, Z), -INF),
               ((-2.0, NZ), INF), ((INF, 2.0), INF), ((INF, -2.0), -INF), ((-INF, 2.0), -INF), ((-INF, -2.0), INF),
               ((2.0, INF), Z), ((2.0, -INF), NZ), ((-2.0, INF), NZ), ((-2.0, -INF), Z)],
    "floor_divide": [((NAN, 1.0), NAN), ((INF, INF), NAN), ((Z, Z), NAN), ((Z, 2.0), Z), ((NZ, 2.0), NZ), ((Z, -2.0), NZ),
                     ((NZ, -2.0), Z), ((2.0, Z), INF), ((2.0, NZ), -INF), ((-2.0, Z), -INF), ((-2.0, NZ), INF), ((2.0, INF), Z),
                     ((2.0, -INF), -1.0), ((-2.0, INF), -1.0), ((-2.0, -INF), Z)],
    "fmax": [((NAN, 1.0), 1.0), ((1.0, NAN), 1.0), ((NAN, NAN), NAN), ((-INF, 2.0), 2.0)],
    "fmin": [((NAN, 1.0), 1.0), ((1.0, NAN), 1.0), ((NAN, NAN), NAN), ((INF, 2.0), 2.0)],
    "fmod": [((NAN, 1.0), NAN), ((1.0, NAN), NAN), ((INF, 2.0), NAN), ((2.0, Z), NAN), ((3.0, INF), 3.0), ((-3.0, INF), -3.0),
             ((NZ, 2.0), NZ), ((-4.0, 2.0), NZ), ((-7.0, 3.0), -1.0), ((7.0, -3.0), 1.0)],
    "heaviside": [((-2.0, 0.5), Z), ((Z, 0.5), 0.5), ((NZ, 0.5), 0.5), ((2.0, 0.5), 1.0), ((NAN, 0.5), NAN)],
    "hypot": [((INF, 1.0), INF), ((-INF, NAN), INF), ((NAN, INF), INF), ((1.0, -INF), INF), ((NAN, 1.0), NAN), ((1.0, NAN), NAN),
              ((Z, NZ), Z), ((NZ, -2.0), 2.0)],
    "logaddexp": [((NAN, 1.0), NAN), ((1.0, NAN), NAN), ((INF, INF), INF), ((-INF, -INF), -INF), ((-INF, 2.0), 2.0)],
    "logaddexp2": [((NAN, 1.0), NAN), ((INF, INF), INF), ((-INF, -INF), -INF), ((3.0, 3.0), 4.0)],
    "maximum": [((NAN, 1.0), NAN), ((1.0, NAN), NAN), ((NZ, Z), Z), ((INF, 1.0), INF)],
    "minimum": [((NAN, 1.0), NAN), ((1.0, NAN), NAN), ((NZ, Z), NZ), ((-INF, 1.0), -INF)],
    "multiply": [((NAN, 1.0), NAN), ((INF, Z), NAN), ((NZ, -INF), NAN), ((-2.0, Z), NZ), ((INF, -INF), -INF), ((-INF, -INF), INF),
                 ((INF, -3.0), -INF), ((NZ, -2.0), Z)],
    "nextafter": [((NAN, 1.0), NAN), ((1.0, NAN), NAN), ((Z, NZ), NZ), ((NZ, Z), Z), ((INF, INF), INF), ((2.0, 2.0), 2.0)],
    "pow": [((NAN, Z), 1.0), ((NAN, NZ), 1.0), ((1.0, NAN), 1.0), ((NAN, 2.0), NAN), ((2.0, NAN), NAN), ((1.5, INF), INF),
            ((-1.5, INF), INF), ((1.5, -INF), Z), ((1.0, INF), 1.0), ((-1.0, -INF), 1.0), ((0.5, INF), Z), ((0.5, -INF), INF),
            ((INF, 2.0), INF), ((INF, -2.0), Z), ((-INF, 3.0), -INF), ((-INF, 2.0), INF), ((-INF, 0.5), INF), ((-INF, -3.0), NZ),
            ((-INF, -2.0), Z), ((Z, 2.0), Z), ((Z, -2.0), INF), ((NZ, 3.0), NZ), ((NZ, 2.0), Z), ((NZ, -3.0), -INF), ((NZ, -2.0), INF),
            ((-2.0, 0.5), NAN)],
    "remainder": [((NAN, 1.0), NAN), ((1.0, NAN), NAN), ((INF, 2.0), NAN), ((INF, INF), NAN), ((Z, Z), NAN), ((NZ, Z), NAN),
                  ((Z, 2.0), Z), ((NZ, 2.0), Z), ((Z, -2.0), NZ), ((NZ, -2.0), NZ), ((2.0, Z), NAN), ((-2.0, NZ), NAN),
                  ((2.0, INF), 2.0), ((2.0, -INF), -INF), ((-2.0, INF), INF), ((-2.0, -INF), -2.0)],
    "subtract": [((NAN, 1.0), NAN), ((INF, INF), NAN), ((INF, -INF), INF), ((NZ, Z), NZ), ((Z, Z), Z), ((3.0, 3.0), Z)],
    "xlogy": [((Z, Z), Z), ((Z, -1.0), Z), ((Z, NAN), NAN), ((2.0, Z), -INF), ((NAN, 1.0), NAN)],
    "xlog1py": [((Z, -1.0), Z), ((Z, NAN), NAN), ((2.0, -1.0), -INF)],
}

A = any_sign
COMPLEX = {
    "abs": [(c(INF, NAN), INF), (c(NAN, -INF), INF), (c(NAN, 1), NAN), (c(Z, NZ), Z)],
    "acos": [(c(Z, Z), (PI / 2, NZ)), (c(NZ, Z), (PI / 2, NZ)), (c(Z, NAN), (PI / 2, NAN)), (c(NZ, NAN), (PI / 2, NAN)),
             (c(2, INF), (PI / 2, -INF)), (c(2, NAN), (NAN, NAN)), (c(-INF, 2), (PI, -INF)), (c(INF, 2), (Z, -INF)),
             (c(-INF, INF), (3 * PI / 4, -INF)), (c(INF, INF), (PI / 4, -INF)), (c(INF, NAN), (NAN, A(INF))),
             (c(-INF, NAN), (NAN, A(INF))), (c(NAN, 2), (NAN, NAN)), (c(NAN, INF), (NAN, -INF)), (c(NAN, NAN), (NAN, NAN))],
    "acosh": [(c(Z, Z), (Z, PI / 2)), (c(NZ, Z), (Z, PI / 2)), (c(2, INF), (INF, PI / 2)), (c(2, NAN), (NAN, NAN)),
              (c(Z, NAN), (NAN, A(PI / 2))), (c(-INF, 2), (INF, PI)), (c(INF, 2), (INF, Z)), (c(-INF, INF), (INF, 3 * PI / 4)),
              (c(INF, INF), (INF, PI / 4)), (c(INF, NAN), (INF, NAN)), (c(-INF, NAN), (INF, NAN)), (c(NAN, 2), (NAN, NAN)),
              (c(NAN, INF), (INF, NAN)), (c(NAN, NAN), (NAN, NAN))],
    "asinh": [(c(Z, Z), (Z, Z)), (c(2, INF), (INF, PI / 2)), (c(2, NAN), (NAN, NAN)), (c(INF, 2), (INF, Z)),
              (c(INF, INF), (INF, PI / 4)), (c(INF, NAN), (INF, NAN)), (c(NAN, Z), (NAN, Z)), (c(NAN, 2), (NAN, NAN)),
              (c(NAN, INF), (A(INF), NAN)), (c(NAN, NAN), (NAN, NAN))],
    "atanh": [(c(Z, Z), (Z, Z)), (c(Z, NAN), (Z, NAN)), (c(1, Z), (INF, Z)), (c(2, INF), (Z, PI / 2)), (c(2, NAN), (NAN, NAN)),
              (c(INF, 2), (Z, PI / 2)), (c(INF, INF), (Z, PI / 2)), (c(INF, NAN), (Z, NAN)), (c(NAN, 2), (NAN, NAN)),
              (c(NAN, INF), (A(Z), PI / 2)), (c(NAN, NAN), (NAN, NAN))],
    "cosh": [(c(Z, Z), (1, Z)), (c(Z, INF), (NAN, A(Z))), (c(Z, NAN), (NAN, A(Z))), (c(2, INF), (NAN, NAN)), (c(2, NAN), (NAN, NAN)),
             (c(INF, Z), (INF, Z)), (c(INF, 2), (-INF, INF)), (c(INF, INF), (A(INF), NAN)), (c(INF, NAN), (INF, NAN)),
             (c(NAN, Z), (NAN, A(Z))), (c(NAN, 2), (NAN, NAN)), (c(NAN, NAN), (NAN, NAN))],
    "exp": [(c(Z, Z), (1, Z)), (c(NZ, Z), (1, Z)), (c(2, INF), (NAN, NAN)), (c(2, NAN), (NAN, NAN)), (c(INF, Z), (INF, Z)),
            (c(-INF, 2), (NZ, Z)), (c(INF, 2), (-INF, INF)), (c(-INF, INF), (A(Z), A(Z))), (c(INF, INF), (A(INF), NAN)),
            (c(-INF, NAN), (A(Z), A(Z))), (c(INF, NAN), (A(INF), NAN)), (c(NAN, Z), (NAN, Z)), (c(NAN, 2), (NAN, NAN)),
            (c(NAN, NAN), (NAN, NAN))],
    "expm1": [(c(Z, Z), (Z, Z)), (c(NZ, Z), (Z, Z)), (c(2, INF), (NAN, NAN)), (c(2, NAN), (NAN, NAN)), (c(INF, Z), (INF, Z)),
              (c(-INF, 2), (-1, Z)), (c(INF, 2), (-INF, INF)), (c(-INF, INF), (-1, A(Z))), (c(INF, INF), (A(INF), NAN)),
              (c(-INF, NAN), (-1, A(Z))), (c(INF, NAN), (A(INF), NAN)), (c(NAN, Z), (NAN, Z)), (c(NAN, 2), (NAN, NAN)),
              (c(NAN, NAN), (NAN, NAN))],
    "log": [(c(NZ, Z), (-INF, PI)), (c(Z, Z), (-INF, Z)), (c(2, INF), (INF, PI / 2)), (c(2, NAN), (NAN, NAN)), (c(-INF, 2), (INF, PI)),
            (c(INF, 2), (INF, Z)), (c(-INF, INF), (INF, 3 * PI / 4)), (c(INF, INF), (INF, PI / 4)), (c(INF, NAN), (INF, NAN)),
            (c(-INF, NAN), (INF, NAN)), (c(NAN, 2), (NAN, NAN)), (c(NAN, INF), (INF, NAN)), (c(NAN, NAN), (NAN, NAN))],
    "log1p": [(c(-1, Z), (-INF, Z)), (c(2, INF), (INF, PI / 2)), (c(2, NAN), (NAN, NAN)), (c(-INF, 2), (INF, PI)), (c(INF, 2), (INF, Z)),
              (c(-INF, INF), (INF, 3 * PI / 4)), (c(INF, INF), (INF, PI / 4)), (c(INF, NAN), (INF, NAN)), (c(-INF, NAN), (INF, NAN)),
              (c(NAN, 2), (NAN, NAN)), (c(NAN, INF), (INF, NAN)), (c(NAN, NAN), (NAN, NAN))],
    "log2": [(c(NZ, Z), (-INF, PI / math.log(2))), (c(Z, Z), (-INF, Z)), (c(2, INF), (INF, PI / 2 / math.log(2))),
             (c(INF, NAN), (INF, NAN))],
    "log10": [(c(NZ, Z), (-INF, PI / math.log(10))), (c(Z, Z), (-INF, Z)), (c(-INF, 2), (INF, PI / math.log(10))),
              (c(NAN, INF), (INF, NAN))],
    "sinh": [(c(Z, Z), (Z, Z)), (c(Z, INF), (A(Z), NAN)), (c(Z, NAN), (A(Z), NAN)), (c(2, INF), (NAN, NAN)), (c(2, NAN), (NAN, NAN)),
             (c(INF, Z), (INF, Z)), (c(INF, 2), (-INF, INF)), (c(INF, INF), (A(INF), NAN)), (c(INF, NAN), (A(INF), NAN)),
             (c(NAN, Z), (NAN, Z)), (c(NAN, 2), (NAN, NAN)), (c(NAN, NAN), (NAN, NAN))],
    "sqrt": [(c(Z, Z), (Z, Z)), (c(NZ, Z), (Z, Z)), (c(2, INF), (INF, INF)), (c(NAN, INF), (INF, INF)), (c(2, NAN), (NAN, NAN)),
             (c(-INF, 2), (Z, INF)), (c(INF, 2), (INF, Z)), (c(-INF, NAN), (NAN, A(INF))), (c(INF, NAN), (INF, NAN)),
             (c(NAN, 2), (NAN, NAN)), (c(NAN, NAN), (NAN, NAN))],
    "tanh": [(c(Z, Z), (Z, Z)), (c(2, INF), (NAN, NAN)), (c(Z, INF), (Z, NAN)), (c(2, NAN), (NAN, NAN)), (c(Z, NAN), (Z, NAN)),
             (c(INF, 2), (1, Z)), (c(INF, INF), (1, A(Z))), (c(INF, NAN), (1, A(Z))), (c(NAN, Z), (NAN, Z)), (c(NAN, 2), (NAN, NAN)),
             (c(NAN, NAN), (NAN, NAN))],
}
# Of these the standard says: f(z) = -1j g(1j z).
TURNED = {"asin": "asinh", "atan": "atanh", "sin": "sinh", "tan": "tanh"}


def agrees(got, expected, tolerance):
    if math.isnan(expected):
        return math.isnan(got)
    if isinstance(expected, any_sign):
        got, expected = abs(got), abs(float(expected))
    if expected == 0:
        return got == 0 and math.copysign(1, got) == math.copysign(1, expected)
    return got == expected or abs(got - expected) <= tolerance * abs(expected)


def number(x, dtype):
    return wf.tensor(x, dtype=getattr(wf, dtype))


def flat(cases):
    return [(name, arguments, result) for name, listed in cases.items() for arguments, result in listed]


TOLERANCE = {"bfloat16": 5e-3, "float16": 6e-4, "float32": 3e-7, "float64": 6e-16, "complex64": 4e-7, "complex128": 8e-16}
REALS = ("bfloat16", "float16", "float32", "float64")




@pytest.mark.parametrize("name, x, result", flat(UNARY))
def test_of_one_real_number(name, x, result):
    for dtype in REALS:
        got = getattr(wf, name)(number(x, dtype)).item()
        assert agrees(got, result, TOLERANCE[dtype]), f"{name}({x}) is {got} in {dtype}, not {result}"
        if name in ODD or name in EVEN:
            mirrored = getattr(wf, name)(number(-x, dtype)).item()
            assert agrees(mirrored, -result if name in ODD else result, TOLERANCE[dtype]), f"{name}({-x}) in {dtype}"


@pytest.mark.parametrize("name, x, result", flat(TRUTH))
def test_of_a_question(name, x, result):
    for dtype in REALS:
        got = getattr(wf, name)(number(x, dtype))
        assert got.dtype == wf.bool
        assert result is None or got.item() is result, f"{name}({x}) in {dtype}"


@pytest.mark.parametrize("name, arguments, result", flat(BINARY))
def test_of_two_real_numbers(name, arguments, result):
    for dtype in REALS:
        got = getattr(wf, name)(*(number(x, dtype) for x in arguments)).item()
        assert agrees(got, result, TOLERANCE[dtype]), f"{name}{arguments} is {got} in {dtype}, not {result}"


def check_complex(name, z, result, dtype):
    got = getattr(wf, name)(number(z, dtype)).item()
    if not isinstance(result, tuple):
        assert agrees(got, result, TOLERANCE[dtype]), f"{name}({z}) is {got} in {dtype}, not {result}"
        return
    parts = agrees(got.real, result[0], TOLERANCE[dtype]), agrees(got.imag, result[1], TOLERANCE[dtype])
    assert all(parts), f"{name}({z}) is {got} in {dtype}, not {result}"


def negated(x):
    return any_sign(x) if isinstance(x, any_sign) else -x


@pytest.mark.parametrize("name, z, result", flat(COMPLEX))
def test_of_a_complex_number(name, z, result):
    for dtype in ("complex64", "complex128"):
        check_complex(name, z, result, dtype)
        if isinstance(result, tuple):
            check_complex(name, complex(z.real, -z.imag), (result[0], negated(result[1])), dtype)


@pytest.mark.parametrize("name, z, result", [(name, z, result) for name, of in TURNED.items() for z, result in COMPLEX[of]])
def test_of_a_complex_number_turned(name, z, result):
    """w = g(z) gives f(-1j z) = -1j w."""
    for dtype in ("complex64", "complex128"):
        check_complex(name, complex(z.imag, -z.real), (result[1], negated(result[0])), dtype)


def test_cos_is_cosh_turned():
    for dtype in ("complex64", "complex128"):
        for z, result in COMPLEX["cosh"]:
            check_complex("cos", complex(z.imag, -z.real), result, dtype)


def test_the_next_number_is_that_of_the_dtype():
    for dtype, above, least in (("float16", 1 + 2**-10, 2**-24), ("bfloat16", 1 + 2**-7, 2**-133), ("float32", 1 + 2**-23, 2**-149),
                                ("float64", 1 + 2**-52, 2**-1074)):
        one, two, zero = (number(x, dtype) for x in (1.0, 2.0, 0.0))
        assert wf.nextafter(one, two).item() == above
        assert wf.nextafter(number(above, dtype), zero).item() == 1
        assert wf.nextafter(zero, -one).item() == -least
        assert wf.nextafter(number(math.inf, dtype), zero).item() == wf.finfo(getattr(wf, dtype)).max


def test_every_elementwise_function_of_the_standard_is_there():
    names = """abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_left_shift bitwise_invert bitwise_or
        bitwise_right_shift bitwise_xor ceil clip conj copysign cos cosh divide equal exp expm1 floor floor_divide greater
        greater_equal hypot imag isfinite isinf isnan less less_equal log log1p log2 log10 logaddexp logical_and logical_not
        logical_or logical_xor maximum minimum multiply negative nextafter not_equal positive pow real reciprocal remainder round
        sign signbit sin sinh square sqrt subtract tan tanh trunc""".split()
    assert [name for name in names if not hasattr(wf, name)] == []
