"""Datasets in files: text, CSV, IDX, npy, npz, TFRecord and images."""

import os

from .. import _core, _hints
from .._hints import brief as _brief
from ._dataset import Dataset, _count


def _paths(paths, who):
    """One path, or a list of them."""
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    paths = [_hints.as_path(path, who) for path in _hints.as_list(paths, who, "paths")]
    if not paths:
        raise _core.InvalidError(f"{who}: needs at least one path [{who}.paths]")
    return paths


def text_lines(paths):
    """The lines of text files as str, one file after the other, without their ends; those packed by gzip are unpacked."""
    return Dataset(_core._data_text_lines(_paths(paths, "text_lines")))


def csv(paths, types=None, names=None, header=True, delimiter=","):
    """The records of CSV files: dicts by the names of the columns, tuples if the files have none.

    `names` are the columns that are wanted, or the names of all columns of files without a header. `types` are dtypes or
    str, one for each, or {name: type} of some; of the others the first records tell: int64, float32 (empty fields are NaN) or str.
    """
    paths, names = _paths(paths, "csv"), [] if names is None else _hints.as_list(names, "csv", "names")
    types = _types_by_name(types, paths, names, header, delimiter) if isinstance(types, dict) else types
    if types is not None and not isinstance(types, (list, tuple)):
        raise _core.WrongTypeError(f"csv: types is {_brief(types)}; it is a list with a type for each column, or a dict from their names to "
                                   "types [csv.types]")
    return Dataset(_core._data_csv(paths, delimiter, _hints.as_flag(header, "csv", "header"), names, [_type_word(one) for one in types or []]))


def _type_word(one):
    return "text" if one is str else one if isinstance(one, str) else str(_core.dtype(one, "csv", "types"))


def _types_by_name(types, paths, names, header, delimiter):
    """A type for each column that is wanted."""
    import csv as reader

    columns = names
    if not columns and header:
        with open(paths[0], newline="", encoding="utf-8-sig") as file:
            columns = next(reader.reader(file, delimiter=delimiter), [])
    for name in types:
        if name not in columns:
            there = f"there are {', '.join(columns)}" if columns else "the file has no names of columns: give names too"
            raise _core.InvalidError(f"csv: types names the column {_brief(name)}; {there} [csv.types]")
    if not header and len(types) < len(columns):
        missing = next(name for name in columns if name not in types)
        raise _core.InvalidError(f"csv: types has no {_brief(missing)}; of files without a header it has all columns [csv.types]")
    return [types[name] if name in types else _guessed(paths, name, delimiter) for name in columns]


def _guessed(paths, name, delimiter):
    """What the first records tell of one column."""
    (is_text, dtype, _), = _core._data_csv(paths, delimiter, True, [name], [])._spec()
    return str if is_text else dtype


def read_idx(path):
    """The tensor of an IDX file, packed by gzip or not."""
    return _core._data_read_idx(_hints.as_path(path, "read_idx"))


def idx(paths):
    """The rows of IDX files: of one, or tuples of several, such as images and labels."""
    return Dataset(_core._data_idx(_paths(paths, "idx")))


def npy(paths):
    """The rows of npy files: of one, or tuples of several, such as images and labels.

    They are read when they are asked for: files may be larger than memory, and are shuffled exactly. An array that fits is
    faster in memory: `Dataset.from_tensor_slices(wf.load(path))`.
    """
    return Dataset(_core._data_npy(_paths(paths, "npy")))


def npz(path, names=None):
    """The rows of the arrays of an npz file, side by side: dicts by their names. `names` are those that are wanted."""
    return Dataset(_core._data_npz(_hints.as_path(path, "npz"), [] if names is None else _hints.as_list(names, "npz", "names")))


def tfrecord(paths, features=None):
    """The records of TFRecord files as uint8 tensors, their checksums verified; with `features`, tf.Examples taken apart.

    `features` are as for parse_example; `{}` asks for all that a record has.
    """
    records = _core._data_tfrecord(_paths(paths, "tfrecord"))
    if features is not None:
        records = _core._data_map_examples(records, _features(features, "tfrecord"))
    return Dataset(records)


def parse_example(record, features=None):
    """A tf.Example as a dict of int64 and float32 tensors and texts.

    `features` is {name: shape}, with None for a feature that is as long as it is, or {name: (shape, default)} for one that
    records may lack. Without it, all that the record has.
    """
    return _core._data_parse_example(record, _features({} if features is None else features, "parse_example"))


def _features(features, who):
    """(name, shape or None, default or None) of each."""
    out = []
    for name, shape in dict(_hints.as_dict(features, who, "features")).items():
        default = None
        if isinstance(shape, tuple) and len(shape) == 2 and (shape[0] is None or isinstance(shape[0], (tuple, list))):
            shape, default = shape
        out.append((name, shape, default))
    return out


def decode_image(image, channels=0):
    """The pixels of a PNG or JPEG, uint8[height, width, channels], from the bytes of its file."""
    return _core._data_decode_image(image, channels)


def encode_png(pixels):
    """The bytes of a PNG file of pixels, uint8[height, width] or uint8[height, width, channels] with 1, 3 or 4 channels."""
    return _core._data_encode_png(pixels)


def write_png(path, pixels):
    """Writes such pixels to a file, which is there whole or not at all."""
    _core._data_write_png(_hints.as_path(path, "write_png"), pixels)


def image_folder(folder, channels=3, num_parallel_calls=None):
    """Images of folder/class/name.png and .jpg with the numbers of their classes: (uint8[h, w, c], int64).

    The classes are the folders, sorted: `dataset.class_names`. Threads of the pipeline's own decode, in order.
    """
    workers = _count("image_folder", "num_parallel_calls", num_parallel_calls)
    folder = _hints.as_path(folder, "image_folder")
    dataset = Dataset(_core._data_image_folder(folder, channels, workers))
    dataset.class_names = _core._data_class_names(folder)
    return dataset
