"""Text for the models that write letter by letter: Shakespeare's where it is found, else the documentation of Weft."""

import pathlib

import numpy as np

import weft as wf

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"


def load_text(folder, quick):
    """Bytes. A quick run takes a piece of the documentation, which is always there."""
    if not quick:
        try:
            return next(iter(wf.data.load_dataset("shakespeare", folder=folder))).encode()
        except wf.IoError as error:
            print(f"{error}\nreading the documentation instead")
    folders = [DOCS / name for name in ("guide", "design", "reference")]
    text = b"".join(path.read_bytes() for folder in folders for path in sorted(folder.glob("*.md")))
    return text[:40_000] if quick else text


class Letters:
    """The bytes that occur in a text, sorted; each is known by its place."""

    def __init__(self, text):
        self.known = bytes(sorted(set(text)))

    def __len__(self):
        return len(self.known)

    def numbers(self, text):
        """int64[n]"""
        table = bytes.maketrans(self.known, bytes(range(len(self.known))))
        return wf.tensor(np.frombuffer(text.translate(table), np.uint8)).astype(wf.int64)

    def text(self, numbers):
        return bytes(self.known[i] for i in numbers).decode(errors="replace")
