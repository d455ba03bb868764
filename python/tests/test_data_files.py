"""Datasets in files, from Python: text, CSV, IDX, TFRecord, images, and data to learn with."""

import gzip
import os
import struct
import zlib

import numpy as np
import pytest

import weft as wf


def test_text_lines(tmp_path):
    (tmp_path / "a.txt").write_text("one\nzwölf\n")
    assert list(wf.data.text_lines(tmp_path / "a.txt")) == ["one", "zwölf"]
    assert list(wf.data.text_lines([tmp_path / "a.txt"] * 2).batch(3)) == [["one", "zwölf", "one"], ["zwölf"]]
    (tmp_path / "b.txt").write_bytes(b"\xff\xfe\n")
    assert next(iter(wf.data.text_lines(tmp_path / "b.txt"))).encode("utf-8", "surrogateescape") == b"\xff\xfe"


def test_csv(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,name,y\n1,ann,0.5\n2,bob,1.5\n")
    first, second = wf.data.csv(path)
    assert first["x"].dtype == wf.int64 and first["name"] == "ann" and second["y"].item() == 1.5
    assert [r["x"].dtype for r in wf.data.csv(path, names=["x"], types=[wf.float32])] == [wf.float32] * 2
    path.write_text("1,2\n3,4\n")
    assert [(a.item(), b.item()) for a, b in wf.data.csv(path, header=False)] == [(1, 2), (3, 4)]
    path.write_text("1,2\nx,4\n")
    with pytest.raises(wf.IoError) as error:
        list(wf.data.csv(path, header=False, types=["int64", str]))
    assert str(error.value) == (f"csv: {path}, line 2, offset 4, column 0 is 'x', which is no int64; types= says what the "
                                "columns hold [csv.value]")


def test_errors_of_functions_name_the_line(tmp_path):
    (tmp_path / "a.txt").write_text("1\nx\n3\n")
    with pytest.raises(ValueError) as error:
        list(wf.data.text_lines(tmp_path / "a.txt").map(int, num_parallel_calls=2))
    assert error.value.__notes__ == [f"element 1 of map(int, num_parallel_calls=2), from {tmp_path}/a.txt, line 2, offset 2"]


def idx_bytes(array):
    codes = {"uint8": 8, "int32": 12, "float32": 13}
    head = bytes([0, 0, codes[str(array.dtype)], array.ndim]) + b"".join(struct.pack(">I", n) for n in array.shape)
    return head + array.astype(array.dtype.newbyteorder(">")).tobytes()


def test_npy_and_npz(tmp_path):
    x, y = np.arange(12, dtype=np.float32).reshape(6, 2), np.arange(6)
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "y.npy", y)
    np.save(tmp_path / "turned.npy", np.asfortranarray(x).astype(">f4"))
    dataset = wf.data.npy([tmp_path / "x.npy", tmp_path / "y.npy"])
    assert len(dataset) == 6
    assert dataset.element_spec == [(wf.float32, (2,)), (wf.int64, ())]
    for a, b in dataset.shuffle(seed=2).batch(4):
        assert (a.numpy() == x[b.numpy()]).all()
    pass_ = iter(dataset.shuffle(seed=2))
    next(pass_)
    again = iter(dataset.shuffle(seed=2))
    again.load_state_dict(pass_.state_dict())
    assert [b.item() for _, b in again] == [b.item() for _, b in pass_]
    assert (wf.data.npy(tmp_path / "turned.npy").as_tensors().numpy() == x).all()
    for save in np.savez, np.savez_compressed:
        save(tmp_path / "all.npz", x=x, y=y, other=np.zeros(3))
        rows = wf.data.npz(tmp_path / "all.npz", names=["x", "y"])
        assert [r["y"].item() for r in rows] == list(y)
        assert (rows.as_tensors()["x"].numpy() == x).all()
    with pytest.raises(wf.InvalidError) as caught:
        wf.data.npz(tmp_path / "all.npz")
    assert str(caught.value) == "npz: 'other' has 3 rows but 'y' has 6; arrays side by side have as many [npz.axis]"


def test_idx(tmp_path):
    images, labels = np.arange(24, dtype=np.uint8).reshape(6, 2, 2), np.arange(6, dtype=np.int32)
    (tmp_path / "images.gz").write_bytes(gzip.compress(idx_bytes(images)))
    (tmp_path / "labels").write_bytes(idx_bytes(labels))
    assert (wf.data.read_idx(tmp_path / "images.gz").numpy() == images).all()
    x, y = wf.data.idx([tmp_path / "images.gz", tmp_path / "labels"]).as_tensors()
    assert (x.numpy() == images).all() and (y.numpy() == labels).all()
    (tmp_path / "cut.gz").write_bytes(gzip.compress(idx_bytes(images))[:-12])
    with pytest.raises(wf.IoError, match=r"cut.gz cannot be unpacked: .* \[idx.gzip\]"):
        wf.data.read_idx(tmp_path / "cut.gz")


def png_bytes(array):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width, channels = array.shape
    head = struct.pack(">IIBBBBB", width, height, 8, {1: 0, 3: 2, 4: 6}[channels], 0, 0, 0)
    rows = b"".join(b"\0" + row.tobytes() for row in array)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def test_images(tmp_path):
    image = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
    assert (wf.data.decode_image(png_bytes(image)).numpy() == image).all()
    for i, name in enumerate(["cat", "dog", "cat"]):
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / f"{i}.png").write_bytes(png_bytes(image + i))
    dataset = wf.data.image_folder(tmp_path, num_parallel_calls=2)
    assert dataset.class_names == ["cat", "dog"] and len(dataset) == 3
    x, y = next(iter(dataset.batch(3)))
    assert y.tolist() == [0, 0, 1] and (x.numpy()[1] == image + 2).all()
    claims = bytearray(png_bytes(image))
    claims[16:24] = struct.pack(">II", 60000, 60000)
    claims[29:33] = struct.pack(">I", zlib.crc32(bytes(claims[12:29])))
    with pytest.raises(wf.IoError, match=r"claims 60000 x 60000 pixels in \d+ bytes; .* \[decode_image.size\]"):
        wf.data.decode_image(bytes(claims))


def test_images_are_written(tmp_path):
    image = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
    assert (wf.data.decode_image(wf.data.encode_png(image)).numpy() == image).all()
    wf.data.write_png(tmp_path / "gray.png", wf.tensor(image)[:, :, 1])
    assert (wf.data.decode_image((tmp_path / "gray.png").read_bytes()).numpy() == image[:, :, 1:2]).all()
    with pytest.raises(wf.InvalidError) as error:
        wf.data.write_png(tmp_path / "gray.png", wf.zeros((2, 2)))
    assert str(error.value).splitlines()[0] == (
        "encode_png: pixels are f32[2, 2]; they are u8[height, width] or u8[height, width, channels] with 1, 3 or 4 channels "
        "[encode_png.pixels]")
    with pytest.raises(wf.IoError, match="write_png: cannot write '.*': No such file or directory"):
        wf.data.write_png(tmp_path / "none" / "a.png", image)


def masked(data):
    table = []
    for i in range(256):
        for _ in range(8):
            i = i >> 1 ^ (0x82F63B78 if i & 1 else 0)
        table.append(i)
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ table[(crc ^ byte) & 255]
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def record(data):
    head = struct.pack("<Q", len(data))
    return head + struct.pack("<I", masked(head)) + data + struct.pack("<I", masked(data))


def message(number, data):
    return bytes([number << 3 | 2, len(data)]) + data


def test_tfrecord(tmp_path):
    features = message(1, message(1, b"n") + message(2, message(3, message(1, b"\x07\x08"))))
    features += message(1, message(1, b"t") + message(2, message(1, message(1, b"hi"))))
    path = tmp_path / "a.tfrecord"
    path.write_bytes(record(message(1, features)) * 2)
    assert [r.dtype for r in wf.data.tfrecord(path)] == [wf.uint8] * 2
    first = next(iter(wf.data.tfrecord(path, {})))
    assert first["n"].tolist() == [7, 8] and first["t"] == ["hi"]
    some = next(iter(wf.data.tfrecord(path, {"n": (2, 1), "z": (None, [1.0])})))
    assert some["n"].shape == (2, 1) and some["z"].tolist() == [1.0]
    assert wf.data.parse_example(message(1, features))["n"].tolist() == [7, 8]
    damaged = bytearray(path.read_bytes())
    damaged[14] ^= 1
    path.write_bytes(damaged)
    iterator = iter(wf.data.tfrecord(path).ignore_errors())
    assert len(list(iterator)) == 1 and iterator.skipped == 1
    with pytest.raises(wf.IoError) as error:
        list(wf.data.tfrecord(path))
    assert str(error.value) == f"tfrecord: {path}, offset 0, has a record whose checksum is wrong [tfrecord.checksum]"


def test_digits_of_scikit_learn():
    pytest.importorskip("sklearn", reason="scikit-learn brings the digits")
    x, y = wf.data.load_dataset("digits").as_tensors()
    assert x.shape == (1437, 8, 8) and x.numpy().max() == 16 and sorted(set(y.tolist())) == list(range(10))
    assert len(wf.data.load_dataset("digits", "test")) == 360


def test_absent_data_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.delenv("WEFT_DATA", raising=False)
    with pytest.raises(wf.IoError) as error:
        wf.data.load_dataset("names", folder=tmp_path)
    assert str(error.value) == (f"load_dataset: names is not here (searched: {tmp_path}/, {tmp_path}/names); give the folder "
                                "that has names.txt, one name a line, by folder= or the environment variable WEFT_DATA "
                                "[load_dataset.files]")
    (tmp_path / "names").mkdir()
    (tmp_path / "names" / "names.txt").write_text("emma\nolivia\n")
    monkeypatch.setenv("WEFT_DATA", str(tmp_path))
    assert list(wf.data.load_dataset("names")) == ["emma", "olivia"]


@pytest.mark.skipif("WEFT_DATA" not in os.environ, reason="WEFT_DATA names no folder with the files of MNIST")
def test_mnist():
    x, y = wf.data.load_dataset("mnist", "test").as_tensors()
    assert x.shape == (10000, 28, 28) and y.shape == (10000,)


@pytest.mark.parametrize("folder, pack", [("mnist", False), ("MNIST/raw", True), (".", True)])
def test_mnist_in_its_own_format(folder, pack, tmp_path, monkeypatch):
    images, labels = np.arange(5 * 28 * 28).reshape(5, 28, 28).astype(np.uint8), np.arange(5, dtype=np.uint8)
    place = tmp_path / folder
    place.mkdir(parents=True, exist_ok=True)
    for part, count in (("train", 4), ("t10k", 1)):
        for kind, array in (("images-idx3", images[:count]), ("labels-idx1", labels[:count])):
            name = f"{part}-{kind}-ubyte" + (".gz" if pack else "")
            (place / name).write_bytes(gzip.compress(idx_bytes(array)) if pack else idx_bytes(array))
    x, y = wf.data.load_dataset("mnist", folder=tmp_path).as_tensors()
    assert (x.numpy() == images[:4]).all() and y.tolist() == [0, 1, 2, 3]
    monkeypatch.setenv("WEFT_DATA", str(tmp_path))
    assert len(wf.data.load_dataset("mnist", split="test")) == 1


def test_shakespeare_is_one_text(tmp_path):
    (tmp_path / "shakespeare").mkdir()
    (tmp_path / "shakespeare" / "input.txt").write_text("First Citizen:\nSpeak, speak.\n")
    assert list(wf.data.load_dataset("shakespeare", folder=tmp_path)) == ["First Citizen:\nSpeak, speak.\n"]


@pytest.mark.skipif(not os.path.isdir("/usr/share/datasets/fashion-mnist"), reason="Debian's dataset-fashion-mnist is not installed")
def test_fashion_mnist_of_debian(monkeypatch):
    monkeypatch.delenv("WEFT_DATA", raising=False)
    for split, count in (("train", 60000), ("test", 10000)):
        x, y = wf.data.load_dataset("fashion_mnist", split=split).as_tensors()
        assert x.shape == (count, 28, 28) and x.dtype == wf.uint8
        assert np.bincount(y.numpy()).tolist() == [count // 10] * 10


def test_packed_texts_are_unpacked(tmp_path):
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"one\n") + gzip.compress(b"two\n"))
    assert list(wf.data.text_lines(tmp_path / "a.txt.gz")) == ["one", "two"]
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"x,y\n1,2\n"))
    assert [r["y"].item() for r in wf.data.csv(tmp_path / "a.csv.gz")] == [2]


def test_png_of_sixteen_bits_gives_the_high_bytes():
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    def png(depth, row, before=b""):
        header = struct.pack(">IIBBBBB", 3, 1, depth, 0, 0, 0, 0)
        return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + before + chunk(b"IDAT", zlib.compress(b"\0" + row)) + chunk(b"IEND", b"")

    deep = png(16, struct.pack(">HHH", 4096, 16384, 32768))
    assert wf.data.decode_image(deep).tolist() == [[[16], [64], [128]]]
    linear = png(8, bytes([16, 64, 128]), chunk(b"gAMA", struct.pack(">I", 100000)))
    assert wf.data.decode_image(linear).tolist() == [[[16], [64], [128]]]
