"""Datasets in Python: trees, functions, errors, interrupts, states."""

import collections
import dataclasses
import doctest
import os
import re
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import weft as wf
from weft.data import _dataset, _iterator

Dataset = wf.data.Dataset
Point = collections.namedtuple("Point", "x y")


@dataclasses.dataclass
class Record:
    value: wf.Tensor
    name: str


def numbers(dataset):
    return [wf.tree.map(lambda leaf: leaf.tolist() if isinstance(leaf, wf.Tensor) else leaf, element) for element in dataset]


def pairs():
    return Dataset.from_tensor_slices((np.arange(40.0, dtype=np.float32).reshape(10, 4), np.arange(10)))


def test_trees_of_every_kind_come_back():
    assert numbers(Dataset.range(2).map(lambda i: {"a": i, "b": (i, [i, i])})) == [
        {"a": 0, "b": (0, [0, 0])}, {"a": 1, "b": (1, [1, 1])}]
    first = next(iter(Dataset.range(2).map(lambda i: Point(i, None))))
    assert isinstance(first, Point) and first.x.item() == 0 and first.y is None
    record = next(iter(Dataset.range(2).map(lambda i: Record(i, "name"))))
    assert isinstance(record, Record) and record.name == "name"


def test_texts_are_leaves_and_batches_of_them_lists():
    texts = Dataset.from_tensor_slices({"text": ["a", "bb", "ccc"], "n": [1, 2, 3]})
    assert numbers(texts)[1] == {"text": "bb", "n": 2}
    assert numbers(texts.batch(2)) == [{"text": ["a", "bb"], "n": [1, 2]}, {"text": ["ccc"], "n": [3]}]
    assert numbers(texts.shuffle(seed=1).batch(3))[0]["text"] != ["a", "bb", "ccc"]


def test_tuples_are_given_as_arguments_and_others_whole():
    assert numbers(pairs().take(2).map(lambda x, y: y + 1)) == [1, 2]
    assert numbers(Dataset.from_tensor_slices({"a": [1, 2]}).map(lambda d: d["a"])) == [1, 2]


def test_functions_get_the_data_without_a_copy():
    source = wf.arange(6.0).reshape(3, 2)
    seen = []
    list(Dataset.from_tensor_slices(source).map(lambda x: seen.append(wf.testing and x) or x))
    assert all(x.numpy().base is not None for x in seen)
    given = []

    def make(i):
        array = np.full(3, float(i.item()))
        given.append(array.ctypes.data)
        return array

    out = [x.numpy().ctypes.data for x in list(Dataset.range(3).map(make))]
    assert out == given


@pytest.mark.parametrize("workers", [0, 1, 2, 4])
def test_threads_change_no_result(workers):
    dataset = pairs().shuffle(seed=5).repeat(3).map(lambda x, y: (x * x, y), num_parallel_calls=workers).batch(4).prefetch(2)
    plain = pairs().shuffle(seed=5).repeat(3).map(lambda x, y: (x * x, y)).batch(4)
    assert numbers(dataset) == numbers(plain)


def test_weft_functions_run_side_by_side():
    @wf.function
    def f(x, y):
        return wf.tanh(x) * 2.0, y

    expected = numbers(pairs().map(lambda x, y: (wf.tanh(x) * 2.0, y)))
    assert numbers(pairs().map(f, num_parallel_calls=2)) == expected
    assert "map(f, num_parallel_calls=2)" in repr(pairs().map(f, num_parallel_calls=2))


def test_generators_begin_anew_with_every_pass():
    def two():
        yield 1, "one"
        yield 2, "two"

    dataset = Dataset.from_generator(two)
    assert numbers(dataset) == numbers(dataset) == [(1, "one"), (2, "two")]
    iterator = iter(dataset)
    next(iterator)
    state = iterator.state_dict()
    other = iter(dataset)
    other.load_state_dict(state)
    assert numbers(other) == [(2, "two")]


def test_lengths():
    assert len(pairs().batch(3)) == 4
    assert pairs().repeat().cardinality() == wf.data.INFINITE
    assert Dataset.from_generator(lambda: [1]).cardinality() == wf.data.UNKNOWN
    with pytest.raises(wf.WrongTypeError) as error:
        len(pairs().repeat())
    assert str(error.value) == ("len: the length of this dataset is without end; cardinality() says so without raising "
                                "[Dataset.len]")
    assert pairs().repeat()  # a dataset is true, whatever its length


def test_states_are_tensors_by_name_and_resume():
    def make():
        return pairs().shuffle(seed=2).repeat(2).map(lambda x, y: (x + 1, y), num_parallel_calls=2).batch(3).prefetch(2)

    iterator = iter(make())
    next(iterator), next(iterator)
    state = {name: wf.tensor(value.numpy()) for name, value in iterator.state_dict().items()}
    rest = numbers(iterator)
    other = iter(make())
    other.load_state_dict(state)
    assert numbers(other) == rest


def test_states_hold_the_texts_of_a_buffer():
    def make():
        return Dataset.from_generator(lambda: [f"text {i}" for i in range(9)]).shuffle(4, seed=1)

    iterator = iter(make())
    next(iterator)
    state = iterator.state_dict()
    rest = list(iterator)
    other = iter(make())
    other.load_state_dict(state)
    assert list(other) == rest


@pytest.mark.parametrize("workers", [None, 2])
def test_failing_elements_say_which_they_were(workers):
    def check(i):
        if i.item() == 3:
            raise ValueError("three is not allowed")
        return i

    dataset = Dataset.range(6).map(check, num_parallel_calls=workers)
    begin = time.monotonic()
    with pytest.raises(ValueError, match="three is not allowed") as error:
        list(dataset)
    assert time.monotonic() - begin < 1
    assert error.value.__notes__[0].startswith("element 3 of map(check")
    iterator = iter(dataset.ignore_errors())
    assert numbers(iterator) == [0, 1, 2, 4, 5] and iterator.skipped == 1
    assert "1 skipped" in iterator.explain()


def test_errors_by_their_whole_text():
    def text_of(f):
        with pytest.raises(wf.Error) as error:
            f()
        return str(error.value)

    assert text_of(lambda: Dataset.range(3).batch(0)) == "batch: size is 0; it is 1 or more [batch.size]"
    assert text_of(lambda: Dataset.range(3).map(3)) == "map: needs a function, but got int [map.function]"
    assert text_of(lambda: Dataset.range(3).map(abs, num_parallel_calls=-1)) == (
        "map: num_parallel_calls is -1; it is None, or 0 to 1024 [map.num_parallel_calls]")
    assert text_of(lambda: Dataset.zip([Dataset.range(3), 4])) == "zip: needs a Dataset, but got int [zip.dataset]"
    assert text_of(lambda: list(Dataset.range(3).flat_map(lambda i: i))) == (
        "flat_map: the function gives weft.Tensor; it gives a Dataset [flat_map.function]")
    assert text_of(lambda: list(Dataset.range(2).map(lambda i: {1: i}))) == (
        "map: a dict has the key 1; keys of elements are str [map.element]")
    assert text_of(lambda: Dataset.range(0).as_tensors()) == (
        "as_tensors: the dataset has no elements that would make tensors [as_tensors.empty]")
    assert text_of(lambda: Dataset.from_generator(lambda: [1]).shuffle()) == (
        "shuffle: needs a buffer_size: the elements of this dataset are not known by number [shuffle.buffer_size]")


def test_words_of_other_libraries_are_answered():
    with pytest.raises(wf.WrongTypeError, match="weft calls this size"):
        Dataset.range(3).batch(batch_size=2)
    with pytest.raises(wf.WrongTypeError, match="weft calls this num_parallel_calls"):
        Dataset.range(3).map(abs, num_workers=2)


def test_ctrl_c_ends_a_pass_at_once(ctrl_c):
    dataset = Dataset.range(100).map(lambda i: time.sleep(0.05) or i, num_parallel_calls=2).batch(100).prefetch(1)
    timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        list(dataset)
    assert time.monotonic() - begin < 1
    timer.join()


def test_threads_serve_the_next_pass():
    def pass_over():
        found = set()
        list(Dataset.range(4).map(lambda i: found.add(threading.get_native_id()) or i, num_parallel_calls=1).prefetch(1))
        return found - {threading.get_native_id()}

    used = set().union(*(time.sleep(0.01) or pass_over() for _ in range(40)))
    assert 0 < len(used) < 20  # and not one for each pass, whatever else rests


def test_passes_begin_in_a_process_that_was_forked():
    code = ("import os, signal, weft as wf\n"
            "numbers = lambda: [x.item() for x in wf.data.Dataset.range(20).prefetch(2)]\n"
            "assert numbers() == list(range(20))\n"
            "child = os.fork()\n"
            "if child == 0:\n"
            "    signal.alarm(20)\n"
            "    os._exit(0 if numbers() == list(range(20)) else 1)\n"
            "assert os.waitpid(child, 0)[1] == 0 and numbers() == list(range(20))")
    run_program(code)


def run_program(code):
    return subprocess.run([sys.executable, "-c", code], check=True, timeout=60, capture_output=True,
                          env={**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(wf.__file__))})


def test_iterators_that_are_held_end_with_the_process():
    """Threads that call Python while it is taken apart would abort."""
    code = ("import atexit, time\n"
            "made = []\n"
            "def show_growth():\n"  # registered first, so it runs after Weft's own
            "    before = len(made)\n"
            "    time.sleep(0.1)\n"
            "    print(before > 0, len(made) - before)\n"
            "atexit.register(show_growth)\n"
            "import weft as wf\n"
            "def slow(i):\n"
            "    time.sleep(0.002)\n"
            "    made.append(i)\n"
            "    return wf.exp(wf.ones(1000)) * i\n"
            "kept = [iter(wf.data.Dataset.range(10**6).map(slow, num_parallel_calls=2).prefetch(10**5)) for _ in range(3)]\n"
            "for iterator in kept:\n"
            "    next(iterator)\n")
    ended = run_program(code)
    assert (ended.stdout, ended.stderr) == (b"True 0\n", b"")


def test_dropped_iterators_leave_no_threads():
    before = len(os.listdir("/proc/self/task"))
    for _ in range(10):
        iterator = iter(Dataset.range(1000).map(lambda i: i + 1, num_parallel_calls=2).prefetch(4))
        next(iterator)
    del iterator
    end = time.monotonic() + 5
    while len(os.listdir("/proc/self/task")) > before and time.monotonic() < end:
        time.sleep(0.01)
    assert len(os.listdir("/proc/self/task")) <= before


class Refusing:
    """An array that cannot be read."""

    def __dlpack__(self, **keywords):
        raise BufferError("read-only")

    def __dlpack_device__(self):
        return (1, 0)


def test_errors_of_elements_reach_the_thread_that_reads_them():
    of_refusing = Dataset.from_generator(lambda: iter([Refusing()]))
    for data in (of_refusing, of_refusing.map(lambda x: x, num_parallel_calls=2), of_refusing.prefetch(1),
                 Dataset.range(4).map(lambda i: Refusing(), num_parallel_calls=2)):
        with pytest.raises(BufferError, match="read-only"):
            next(iter(data))


def test_pipelines_run_inside_of_graphs_and_tapes():
    with wf.Graph():
        assert numbers(Dataset.range(3).map(lambda i: i * 2)) == [0, 2, 4]


def test_seeds_come_from_the_default_generator():
    wf.seed(3)
    first = numbers(Dataset.range(20).shuffle())
    wf.seed(3)
    assert numbers(Dataset.range(20).shuffle()) == first
    assert numbers(Dataset.range(20).shuffle()) != first


def test_windows_buckets_and_padding():
    ragged = Dataset.range(1, 5).map(lambda n: wf.ones((n.item(),)))
    assert numbers(ragged.padded_batch(2, padded_shapes=(4,), padding_values=-1.0))[0] == [[1, -1, -1, -1], [1, 1, -1, -1]]
    assert [x.shape for x in ragged.bucket_by_length(lambda x: x.shape[0], [3], [2, 2])] == [(2, 2), (2, 4)]


def test_caches_in_memory_and_in_a_file(tmp_path):
    calls = []
    in_memory = Dataset.range(5).map(lambda i: calls.append(1) or i).cache()
    assert numbers(in_memory) == numbers(in_memory) and len(calls) == 5
    path = tmp_path / "elements"
    in_file = Dataset.range(5).map(lambda i: calls.append(1) or (i, str(i.item()))).cache(path)
    first = numbers(in_file)
    assert path.exists() and numbers(in_file) == first and len(calls) == 10
    damaged = bytearray(path.read_bytes())
    damaged[40] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(wf.IoError, match=r"cache: .*"):
        numbers(in_file)


def test_apply_and_numpy():
    assert Dataset.range(4).apply(lambda dataset: dataset.skip(2)).cardinality() == 2
    assert [type(x) for x in Dataset.range(1).as_numpy_iterator()] == [np.ndarray]


@pytest.mark.parametrize("module", [wf.data, _dataset, _iterator])
def test_examples_in_docstrings(module):
    assert doctest.testmod(module) == (0, doctest.testmod(module).attempted) and doctest.testmod(module).attempted


def test_threads_of_short_functions_take_several_elements_at_a_time():
    dataset = Dataset.range(3000).map(lambda i: i + 1, num_parallel_calls=2)
    iterator = iter(dataset)
    assert [next(iterator).item() for _ in range(1500)] == list(range(1, 1501))
    other = iter(dataset)
    other.load_state_dict(iterator.state_dict())
    assert numbers(other) == list(range(1501, 3001)) == numbers(iterator)


def test_threads_rest_while_a_function_is_cheap():
    iterator = iter(wf.data.Dataset.range(5000).map(lambda i: i, num_parallel_calls=2))
    assert [i.item() for i in iterator] == list(range(5000))
    done = re.search(r"(\d+) too short for them and done by who asked", iterator.explain())
    assert done and int(done[1]) > 1000


def test_shapes_of_dicts_go_by_their_keys():
    ragged = wf.data.Dataset.range(1, 5).map(lambda n: {"a": wf.ones((n.item(),)), "b": wf.zeros((n.item() + 1,))})
    batch = next(iter(ragged.padded_batch(4, padded_shapes={"b": (10,), "a": (4,)})))
    assert batch["a"].shape == (4, 4) and batch["b"].shape == (4, 10)
    turned = wf.data.Dataset.range(1, 4).map(lambda n: {"y": n, "x": wf.ones(n.item())})
    padded = next(iter(turned.padded_batch(3, padded_shapes={"x": (4,), "y": ()}, padding_values={"x": -1.0, "y": 7})))
    assert padded["x"].tolist()[0] == [1, -1, -1, -1] and padded["y"].tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match=r"padded_batch: elements have the keys \['x', 'y'\] but the padding has \['q', 'x'\]; give one "
                                         r"for each \[padded_batch.keys\]"):
        turned.padded_batch(3, padding_values={"x": -1.0, "q": 7})
    with wf.Graph():
        types, shapes = {"b": wf.int64, "a": wf.float32}, {"b": (), "a": (None,)}
        given = wf.data.Iterator.from_structure(types, shapes).get_next()
    assert given["a"].dtype is wf.float32 and given["b"].dtype is wf.int64


def test_generators_that_fail_say_at_which_element():
    def numbers():
        yield 1
        yield 2
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more") as caught:
        list(wf.data.Dataset.from_generator(numbers))
    assert "element 2 of from_generator(numbers)" in "".join(caught.value.__notes__)


def test_what_a_map_draws_is_its_own():
    """The same numbers for any number of threads, whatever the consumer draws meanwhile."""
    def drawn(threads, between):
        wf.seed(3)
        out = []
        for x in wf.data.Dataset.range(8).map(lambda i: i + wf.rand(1), num_parallel_calls=threads):
            out.append(x.item())
            wf.rand(between)
        return out

    alone = drawn(0, 1)
    assert len({x % 1 for x in alone}) == 8
    assert drawn(2, 1) == drawn(4, 3) == alone


def test_numpy_scalars_are_elements():
    x, y = np.arange(6, dtype=np.float32).reshape(3, 2), np.arange(3)
    pairs = list(Dataset.from_generator(lambda: zip(x, y)))
    assert [(a.tolist(), b.item()) for a, b in pairs] == [([0, 1], 0), ([2, 3], 1), ([4, 5], 2)]
    assert {b.dtype for _, b in pairs} == {wf.int64} and {b.shape for _, b in pairs} == {()}
    for scalar in (np.float32(1.5), np.float64(1.5), np.int8(-3), np.uint16(7), np.bool_(True), np.complex64(1 + 2j)):
        made, = Dataset.range(1).map(lambda i: scalar)
        assert made.dtype.name == scalar.dtype.name and made.shape == () and made.item() == scalar, scalar
        assert list(Dataset.from_tensors((scalar, 1)))[0][0].dtype.name == scalar.dtype.name
    assert [s.item() for s in Dataset.from_tensor_slices(x).map(lambda a: a.numpy().sum(), num_parallel_calls=2)] == [1, 5, 9]
    mine = np.zeros(3)
    list(Dataset.range(2).map(lambda i: mine))
    mine[0] = 1  # an array that others hold stays theirs to write


@pytest.mark.parametrize("workers", [None, 2])
def test_stop_iteration_in_a_function_is_an_error(workers):
    def runs_out(i):
        return next(iter([])) if i.item() == 3 else i

    def steps(dataset):
        return (dataset.map(runs_out, num_parallel_calls=workers), dataset.filter(lambda i: runs_out(i) is not None),
                dataset.flat_map(lambda i: Dataset.from_tensors(runs_out(i))), dataset.map(runs_out).prefetch(2))

    for dataset in steps(Dataset.range(5)):
        got = []
        with pytest.raises(RuntimeError, match="the function raised StopIteration: element 3 of ") as caught:
            for i in dataset:
                got.append(i.item())
        assert got == [0, 1, 2] and isinstance(caught.value.__cause__, StopIteration)
    assert numbers(steps(Dataset.range(5))[0].ignore_errors()) == [0, 1, 2, 4]
    with pytest.raises(RuntimeError, match="StopIteration: element 0 of from_generator"):
        list(Dataset.from_generator(lambda: next(iter([]))))

    model = wf.nn.Linear(1, 1)
    model.compile(wf.optim.SGD(model.parameters(), 0.1), "mse")
    x = np.ones((5, 1), np.float32)
    batches = Dataset.from_tensor_slices((x, x, np.arange(5))).map(lambda a, b, i: (runs_out(i), (a, b))[1], num_parallel_calls=workers)
    with pytest.raises(RuntimeError, match="the function raised StopIteration: element 3 of map"):
        model.fit(batches.batch(1), epochs=1, verbose=0)


def test_a_dataset_explains_its_latest_pass():
    x = np.ones((12, 2), np.float32)
    dataset = Dataset.from_tensor_slices((x, x[:, :1])).batch(4).prefetch(1)
    assert dataset.explain() == "there was no pass yet"
    model = wf.nn.Linear(2, 1)
    model.compile(wf.optim.SGD(model.parameters(), 0.1), "mse")
    model.fit(dataset, epochs=2, verbose=0)
    assert "batch(4): 3 elements" in dataset.explain() and " is slow: " in dataset.explain()
    iterator = iter(dataset)
    assert "batch(4): 3 elements" in dataset.explain()
    next(iterator)
    assert "prefetch(1): 1 elements" in dataset.explain()


def test_padding_that_elements_cannot_hold_is_refused():
    rows = Dataset.range(1, 3).map(lambda n: np.zeros(n.item(), np.int64))
    assert next(iter(rows.padded_batch(2, padding_values=-1))).tolist() == [[0, -1], [0, 0]]
    with pytest.raises(wf.InvalidError, match=r"the padding is .*0.5.* has no such number \[padded_batch.padding_values\]"):
        list(rows.padded_batch(2, padding_values=0.5))


def test_buffers_stay_within_their_budget():
    iterator = iter(Dataset.range(50).map(lambda i: wf.zeros(75_000)).prefetch(40).with_options(buffer_bytes=1_000_000))
    next(iterator)
    for _ in range(200):
        if iterator.buffered_bytes == 900_000:
            break
        time.sleep(0.02)
    time.sleep(0.1)
    assert iterator.buffered_bytes == 900_000  # of 300,000 each
    assert "the consumer is slow" in iterator.explain()


@pytest.mark.parametrize("workers", [None, 2])
@pytest.mark.parametrize("kind", [SystemExit, GeneratorExit])
def test_a_wish_to_end_is_no_error_to_ignore(kind, workers):
    def stop(x):
        if x.item() == 1:
            raise kind("stop now")
        return x

    with pytest.raises(kind):
        list(wf.data.Dataset.range(3).map(stop, num_parallel_calls=workers).ignore_errors())


HUGE = 2**63 - 1


def first(data, count=3):
    return [x.tolist() for x in data.take(count)]


def test_huge_ranges_are_shuffled_by_their_buffer():
    data = Dataset.range(2**40).shuffle(3, seed=1)
    got = first(data, 100)
    assert len(data) == 2**40 and sorted(set(got)) == sorted(got) and got != sorted(got) and max(got) < 103
    it = iter(data)
    next(it)
    again = iter(data)
    again.load_state_dict(it.state_dict())
    assert [next(it).item() for _ in range(5)] == [next(again).item() for _ in range(5)]
    with pytest.raises(wf.Error, match=r"^shuffle: its buffer is to hold the numbers of 1099511627776 elements, but buffers of this pipeline "
                                       r"may hold 8000000 bytes, which are those of 1000000; take a smaller buffer_size \[shuffle.budget\]"):
        next(iter(Dataset.range(2**40).shuffle().with_options(buffer_bytes=8_000_000)))
    with pytest.raises(wf.Error, match=r"\[shuffle.budget\]"):
        next(iter(Dataset.range(2**40).shuffle(HUGE)))


def test_huge_counts_end_where_the_elements_do():
    few = Dataset.range(4)
    assert first(few.shuffle(HUGE, seed=1), 9) == first(few.shuffle(4, seed=1), 9)
    for data in (few.skip(HUGE), few.skip(2**62), Dataset.range(2**62).skip(2**62), Dataset.range(HUGE).skip(HUGE), few.shard(HUGE, HUGE - 1)):
        assert first(data) == [] and len(data) == 0
    assert first(Dataset.range(2**50).skip(2**49).skip(2**48)) == [2**49 + 2**48 + i for i in range(3)]
    assert first(Dataset.range(2**50).take(2**49).skip(2**49 - 1)) == [2**49 - 1]
    assert first(Dataset.range(2**50).shard(2**49, 5)) == [5, 2**49 + 5]
    assert first(few.take(HUGE), 9) == [0, 1, 2, 3] == first(few.prefetch(HUGE), 9)
    assert first(few.batch(HUGE)) == first(few.batch(2**40)) == [[0, 1, 2, 3]] and len(few.batch(HUGE)) == 1
    assert first(few.batch(HUGE, drop_remainder=True)) == [] and len(few.batch(HUGE, drop_remainder=True)) == 0
    assert first(few.map(lambda x: x).batch(2**40)) == [[0, 1, 2, 3]]
    assert first(few.window(HUGE, stride=HUGE)) == [[0]] and len(few.window(HUGE, shift=HUGE)) == 1
    assert first(few.window(2, shift=HUGE)) == [[0, 1]] and first(few.window(HUGE, shift=2)) == [[0, 1, 2, 3], [2, 3]]
    assert first(few.window(HUGE, stride=2, drop_remainder=True)) == []
    assert first(few.repeat(2**62), 6) == [0, 1, 2, 3, 0, 1] == first(few.repeat(HUGE), 6)
    assert first(few.repeat(2**62).batch(6)) == [[0, 1, 2, 3, 0, 1], [2, 3, 0, 1, 2, 3], [0, 1, 2, 3, 0, 1]]
    assert first(Dataset.range(0).repeat(HUGE)) == []
    assert first(few.repeat(2**62).shuffle(2, seed=1), 4) == first(few.repeat().shuffle(2, seed=1), 4)
    assert first(Dataset.range(HUGE).concatenate(Dataset.range(HUGE))) == [0, 1, 2]
    assert first(Dataset.range(-2**63, HUGE, 3)) == [-2**63, 3 - 2**63, 6 - 2**63]
    assert first(Dataset.range(-2**63, HUGE, 2**62), 9) == [-2**63, -2**62, 0, 2**62]


@pytest.mark.parametrize("make, said", [
    (lambda: Dataset.range(2**40).batch(2**40), r"batch: size is 1099511627776, and the numbers of more than \d+ rows do not fit in the "
                                                r"\d+ bytes of the memory limit; take smaller batches \[batch.size\]"),
    (lambda: Dataset.range(3).interleave(lambda i: Dataset.range(2), cycle_length=2**40),
     r"interleave: cycle_length is 1099511627776, but at most 65536 datasets are open at a time; take a smaller one \[interleave.cycle_length\]"),
    (lambda: Dataset.range(3).enumerate(HUGE).skip(1),
     r"enumerate: start is 9223372036854775807, and element 1 has a number that int64 does not hold; take a smaller start \[enumerate.start\]"),
])
def test_what_is_too_large_says_so(make, said):
    before = wf.memory.limit()
    wf.memory.set_limit(2**26)
    try:
        with pytest.raises(wf.Error, match=f"^{said}"):
            next(iter(make()))
    finally:
        wf.memory.set_limit(before)


def few():
    yield from (1, 2)


@pytest.mark.parametrize("make, said", [
    (lambda: Dataset.from_generator(few, output_types=wf.float32),
     "from_generator: has no argument 'output_types'; types and shapes are those of what the generator gives [from_generator.keyword]"),
    (lambda: Dataset.from_generator(few, output_signature=wf.TensorSpec(())), "from_generator: has no argument 'output_signature'; types "
     "and shapes are those of what the generator gives [from_generator.keyword]"),
    (lambda: Dataset.from_generator(few, args=(3,)),
     "from_generator: has no argument 'args'; bind them: from_generator(lambda: generator(n)) [from_generator.keyword]"),
    (lambda: Dataset.from_generator(), "from_generator: argument 'generator' is missing [from_generator.count]"),
    (lambda: Dataset.range(3, output_type=wf.int32),
     "range: has no argument 'output_type'; numbers are int64: dataset.map(lambda x: x.astype(dtype)) casts them [range.keyword]"),
    (lambda: Dataset.range(3).map(map_func=few), "map: has no argument 'map_func'; weft calls this f [map.keyword]"),
    (lambda: Dataset.range(3).filter(predicate=few), "filter: has no argument 'predicate'; weft calls this f [filter.keyword]"),
    (lambda: Dataset.range(3).cache(filename="a"), "cache: has no argument 'filename'; weft calls this path [cache.keyword]"),
    (lambda: Dataset.range(3).take(), "take: argument 'count' is missing [take.count]"),
    (lambda: Dataset.range(3)[0], "Dataset: cannot be indexed, but got 0; iterate over it, or use dataset.take(n), or "
     "next(iter(dataset.skip(i))) [Dataset.index]"),
    (lambda: Dataset.range(3)[:2], "Dataset: cannot be indexed, but got a slice; iterate over it, or use dataset.take(n), or "
     "next(iter(dataset.skip(i))) [Dataset.index]"),
])
def test_calls_that_do_not_fit_say_what_would(make, said):
    with pytest.raises(wf.WrongTypeError) as error:
        make()
    assert str(error.value) == said


def test_what_is_said_of_calls_works():
    assert [x.item() for x in Dataset.from_generator(lambda: range(2)).map(lambda x: x.astype(wf.float32))] == [0.0, 1.0]
    assert next(iter(Dataset.range(3).skip(1))).item() == 1 and [x.item() for x in Dataset.range(3).take(2)] == [0, 1]
    with pytest.raises(TypeError, match="^own$"):  # errors of user code pass through unchanged
        Dataset.range(3).apply(raise_own)


def raise_own(dataset):
    raise TypeError("own")
