"""Indexing with arrays and masks, and x.at, against NumPy on random index expressions."""

import random

import numpy as np
import pytest

import weft as wf


def random_entry(rng, size):
    kind = rng.choice(["integer", "slice", "slice", "array", "array", "list"])
    if kind == "integer" and size > 0:
        return rng.randrange(-size, size)
    if kind in ("array", "list") and size > 0:
        shape = rng.choice([(3,), (1,), (2, 3), (2, 1), (), (0,)] if kind == "array" else [(3,), (1,)])
        values = np.array([rng.randrange(-size, size) for _ in range(int(np.prod(shape)))], np.int64).reshape(shape)
        return values.tolist() if kind == "list" else values.astype(rng.choice([np.int64, np.int32]))
    bounds = [rng.choice([None, *range(-size - 1, size + 2)]) for _ in range(2)]
    return slice(*bounds, rng.choice([None, 1, 2, -1, -2]))


def random_key(rng, shape):
    """An index into an array of this shape: integers, slices, arrays, masks, None and one ellipsis."""
    key, axis = [], 0
    taken = rng.randint(0, len(shape))
    ellipsis_at = rng.choice([None, rng.randint(0, taken)])
    while axis < taken:
        if rng.random() < 0.15:
            width = rng.randint(1, taken - axis)
            mask = np.array([rng.random() < 0.4 for _ in range(int(np.prod(shape[axis:axis + width])))], bool)
            key.append(mask.reshape(shape[axis:axis + width]))
            axis += width
            continue
        key.append(random_entry(rng, shape[axis]))
        axis += 1
    if ellipsis_at is not None and axis == len(shape):
        key.insert(min(ellipsis_at, len(key)), ...)
    for _ in range(rng.choice([0, 0, 0, 1, 2])):
        key.insert(rng.randint(0, len(key)), None)
    if rng.random() < 0.05:
        key.insert(rng.randint(0, len(key)), rng.choice([True, False, np.array(True)]))
    return tuple(key) if len(key) != 1 or rng.random() < 0.5 else key[0]


def numpy_result(a, key):
    """a[key], or None where NumPy refuses it: arrays that do not broadcast."""
    try:
        return a[key]
    except IndexError:
        return None


def random_cases(count, seed):
    rng = random.Random(seed)
    while count:
        shape = tuple(rng.randint(0 if rng.random() < 0.1 else 1, 4) for _ in range(rng.randint(0, 4)))
        a = np.arange(1, int(np.prod(shape)) + 1, dtype=np.float64).reshape(shape)
        key = random_key(rng, shape)
        if numpy_result(a, key) is None:
            with pytest.raises(IndexError):
                try:
                    wf.tensor(a)[key]
                except ValueError as error:  # arrays that do not broadcast: as in every other op
                    assert "broadcast" in str(error)
                    raise IndexError from error
            continue
        count -= 1
        yield rng, a, key


def as_tensors(rng, key):
    """The key with some of its arrays as tensors of ours."""
    def convert(entry):
        return wf.tensor(entry) if isinstance(entry, np.ndarray) and rng.random() < 0.5 else entry
    return tuple(map(convert, key)) if isinstance(key, tuple) else convert(key)


def test_reading_is_numpys():
    for rng, a, key in random_cases(600, 1):
        got = wf.tensor(a)[as_tensors(rng, key)]
        assert got.shape == a[key].shape, key
        np.testing.assert_array_equal(got.numpy(), a[key], err_msg=str(key))


def test_gradient_of_reading_adds_where_it_read():
    for rng, a, key in random_cases(200, 2):
        weights = np.random.default_rng(3).normal(size=a[key].shape)
        expected = np.zeros_like(a)
        np.add.at(expected, key, weights)
        got = wf.grad(lambda x: (x[key] * wf.tensor(weights)).sum())(wf.tensor(a))
        np.testing.assert_allclose(got.numpy(), expected, err_msg=str(key))


def random_value(rng, shape):
    """Something that broadcasts to the shape."""
    own = [rng.choice([n, 1]) if rng.random() < 0.3 else n for n in shape][rng.choice([0, 0, rng.randint(0, len(shape))]):]
    return np.random.default_rng(rng.randrange(1000)).normal(size=own)


UPDATES = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide, "min": np.minimum,
           "max": np.maximum}


@pytest.mark.parametrize("update", ["set", *UPDATES])
def test_updates_are_numpys(update):
    for rng, a, key in random_cases(120, 4):
        value = random_value(rng, a[key].shape)
        expected = a.copy()
        if update == "set":
            expected[key] = value
        else:
            UPDATES[update].at(expected, key, value)
        x = wf.tensor(a)
        got = getattr(x.at[as_tensors(rng, key)], update)(wf.tensor(value))
        np.testing.assert_allclose(got.numpy(), expected, rtol=1e-12, err_msg=f"{update} {key}")
        assert x.tolist() == a.tolist()


@pytest.mark.parametrize("update", ["set", "add", "multiply", "divide", "min", "max"])
def test_gradients_of_updates(update):
    for rng, a, key in random_cases(25, 5):
        if a.size == 0:
            continue
        value = random_value(rng, a[key].shape) + 0.1
        wf.grad_check(lambda x, v: getattr(x.at[key], update)(v), (wf.tensor(a / 3), wf.tensor(value)))


def test_vmap_indexes_each_example():
    x = np.arange(3 * 4 * 5 * 2, dtype=np.float64).reshape(3, 4, 5, 2)
    i, j = np.array([[0, 3], [1, -1], [2, 2]]), np.array([[4, 0], [1, 1], [-2, 3]])
    got = wf.vmap(lambda x, i, j: x[i, :, 1])(wf.tensor(x), wf.tensor(i), wf.tensor(j))
    np.testing.assert_array_equal(got.numpy(), np.stack([a[b, :, 1] for a, b in zip(x, i)]))
    got = wf.vmap(lambda i, j: wf.tensor(x)[:, i, j])(wf.tensor(i), wf.tensor(j))
    np.testing.assert_array_equal(got.numpy(), np.stack([x[:, b, c] for b, c in zip(i, j)]))
    got = wf.vmap(lambda x, i, j: x.at[i, j].add(1.0))(wf.tensor(x), wf.tensor(i), wf.tensor(j))
    expected = x.copy()
    for a, b, c in zip(expected, i, j):
        np.add.at(a, (b, c), 1.0)
    np.testing.assert_array_equal(got.numpy(), expected)
    with pytest.raises(IndexError, match=r"index 9 at position \[1, 0.* is out of range for axis 1"):
        wf.vmap(lambda x, i: x[i])(wf.tensor(x), wf.tensor([[0], [9], [0]]))


def test_masks_under_vmap():
    x = wf.tensor(np.arange(-3.0, 3.0).reshape(2, 3))
    zeroed = wf.vmap(lambda row: row.at[row < 0].set(0.0))(x)
    assert zeroed.tolist() == [[0, 0, 0], [0, 1, 2]]
    with pytest.raises(ValueError, match=r"no common shape.*\[argwhere.batch\]"):
        wf.vmap(lambda row: row[row < 0])(x)


def test_the_last_of_several_updates_stays():
    x, index = wf.zeros(3), [1, 1, 2, 1]
    assert x.at[index].set(wf.tensor([1.0, 2.0, 3.0, 4.0])).tolist() == [0, 4, 3]
    slopes = wf.grad(lambda v: x.at[index].set(v).sum())(wf.ones(4))
    assert slopes.tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("key, error, words", [
    ((np.array([True, False]),), IndexError, r"a mask of shape \[2\] does not fit x of shape \[3, 2\] from axis 0.*index.mask"),
    ((0, np.ones((2, 2), bool)), IndexError, r"does not fit x of shape \[3, 2\] from axis 1"),
    (([0, 1], [0, 1], [0, 1]), IndexError, "at most one entry per axis"),
    (([0, 1, 2], [0, 1]), ValueError, "do not broadcast"),
    (([0, 3], 1), IndexError, r"index 3 at position \[1\] is out of range for axis 0 with size 3"),
    (([0, 1], [[0], [2]]), IndexError, r"index 2 at position \[1, 0\] is out of range for axis 1 with size 2"),
    (np.array([0.5]), IndexError, "indices are integers"),
    (np.array([1], np.uint64), TypeError, "uint64"),
])
def test_bad_arrays(key, error, words):
    x = wf.tensor(np.arange(6.0).reshape(3, 2))
    with pytest.raises(error, match=words):
        x[key]
    with pytest.raises(error, match=words):
        x.at[key].add(1.0)


def test_bad_values():
    x = wf.zeros((3, 2))
    with pytest.raises(ValueError, match=r"a value of shape \[2, 2, 2\] does not fit the indexed places"):
        x.at[[0, 1]].set(wf.zeros((2, 2, 2)))
    with pytest.raises(ValueError, match="do not broadcast"):
        x.at[[0, 1]].add(wf.zeros(3))
