"""Fits the minimax polynomials of expr/math and writes coefficients.h and turns.h beside it.

    python weft/expr/math/fit.py          # needs mpmath; a few minutes

Each fit is Remez's exchange algorithm on a fixed grid, in 60 digits. For f32 the coefficients are
rounded one after the other from the lowest degree, each time fitting the rest again, so that the
rounding of a coefficient is repaired by those after it. `weight` turns the error into the relative
error of the function that is computed in the end.
"""
import pathlib
import struct

from mpmath import mp, mpf

mp.dps = 60


def to_f32(x):
    return mpf(struct.unpack("f", struct.pack("f", float(x)))[0])


def to_f64(x):
    return mpf(float(x))


def remez(values, weights, xs, powers):
    """Coefficients c with max |sum c_i x^powers[i] - value| * weight smallest over the grid."""
    n = len(powers)
    last = len(xs) - 1
    reference = [round(last * (1 - mp.cos(mp.pi * i / n)) / 2) for i in range(n + 1)]
    best = None
    for _ in range(30):
        matrix = mp.matrix(n + 1, n + 1)
        rhs = mp.matrix(n + 1, 1)
        for row, k in enumerate(reference):
            for col, p in enumerate(powers):
                matrix[row, col] = xs[k] ** p
            matrix[row, n] = (-1) ** row / weights[k]
            rhs[row] = values[k]
        solution = mp.lu_solve(matrix, rhs)
        c = [solution[i] for i in range(n)]
        errors = []
        for x, v, w in zip(xs, values, weights):
            total = mpf(0)
            for i in range(n - 1, -1, -1):
                step = powers[i] - (powers[i - 1] if i else 0)
                total = (total + c[i]) * x ** step
            errors.append((total - v) * w)
        worst = max(abs(e) for e in errors)
        if best is None or worst < best[0]:
            best = (worst, c)
        # New reference: the largest error of each run of equal sign, alternating.
        runs = []
        for k, e in enumerate(errors):
            if runs and (errors[runs[-1]] > 0) == (e > 0):
                if abs(e) > abs(errors[runs[-1]]):
                    runs[-1] = k
            else:
                runs.append(k)
        while len(runs) > n + 1:
            runs.pop(0 if abs(errors[runs[0]]) < abs(errors[runs[-1]]) else -1)
        if len(runs) < n + 1 or worst < abs(solution[n]) * mpf("1.001"):
            break
        reference = runs
    return best


def worst_error(c, powers, values, weights, xs):
    return max(abs(sum(k * x**p for k, p in zip(c, powers)) - v) * w
               for x, v, w in zip(xs, values, weights))


def in_two(x):
    """x as the sum of two f64."""
    return to_f64(x) + to_f64(x - to_f64(x))


def fit(name, f, degree, low, high, weight, rounding, points=300, first=None, again=True):
    """f(x) ~ polynomial of `degree` on [low, high]; prints and returns the rounded coefficients.

    `first` rounds the lowest coefficient where the expansion holds it in two parts; without `again` the others are
    not fitted again after it."""
    low, high = mpf(low), mpf(high)
    xs = [low + (high - low) * (1 - mp.cos(mp.pi * (i + mpf(1) / 2) / points)) / 2
          for i in range(points)]
    values = [f(x) for x in xs]
    weights = [weight(x) for x in xs]
    fixed = []
    powers = list(range(degree + 1))
    rest = values
    error, c = remez(rest, weights, xs, powers)
    if rounding is to_f64 and not (first and again):
        fixed = [(first or to_f64)(c[0])] + [to_f64(x) for x in c[1:]]
    else:
        while powers:
            fixed.append((first if first and not fixed else rounding)(c[0]))
            power = powers.pop(0)
            rest = [v - fixed[-1] * x**power for v, x in zip(rest, xs)]
            if powers:
                # Where the basis vanishes at 0 the exchange may fail: then the old ones stay.
                refit, candidate = remez(rest, weights, xs, powers)
                if refit < worst_error(c[1:], powers, rest, weights, xs):
                    c = candidate
                else:
                    c = c[1:]
    worst = worst_error(fixed, range(degree + 1), values, weights, xs)
    print(f"{name:16s} degree {degree:2d}  error 2^{float(mp.log(error, 2)):7.2f}, "
          f"rounded 2^{float(mp.log(worst, 2)):7.2f}")
    return name, fixed


def series(f, x, order, terms=40):
    """f near 0 by its Taylor coefficients f(k), from x^order on, divided by x^order."""
    return sum(f(k) * x ** (k - order) for k in range(order, order + terms))


half_ln2 = mp.log(2) / 2 * mpf("1.0001")
octave = (1 / mp.sqrt(2) - 1, mp.sqrt(2) - 1)
root_octave = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2


def near_zero(exact, order, coefficient):
    """(f - its first terms) / x^order: by the series near 0, where the difference cancels."""
    def value(x):
        if abs(x) < mpf("0.02"):
            return series(coefficient, x, order)
        return exact(x)
    return value


inverse_factorial = lambda k: 1 / mp.factorial(k)
log1p_term = lambda k: mpf(-1) ** (k + 1) / k

exp_tail = near_zero(lambda r: (mp.exp(r) - 1 - r) / r**2, 2, inverse_factorial)
exp2m1 = near_zero(lambda r: (mp.mpf(2) ** r - 1) / r, 1, lambda k: mp.log(2) ** k / mp.factorial(k))
log_tail = near_zero(lambda f: (mp.log(1 + f) - f) / f**2, 2, log1p_term)


def in_square(f_of_x):
    """A function of z = x^2 from a function of x."""
    return lambda z: f_of_x(mp.sqrt(z))


sin_tail = in_square(lambda x: series(lambda k: (-1) ** k / mp.factorial(2 * k + 1), x * x, 1))
cos_tail = in_square(lambda x: series(lambda k: (-1) ** k / mp.factorial(2 * k), x * x, 2))
sinh_tail = lambda z: series(lambda k: 1 / mp.factorial(2 * k + 1), z, 1)
cosh_tail = lambda z: series(lambda k: 1 / mp.factorial(2 * k), z, 1)
atan_tail = in_square(lambda x: series(lambda k: mpf(-1) ** k / (2 * k + 1), x * x, 1, 120))
atanh_tail = in_square(lambda x: series(lambda k: mpf(1) / (2 * k + 1), x * x, 1, 120))
asin_tail = lambda z: (mp.asin(mp.sqrt(z)) / mp.sqrt(z) - 1) / z

quarter = (mp.pi / 4 * mpf("1.001")) ** 2
tiny = mpf("1e-12")


def all_fits():
    for kind, rounding, degrees in (
            ("F32", to_f32, dict(exp=4, exp2=5, sin=2, cos=2, sinh=1, cosh=2, atan=4, asin=4)),
            ("F64", to_f64, dict(exp=9, exp2=10, sin=5, cos=5, sinh=4, cosh=4, atan=10, asin=11))):
        yield fit(f"kExp{kind}", exp_tail, degrees["exp"], -half_ln2, half_ln2,
                  lambda r: r**2 / mp.exp(r), rounding)
        yield fit(f"kExpm1{kind}", exp_tail, degrees["exp"] + 1, -half_ln2, half_ln2,
                  lambda r: abs(r**2 / mp.expm1(r)) if r else 0 * r, rounding)
        yield fit(f"kExp2{kind}", exp2m1, degrees["exp2"], -mpf("0.5001"), mpf("0.5001"),
                  lambda r: abs(r) / mpf(2) ** r, rounding)
        yield fit(f"kSin{kind}", sin_tail, degrees["sin"], tiny, quarter,
                  lambda z: z * mp.sqrt(z) / mp.sin(mp.sqrt(z)), rounding)
        yield fit(f"kCos{kind}", cos_tail, degrees["cos"], tiny, quarter,
                  lambda z: z**2 / mp.cos(mp.sqrt(z)), rounding)
        yield fit(f"kSinh{kind}", sinh_tail, degrees["sinh"], tiny, half_ln2**2,
                  lambda z: z * mp.sqrt(z) / mp.sinh(mp.sqrt(z)), rounding)
        yield fit(f"kCosh{kind}", cosh_tail, degrees["cosh"], tiny, half_ln2**2,
                  lambda z: z, rounding)
        yield fit(f"kAtan{kind}", atan_tail, degrees["atan"], tiny, (mp.sqrt(2) - 1) ** 2,
                  lambda z: z * mp.sqrt(z) / mp.atan(mp.sqrt(z)), rounding)
        yield fit(f"kAsin{kind}", asin_tail, degrees["asin"], tiny, mpf(1) / 4,
                  lambda z: z * mp.sqrt(z) / mp.asin(mp.sqrt(z)), rounding)
    for base, factor in (("Log", mpf(1)), ("Log2", 1 / mp.log(2)), ("Log10", 1 / mp.log(10))):
        yield fit(f"k{base}F32", lambda f: log_tail(f) * factor, 8, *octave,
                  lambda f: abs(f**2 / mp.log1p(f) / factor) if f else 0 * f, to_f32)
    # log1p(f) = 2 atanh(s) = 2 s + 2 s^3 (1/3 + s^2/5 + ...), s = f / (2 + f), in z = s^2.
    yield fit("kLogF64", lambda z: 2 * atanh_tail(z), 6, tiny, root_octave,
              lambda z: z * mp.sqrt(z) / (2 * mp.atanh(mp.sqrt(z))), to_f64)
    # The same in base 2 for pow of f32, where 36 bits are enough.
    yield fit("kPowLog2F32", lambda z: 2 / mp.log(2) * (1 + z * atanh_tail(z)), 5, tiny, root_octave,
              lambda z: mp.sqrt(z) / (2 / mp.log(2) * mp.atanh(mp.sqrt(z))), to_f64)
    yield fit("kPowExp2F32", lambda r: mpf(2) ** r, 7, -mpf("0.5001"), mpf("0.5001"),
              lambda r: 1 / mpf(2) ** r, to_f64)
    yield from erf_fits()
    yield from pow_fits()
    yield from cbrt_fits()
    yield from erfinv_fits()
    yield from gamma_fits()


def erf_fits():
    # erf(x) = 1 - exp(-x g(x)): an error of g matters less the smaller 1 - erf is.
    yield fit("kErfF32", lambda x: -mp.log(mp.erfc(x)) / x, 8, mpf("1e-6"), 4,
              lambda x: x * mp.erfc(x) / mp.erf(x), to_f32, first=to_f64)
    yield fit("kErfF64", lambda z: mp.erf(mp.sqrt(z)) / mp.sqrt(z) - 1, 12, tiny, 1,
              lambda z: mp.sqrt(z) / mp.erf(mp.sqrt(z)), to_f64)
    # G = (1 + 2x) exp(x^2) erfc(x), which is nearly flat, in t = (x - k) / (x + k), from x = 1/2 on;
    # f32 computes it in f64. The slope of log G corrects for the rounding of t, so it may be coarse.
    k = mpf("3.75")
    turn = lambda x: (x - k) / (x + k)
    x_of = lambda t: k * (1 + t) / (1 - t)
    scaled = lambda x: (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)
    g = lambda t: scaled(x_of(t))
    yield fit("kErfcF32", g, 9, turn(mpf("0.45")), turn(mpf("10.3")), lambda t: 1 / g(t), to_f64, 150)
    name, c = fit("kErfcF64", g, 21, turn(mpf("0.45")), turn(mpf("27.6")), lambda t: 1 / g(t),
                  to_f64, 150, first=in_two)
    yield name, c
    yield "kErfcF64Low", [c[0] - to_f64(c[0])]
    slope = lambda x: 2 / (1 + 2 * x) + 2 * x - 2 / mp.sqrt(mp.pi) / (mp.exp(x * x) * mp.erfc(x))
    yield fit("kErfcSlope", lambda t: slope(x_of(t)) * 2 * k / (1 - t) ** 2, 5, turn(mpf("0.45")),
              turn(mpf("27.6")), lambda t: mpf(1), to_f64, 150)


def pow_fits():
    # 2 atanh(s) = 2 s + s z (2/3) + s z^2 (2/5 + 2/7 z + ...), z = s^2; this is the last bracket.
    yield fit("kPowLogF64",
              lambda z: 2 * series(lambda k: mpf(1) / (2 * k + 1), z, 2, 120), 7, tiny, root_octave,
              lambda z: z**2 / 2, to_f64)


def cbrt_fits():
    # A first guess: each step of Halley's triples its bits.
    for kind, degree in (("F32", 3), ("F64", 6)):
        yield fit(f"kCbrt{kind}", lambda f: mp.cbrt(1 + f), degree, *octave, lambda f: 1 / mp.cbrt(1 + f),
                  to_f64)


def erfinv_fits():
    """erfinv(y) / y as a function of w = -log(1 - y^2), or of its root (Giles, 2012); f32 computes it in f64."""
    def ratio(w):
        y = mp.sqrt(-mp.expm1(-w)) if w else mpf(0)
        return mp.erfinv(y) / y if y else mp.sqrt(mp.pi) / 2

    def piece(name, degree, low, high, middle):
        f = lambda t: ratio(t + middle)
        return fit(name, f, degree, mpf(low) - middle, mpf(high) - middle, lambda t: 1 / f(t), to_f64, 400)

    def root_piece(name, degree, low, high, middle):
        f = lambda t: ratio((t + middle) ** 2)
        return fit(name, f, degree, mp.sqrt(low) - middle, mp.sqrt(high) - middle, lambda t: 1 / f(t), to_f64, 400)

    yield piece("kErfinvNearF32", 10, "1e-30", "5.01", mpf("2.5"))
    yield root_piece("kErfinvFarF32", 11, mpf("4.99"), mpf("17"), mpf(3))
    yield piece("kErfinvNearF64", 25, "1e-30", "6.26", mpf("3.125"))
    yield root_piece("kErfinvMiddleF64", 21, mpf("6.24"), mpf("16.01"), mpf("3.25"))
    yield root_piece("kErfinvFarF64", 20, mpf("15.99"), mpf("37.5"), mpf(5))


def gamma_fits():
    # lgamma(2 + w) / w; then Stirling's remainder and digamma's, over 1/x, in z = 1/x^2.
    near = lambda w: mp.loggamma(2 + w).real / w if w else mp.digamma(2)
    stirling = lambda z: (mp.loggamma(1 / mp.sqrt(z)) - (1 / mp.sqrt(z) - mpf(1) / 2) * mp.log(1 / mp.sqrt(z))
                          + 1 / mp.sqrt(z) - mp.log(2 * mp.pi) / 2) / mp.sqrt(z)
    tail = lambda z: (mp.log(1 / mp.sqrt(z)) - mp.sqrt(z) / 2 - mp.digamma(1 / mp.sqrt(z))) / z
    for kind, degrees, start in (("F32", (10, 2, 3), 6), ("F64", (19, 6, 7), 8)):
        yield fit(f"kLgamma{kind}", near, degrees[0], -mpf("0.5"), mpf("0.5"), lambda w: 1 / near(w), to_f64, 150)
        yield fit(f"kStirling{kind}", stirling, degrees[1], mpf("1e-12"), mpf(1) / 64, lambda z: mpf(1), to_f64, 150)
        yield fit(f"kDigamma{kind}", tail, degrees[2], mpf("1e-12"), mpf(1) / start**2, lambda z: mpf(1), to_f64, 150)
    # lgamma around its least value: that in two parts, the slope that the root's rounding leaves, and the bend.
    root = mp.findroot(mp.digamma, mpf("1.4616"))
    place = to_f64(root)
    least, slope = mp.loggamma(place), mp.digamma(place)
    yield "kDigammaRoot", [place, to_f64(root - place)]
    yield "kLgammaLeast", [to_f64(least), to_f64(least - to_f64(least)), to_f64(slope)]
    bend = lambda d: (mp.loggamma(place + d) - least - slope * d) / d**2 if d else mp.psi(1, place) / 2
    yield fit("kLgammaMiddle", bend, 15, -mpf("0.24"), mpf("0.28"), lambda d: mpf(1), to_f64, 150)
    yield from digamma_near_fits(root)


def digamma_near_fits(root):
    """digamma(y) / (y - root) from 1 to 8, a polynomial around the centre of each half octave.

    The tables have eight places, of which the exponent and the first bit of the mantissa choose one."""
    ratio = lambda y: mp.digamma(y) / (y - root) if y != root else mp.psi(1, root)
    degree = 17
    centres, lows, rows = [mpf(0)] * 8, [mpf(0)] * 8, [[mpf(0)] * 8 for _ in range(degree + 1)]
    for place, low, high in ((6, "1", "1.5"), (7, "1.5", "2"), (0, "2", "3"), (1, "3", "4"), (2, "4", "6"), (3, "6", "8")):
        centre = (mpf(low) + mpf(high)) / 2
        half = (mpf(high) - mpf(low)) / 2
        f = lambda t: ratio(centre + t)
        _, c = fit(f"kDigammaNear {low}", f, degree, -half, half, lambda t: 1 / f(t), to_f64, 100,
                   first=in_two, again=False)
        centres[place] = centre - 1  # the argument is y - 1
        lows[place] = c[0] - to_f64(c[0])
        for i in range(degree + 1):
            rows[i][place] = c[i]
    yield "kDigammaCentre", centres
    yield "kDigammaNear", [entry for row in rows for entry in row]
    yield "kDigammaNearLow", lows


def write(results, file, what):
    path = pathlib.Path(__file__).with_name(file)
    lines = [f"// {what}. Written by fit.py: change that and run it again.",
             "#pragma once", "", "namespace weft::expr_math {", ""]
    for name, coefficients in results:
        lines.append(f"inline constexpr double {name}[] = {{")
        lines += [f"    {float(c).hex()}," for c in coefficients]
        lines += ["};", ""]
    lines += ["}  // namespace weft::expr_math", ""]
    path.write_text("\n".join(lines))


def short(x, bits):
    """x cut to so many significant bits."""
    if x == 0:
        return mpf(0)
    unit = mpf(2) ** (mp.floor(mp.log(abs(x), 2)) + 1 - bits)
    return mp.floor(x / unit) * unit


def turn_pieces(exponent, widths):
    """The fraction of 2^exponent / (2 pi) as a sum of floats of the given widths."""
    mp.prec = 1400
    rest = mpf(2) ** exponent / (2 * mp.pi)
    rest -= mp.floor(rest)
    pieces = []
    for width in widths:
        pieces.append(short(rest, width))
        rest -= pieces[-1]
    mp.dps = 60
    return pieces


def write_turns():
    tables = {"kTurnPieces0": turn_pieces(0, (29, 29, 29, 53)),
              "kTurnPieces53": turn_pieces(53, (29, 29, 29, 53))}
    groups = [turn_pieces(32 * g, (53, 53, 53, 53)) for g in range(32)]
    for i, name in enumerate(("kTurns1", "kTurns2", "kTurns3", "kTurns4")):
        tables[name] = [group[i] for group in groups]
    write(tables.items(), "turns.h", "Pieces of 2^e / (2 pi) for trig.cc")


if __name__ == "__main__":
    write(list(all_fits()), "coefficients.h", "Minimax coefficients, lowest degree first")
    write_turns()
