"""The first pages of docs/guide/tour.md as a program: tensors, broadcasting, errors, the same bits, and speed on this machine.

  .venv/bin/python examples/tour.py
"""

import sys
import time

import weft as wf

COLOUR = sys.stdout.isatty()


def bold(text):
    return f"\033[1m{text}\033[0m" if COLOUR else text


def chapter(title):
    print("\n" + bold(f"-- {title} " + "-" * (70 - len(title))))


def show(code, names):
    """Prints an expression and its value, as an interactive session would."""
    print(f">>> {code}")
    print(eval(code, {"wf": wf, **names}))  # the expressions are ours, a few lines below


def refuse(code, names):
    """Prints the error that a mistaken call raises."""
    print(f">>> {code}")
    try:
        eval(code, {"wf": wf, **names})
    except wf.Error as error:
        kind = next(base.__name__ for base in type(error).__mro__ if base.__module__ == "builtins")
        print(f"{type(error).__name__} ({kind}): {str(error).splitlines()[0]}")
    else:
        raise AssertionError(f"{code} should have been refused")


def tensors():
    chapter("tensors are values")
    x = wf.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    names = {"x": x}
    show("x", names)
    show("x[:, ::-1]", names)  # a view: nothing is copied
    show("wf.sum(x, axis=0), wf.mean(x), x.dtype, x.shape", names)
    show("wf.softmax(x, axis=-1)", names)
    show("x.at[0, 1].set(20.0)", names)  # a new tensor; x stays what it was


def broadcasting():
    chapter("broadcasting and dtypes")
    names = {"row": wf.arange(4), "column": wf.tensor([[10], [20], [30]])}
    show("row + column", names)
    show("(row + 0.5).dtype, (row + column).dtype, (row > 1).dtype", names)
    show("wf.tensor([1, 2], dtype=wf.uint8) + wf.tensor([1, 2], dtype=wf.int8)", names)


def errors():
    chapter("errors say what is wrong and what would be right")
    names = {"a": wf.ones((3, 4)), "b": wf.ones((3,))}
    refuse("a + b", names)
    refuse("wf.sum(a, axis=2)", names)
    refuse("wf.concat([a, wf.ones((2, 5))], axis=0)", names)
    refuse("wf.matmul(a, a)", names)


def same_bits():
    chapter("the same bits for any number of threads")
    x = wf.random.normal(wf.random.Key(0), (1000, 1003))
    threads = wf.num_threads()
    results = {}
    for count in (1, 2, 4):
        wf.set_num_threads(count)
        y = wf.tanh(wf.matmul(x, wf.permute_dims(x, (1, 0))) / 100)
        results[count] = (wf.sum(x).item().hex(), wf.sum(y).item().hex())
    wf.set_num_threads(threads)
    for count, (total, product) in results.items():
        print(f"{count} thread{'s' if count > 1 else ' '}: sum(x) = {total}   sum(tanh(x @ x.T / 100)) = {product}")
    assert len(set(results.values())) == 1


def seconds(call, repeat=1, at_least=0.3):
    """The best time of a call over `at_least` seconds of tries, `repeat` calls each."""
    call()
    best, begin = float("inf"), time.perf_counter()
    while time.perf_counter() - begin < at_least:
        start = time.perf_counter()
        for _ in range(repeat):
            call()
        best = min(best, (time.perf_counter() - start) / repeat)
    return best


def speed():
    chapter(f"speed on this machine, {wf.num_threads()} threads")
    small = wf.random.normal(wf.random.Key(3), (64,))
    print(f"  {'add of 64 floats':<34}{seconds(lambda: small + small, 1000) * 1e9:10.0f} ns")
    for n in (256, 1024):
        a = wf.random.normal(wf.random.Key(1), (n, n))
        print(f"  {f'matmul {n} x {n}, float32':<34}{2 * n**3 / seconds(lambda: wf.matmul(a, a)) / 1e9:10.1f} Gflop/s")
    x = wf.random.normal(wf.random.Key(2), (1 << 24,))
    for name, call, arrays in (("add", lambda: x + x, 2), ("exp", lambda: wf.exp(x), 2),
                               ("sum", lambda: wf.sum(x), 1)):
        rate = arrays * x.nbytes / seconds(call) / 1e9
        print(f"  {f'{name} of 16 million floats':<34}{rate:10.1f} GB/s")


def main():
    print(bold(f"Weft {wf.__version__}"))
    for part in (tensors, broadcasting, errors, same_bits, speed):
        part()
    print("\nNext: docs/guide/tour.md, or scripts/quickstart.sh, which trains a network")


if __name__ == "__main__":
    main()
