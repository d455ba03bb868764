"""wf.save and wf.load: the bits come back, the safetensors package and NumPy read what we write, and we what they write."""

import doctest
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

import numpy as np
import pytest
import safetensors
import safetensors.numpy

import weft as wf

NAMES = {"bool": "BOOL", "uint8": "U8", "int8": "I8", "uint16": "U16", "int16": "I16", "uint32": "U32", "int32": "I32",
         "uint64": "U64", "int64": "I64", "float16": "F16", "bfloat16": "BF16", "float32": "F32", "float64": "F64",
         "complex64": "C64"}


def all_dtypes(*left_out):
    numbers = wf.arange(0, 6)
    return {name: wf.cast(numbers, name).reshape((2, 3)) for name in [*NAMES, "complex128"] if name not in left_out}


def same_bits(a, b):
    return a.dtype is b.dtype and a.shape == b.shape and wf._core._to_bytes(a) == wf._core._to_bytes(b)


def test_every_dtype_comes_back_from_safetensors(tmp_path):
    tensors = all_dtypes("complex128")
    tensors["a view"] = wf.arange(0, 24).reshape((2, 3, 4)).mT
    tensors["of rank 0"] = wf.tensor(2.5)
    tensors["empty"] = wf.zeros((0, 3))
    tensors['"odd"\n漢'] = wf.tensor([float("nan"), -0.0])
    wf.save(tmp_path / "a.safetensors", tensors, metadata={"epoch": "3", "über": "x"})
    back = wf.load(tmp_path / "a.safetensors")
    assert list(back) == list(tensors)
    assert all(same_bits(back[name], tensors[name]) for name in tensors)
    assert wf.load_metadata(tmp_path / "a.safetensors") == {"epoch": "3", "über": "x"}
    assert [path.name for path in tmp_path.iterdir()] == ["a.safetensors"]


def test_the_safetensors_package_reads_what_we_write(tmp_path):
    tensors = all_dtypes("complex128")
    wf.save(tmp_path / "a.safetensors", tensors, metadata={"made": "here"})
    read = dict(safetensors.deserialize((tmp_path / "a.safetensors").read_bytes()))
    assert set(read) == set(tensors)
    for name, entry in read.items():
        assert entry["dtype"] == NAMES[name] and entry["shape"] == [2, 3]
        assert bytes(entry["data"]) == wf._core._to_bytes(tensors[name])
    with safetensors.safe_open(tmp_path / "a.safetensors", framework="np") as file:
        assert file.metadata() == {"made": "here"}
        assert file.get_tensor("float32").tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]


def test_we_read_what_the_safetensors_package_writes(tmp_path):
    arrays = {"w": np.arange(6, dtype=np.float32).reshape(2, 3), "flags": np.array([True, False]), "n": np.array(7)}
    safetensors.numpy.save_file(arrays, tmp_path / "a.safetensors", metadata={"k": "v"})
    back = wf.load(tmp_path / "a.safetensors")
    assert all(np.array_equal(back[name].numpy(), arrays[name]) and str(back[name].dtype) == arrays[name].dtype
               for name in arrays)
    assert wf.load_metadata(tmp_path / "a.safetensors") == {"k": "v"}
    tensors = all_dtypes("complex128", "bfloat16")  # NumPy lacks the one, the format the other
    safetensors.numpy.save_file({name: t.numpy().copy() for name, t in tensors.items()}, tmp_path / "b")
    assert all(same_bits(t, tensors[name]) for name, t in wf.load(tmp_path / "b").items())


def test_tensors_of_a_file_are_aligned(tmp_path):
    tensors = {"flag": wf.tensor([True]), "wide": wf.tensor([1.0], dtype=wf.float64), "half": wf.tensor([1.0], dtype=wf.float16)}
    wf.save(tmp_path / "a", tensors)
    data = (tmp_path / "a").read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    assert length % 8 == 0
    for entry in json.loads(data[8:8 + length]).values():
        size = {"BOOL": 1, "F16": 2, "F64": 8}[entry["dtype"]]
        assert (8 + length + entry["data_offsets"][0]) % size == 0


@pytest.mark.parametrize("compressed", [False, True])
def test_npz_goes_both_ways(tmp_path, compressed):
    tensors = all_dtypes("bfloat16")
    wf.save(tmp_path / "ours.npz", tensors, compressed=compressed)
    with np.load(tmp_path / "ours.npz") as read:
        assert list(read) == list(tensors)
        assert all(np.array_equal(read[name], tensors[name].numpy()) for name in tensors)
    arrays = {name: t.numpy() for name, t in tensors.items()}
    (np.savez_compressed if compressed else np.savez)(tmp_path / "theirs.npz", **arrays)
    back = wf.load(tmp_path / "theirs.npz")
    assert list(back) == list(arrays) and all(same_bits(back[name], tensors[name]) for name in arrays)
    assert list(wf.load(tmp_path / "theirs.npz", names=["int8", "bool"])) == ["bool", "int8"]


def test_npy_goes_both_ways(tmp_path):
    for name, t in all_dtypes("bfloat16").items():
        wf.save(tmp_path / "ours.npy", t)
        assert np.array_equal(np.load(tmp_path / "ours.npy"), t.numpy())
        for array in (t.numpy(), np.asfortranarray(t.numpy()), t.numpy().astype(t.numpy().dtype.newbyteorder(">"))):
            np.save(tmp_path / "theirs.npy", array)
            assert same_bits(wf.load(tmp_path / "theirs.npy"), t), name


def test_large_tensors_are_deflated(tmp_path):
    x = wf.zeros((1000, 1000))
    wf.save(tmp_path / "a.npz", {"x": x}, compressed=True)
    assert (tmp_path / "a.npz").stat().st_size < 20_000
    assert wf.load(tmp_path / "a.npz")["x"].shape == (1000, 1000)


def test_arrays_numbers_and_variables_are_saved_as_tensors(tmp_path):
    v = wf.Variable([1.0, 2.0], name="v")
    wf.save(tmp_path / "a", {"v": v, "array": np.ones(3), "number": 2.0})
    back = wf.load(tmp_path / "a")
    assert back["v"].tolist() == [1.0, 2.0] and str(back["array"].dtype) == "float64" and back["number"].item() == 2.0


@pytest.mark.parametrize("call, error, said", [
    (lambda p: wf.save(p / "a", wf.ones(1)), TypeError,
     "save: the tensors must be a dict, {name: tensor}, but got Tensor; only a file that ends in .npy holds one without a name "
     "[save.tensors]"),
    (lambda p: wf.save(p / "a", {1: wf.ones(1)}), TypeError, "save: the name of a tensor is 1; names are strings [save.names]"),
    (lambda p: wf.save(p / "a", {"x": wf.ones(1)}, metadata={"n": 3}), TypeError,
     "save: metadata are texts by name, {str: str}, but got {'n': 3}; make texts of them, with json.dumps for example "
     "[save.metadata]"),
    (lambda p: wf.save(3, {}), TypeError, "save: the path must be a string or a path, but got 3 [save.path]"),
    (lambda p: wf.load(p / "a", names="w"), TypeError, "load: names must be a list of names, but got 'w'; write ['w'] [load.names]"),
    (lambda p: wf.save(p / "a", {"x": wf.cast(wf.ones(1), wf.complex128)}), TypeError,
     "save: 'x' is complex128, which safetensors has no name for; save its real and imaginary parts, or a file that ends in .npz "
     "[save.dtype]"),
])
def test_wrong_calls(tmp_path, call, error, said):
    with pytest.raises(error) as caught:
        call(tmp_path)
    assert str(caught.value) == said
    assert isinstance(caught.value, wf.Error)


def test_a_missing_file_is_an_oserror(tmp_path):
    with pytest.raises(OSError) as caught:
        wf.load(tmp_path / "none")
    assert str(caught.value) == f"load: cannot read '{tmp_path}/none': No such file or directory; give the path of a file that can be read [load.file]"


def test_pickles_are_never_run(tmp_path):
    np.save(tmp_path / "a.npy", np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(TypeError, match=r"holds elements of '\|O', which Weft has no dtype for"):
        wf.load(tmp_path / "a.npy")


def test_bits_that_flip_in_an_npz_are_noticed(tmp_path):
    wf.save(tmp_path / "a.npz", {"x": wf.arange(0, 100)})
    data = bytearray((tmp_path / "a.npz").read_bytes())
    data[400] ^= 4
    (tmp_path / "a.npz").write_bytes(data)
    with pytest.raises(OSError, match=r"has the checksum \d+ where \d+ was written; it is damaged \[load.npz\]"):
        wf.load(tmp_path / "a.npz")


def test_what_is_traced_has_no_value_to_save(tmp_path):
    with wf.Graph():
        x = wf.placeholder(wf.float32, (2,), name="x")
        with pytest.raises(wf.Error, match="save needs a value, but a tensor of type f32.2. is part of a graph"):
            wf.save(tmp_path / "a", {"x": x})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("thing", [wf.save, wf.CheckpointManager, wf.Saver, wf.random.set_generator_state],
                         ids=lambda thing: thing.__name__)
def test_examples_in_docstrings(thing, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runner = doctest.DocTestRunner()
    for test in doctest.DocTestFinder(recurse=False).find(thing, thing.__name__, globs={"wf": wf}):
        runner.run(test)
    assert runner.summarize().attempted > 0 and runner.summarize().failed == 0


def test_texts_that_are_no_unicode(tmp_path):
    path = str(tmp_path / "a.safetensors")
    for call in (lambda: wf.save(path, {"\ud800": wf.ones(1)}), lambda: wf.save(path, {"a": wf.ones(1)}, metadata={"a": "\ud800"}),
                 lambda: wf.load("\ud800"), lambda: wf.CheckpointManager(str(tmp_path), a={"b": "\ud800"}).save(1),
                 lambda: wf.CheckpointManager(str(tmp_path), a={"\ud800": 1}).save(1)):
        with pytest.raises(wf.InvalidError, match=r"ud800' is no text that can be written as UTF-8 \["):
            call()


@pytest.mark.parametrize("name", ["a.safetensors", "a.npz", "a.npy"])
def test_no_names_load_nothing(name, tmp_path):
    wf.save(tmp_path / name, {"x": wf.ones(2)})
    assert wf.load(tmp_path / name, names=[]) == {}
    assert len(wf.load(tmp_path / name)) > 0


def test_links_stay_and_pipes_are_written_to(tmp_path):
    (tmp_path / "link").symlink_to("target")
    wf.save(tmp_path / "link", {"x": wf.ones(2)})
    assert (tmp_path / "link").is_symlink() and wf.load(tmp_path / "target")["x"].tolist() == [1, 1]
    os.mkfifo(tmp_path / "pipe")
    reads = os.open(tmp_path / "pipe", os.O_RDWR)
    wf.save(tmp_path / "pipe", {"x": wf.ones(2)})
    assert os.read(reads, 10_000) == (tmp_path / "target").read_bytes() and (tmp_path / "pipe").is_fifo()
    os.close(reads)


WRITERS = """
import os
import sys
import tempfile
import numpy as np
import weft as wf

big = wf.ones(100_000)
model = wf.nn.Linear(2, 1)
noise = np.random.default_rng(0).integers(0, 255, (300, 300), np.uint8)
with wf.Graph() as graph:
    wf.placeholder(wf.float32, (2,), name="x" * 100_000)


def write_all(folder, told):
    for write in (lambda: wf.save(folder + "/old.npz", {"x": big}),
                  lambda: wf.save(folder + "/new.safetensors", {"x": big}),
                  lambda: wf.data.write_png(folder + "/a.png", noise),
                  lambda: wf.CheckpointManager(folder, model=model, big=wf.Variable(big)).save(1),
                  lambda: graph.draw(folder + "/a.dot")):
        try:
            write()
            told("written")
        except OSError as error:
            told(error)


with tempfile.TemporaryDirectory() as elsewhere:  # whoever is no root may not read what would be imported later
    write_all(elsewhere, lambda line: None)
folder = sys.argv[1]
SETUP
write_all(folder, print)
"""


def test_a_folder_that_is_read_only():
    folder = tempfile.mkdtemp()
    try:
        wf.save(folder + "/old.npz", {"x": wf.ones(2)})
        os.chmod(folder, 0o555)
        no_root = "if os.getuid() == 0:\n    os.setgid(65534)\n    os.setuid(65534)"
        done = subprocess.run([sys.executable, "-c", WRITERS.replace("SETUP", no_root), folder], capture_output=True, text=True)
        assert done.stdout.count("Permission denied") == 5, done.stdout + done.stderr
        assert os.listdir(folder) == ["old.npz"] and wf.load(folder + "/old.npz")["x"].tolist() == [1, 1]
    finally:
        os.chmod(folder, 0o755)
        shutil.rmtree(folder)


def test_a_disk_that_is_full(tmp_path):
    mount = ["unshare", "-m", "mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(tmp_path)]
    if not shutil.which("unshare") or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("a file system of its own cannot be mounted here")
    setup = "wf.save(folder + '/old.npz', {'x': wf.ones(2)})"
    ending = "assert os.listdir(folder) == ['old.npz'], os.listdir(folder)\nassert wf.load(folder + '/old.npz')['x'].tolist() == [1, 1]\n"
    done = subprocess.run(["unshare", "-m", "sh", "-c", 'mount -t tmpfs -o size=64k tmpfs "$3" && exec "$1" -c "$2" "$3"', "sh", sys.executable,
                           WRITERS.replace("SETUP", setup) + ending, str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.count("No space left on device") == 5, done.stdout + done.stderr


def test_what_is_no_tensor_is_told_by_its_name(tmp_path):
    with pytest.raises(wf.WrongTypeError) as error:
        wf.save(tmp_path / "a.safetensors", {"a": "text"})
    assert str(error.value).partition("\n")[0] == ("save: 'a' is 'text'; it is a tensor, an array, a nested list or a number, and texts are "
                                                   "metadata, {name: text} [save.tensors]")
