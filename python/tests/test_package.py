"""The package as a whole: import, threads, fork, signals, stubs."""

import ast
import os
import pathlib
import subprocess
import sys
import textwrap

import pytest

import weft as wf


def run(code, **keywords):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    return subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=60, env=env,
                          **keywords)


def test_import_is_light_and_silent():
    out = run("""
        import sys
        import weft as wf
        heavy = {"numpy", "inspect", "typing", "dataclasses"} & set(sys.modules)
        assert not heavy, heavy
        print(wf.tensor([1.0, 2.0]) + 1)
    """)
    assert (out.stdout, out.stderr) == ("tensor([2., 3.], dtype=float32)\n", "")


def test_threads():
    before = wf.num_threads()
    try:
        wf.set_num_threads(1)
        assert wf.num_threads() == 1
        with pytest.raises(ValueError):
            wf.set_num_threads(0)
        with pytest.raises(TypeError, match="count must be an integer"):
            wf.set_num_threads("two")
    finally:
        wf.set_num_threads(before)


def test_fork():
    out = run("""
        import os
        import weft as wf
        x = wf.zeros((1 << 20,)) + 1.0
        pid = os.fork()
        total = (x + x).sum().item()
        if pid == 0:
            os._exit(0 if total == 2 * (1 << 20) else 1)
        print(os.waitpid(pid, 0)[1], total)
    """)
    assert out.stdout == f"0 {2.0 * (1 << 20)}\n", out.stderr


def test_the_gil_is_released_for_long_work():
    out = run("""
        import threading, time
        import weft as wf
        wf.set_num_threads(1)
        x = wf.zeros((1 << 22,)) + 1.0
        ticks, stop = [], False
        def tick():
            while not stop:
                ticks.append(time.perf_counter())
                time.sleep(0.0005)
        thread = threading.Thread(target=tick)
        thread.start()
        for _ in range(20):
            y = wf.exp(x)
        stop = True
        thread.join()
        print(len(ticks) > 5)
    """)
    assert out.stdout == "True\n", out.stderr


def test_ctrl_c():
    out = run("""
        import os, signal, threading, time
        import weft as wf
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
        wf.set_num_threads(2)
        x = wf.zeros((1 << 24,)) + 1.0
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        try:
            end = time.time() + 20
            while time.time() < end:
                x = wf.tanh(x)
            print("not interrupted")
        except KeyboardInterrupt:
            print("interrupted")
    """)
    assert out.stdout == "interrupted\n", out.stderr


def test_threads_may_share_tensors():
    from concurrent.futures import ThreadPoolExecutor

    x = wf.tensor([float(i) for i in range(1000)])
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda k: (x * k + 1.0).sum().item(), range(200)))
    assert results == [(x * k + 1.0).sum().item() for k in range(200)]


def test_stubs_name_every_op():
    stub = pathlib.Path(wf.__file__).with_name("__init__.pyi")
    if not stub.exists():
        pytest.skip("the stubs were not generated")
    names = {node.name for node in ast.parse(stub.read_text()).body if isinstance(node, ast.FunctionDef)}
    for module, name, _ in wf._core.op_names():
        if not module and hasattr(wf, name):
            assert name in names
    assert pathlib.Path(wf.__file__).with_name("py.typed").exists()
