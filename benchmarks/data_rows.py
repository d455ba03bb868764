"""The rows of input pipelines: one pass over small samples in memory, and over a folder of images, beside PyTorch's DataLoader.

PyTorch's side is a Dataset and a DataLoader with 0 and with 2 workers (which stay between passes), its images read by the
decoder that its users have, Pillow. Ours has as many threads as it has workers.
"""

from __future__ import annotations

import os
import tempfile

from rows import Row

SAMPLES, BATCH = 20000, 64
IMAGES, SIZE = 256, 64


def drained(iterable):
    last = None
    for last in iterable:
        pass
    return last


def loader_of(torch, dataset, batch, workers):
    return torch.utils.data.DataLoader(dataset, batch_size=batch, shuffle=True, num_workers=workers,
                                       persistent_workers=workers > 0)


def memory_rows(wf, torch, np):
    """MNIST's shape: 784 bytes as floats and a label."""
    x = np.random.default_rng(0).random((SAMPLES, 784), np.float32)
    y = np.arange(SAMPLES) % 10
    for workers in (0, 2):
        def make(workers=workers):
            ours = wf.data.Dataset.from_tensor_slices((x, y)).shuffle(seed=1).batch(BATCH)
            ours = ours.prefetch(2) if workers else ours
            theirs = loader_of(torch, torch.utils.data.TensorDataset(torch.from_numpy(x), torch.from_numpy(y)), BATCH, workers)
            return {"weft": lambda: drained(ours), "torch": lambda: drained(theirs)}

        yield Row(f"pass over {SAMPLES} samples f32[784], batch {BATCH}, {workers} workers", make=make)


def image_rows(wf, torch, np):
    """Folders of small images in two classes, as JPEG and as PNG."""
    try:
        from PIL import Image
    except ImportError:
        return
    for kind in ("jpg", "png"):
        folder = tempfile.mkdtemp(prefix="weft_images_")
        rng = np.random.default_rng(1)
        files = [(f"{folder}/{i % 2}/{i}.{kind}", i % 2) for i in range(IMAGES)]
        for path, label in files:
            os.makedirs(f"{folder}/{label}", exist_ok=True)
            Image.fromarray(rng.integers(0, 255, (8, 8, 3), np.uint8)).resize((SIZE, SIZE)).save(path)
        for workers in (0, 2):
            def make(folder=folder, files=files, workers=workers):
                ours = wf.data.image_folder(folder, num_parallel_calls=workers).shuffle(seed=1).batch(32)
                theirs = loader_of(torch, folder_of(torch, np, Image, files), 32, workers)
                return {"weft": lambda: drained(ours), "torch": lambda: drained(theirs)}

            yield Row(f"pass over {IMAGES} {kind} files {SIZE} x {SIZE}, batch 32, {workers} workers", make=make)


def folder_of(torch, np, image, files):
    """What PyTorch's users write for a folder of images."""

    class Folder(torch.utils.data.Dataset):
        def __len__(self):
            return len(files)

        def __getitem__(self, i):
            path, label = files[i]
            with image.open(path) as opened:
                return torch.from_numpy(np.array(opened.convert("RGB"))), label

    return Folder()


FAMILIES = (memory_rows, image_rows)
