"""What acts on the world, and calls whose result is dropped: files, processes, threads, logs."""

# ruff: noqa: E701, SIM, RET, PLR
import collections
import contextlib
import functools
import io
import json
import logging
import os
import pathlib
import queue
import shutil
import subprocess
import threading
import time
import warnings

import numpy as np
from rewrite_table import F, refused

_PLACE = "a place where nothing is"
_file, _queue, _event, _list, _words = io.StringIO(), queue.Queue(), threading.Event(), [], collections.UserDict()


def _acts(name):
    return (f"function: `{name}` acts on Python's side under the `if` at line {{1}}, which is traced once and may run any number of "
            "times; call it before or after [function.host_function]"), 2, F(3)


def _dropped(name, line=2):
    return (f"function: `{name}`, which is not rewritten, is called for its effect under the `if` at line {{1}}, which is traced once "
            "and may run any number of times; call it before or after, or use what it gives [function.host_dropped]"), line, F(3)


def _logs(name):
    return (f"function: `{name}` writes a log under the `if` at line {{1}}, which is traced once and may run any number of times; use "
            "print, which writes whenever the graph runs this line [function.host_log]"), 2, F(3)


def _changes(at, method, change, line):
    return (f"function: `{method}`, which is not rewritten, would change something outside under the `if` at line {{1}}, which is traced "
            f"once and may run any number of times: `{change}` at line {line}; change it before or after, or in a function that is "
            "called [function.host_unrewritten]"), at, F(3)


@refused(*_acts("os.remove"))
def removes_a_file(x):
    if x > 0:
        os.remove(_PLACE)
    return x


@refused(*_acts("os.makedirs"))
def makes_folders_and_asks(x):
    if x > 0:
        x = x if os.makedirs(_PLACE) is None else -x
    return x


@refused(*_acts("Path.unlink"))
def unlinks_a_path(x):
    if x > 0:
        pathlib.Path(_PLACE).unlink()
    return x


@refused(*_acts("Path.write_text"))
def writes_a_path(x):
    if x > 0:
        x = x * pathlib.Path(_PLACE).write_text('x')
    return x


@refused(*_acts("subprocess.run"))
def runs_a_process(x):
    if x > 0:
        x = x * subprocess.run([_PLACE]).returncode
    return x


@refused(*_acts("shutil.rmtree"))
def removes_a_folder(x):
    if x > 0:
        shutil.rmtree(_PLACE)
    return x


@refused(*_acts("Queue.put"))
def puts_into_a_queue(x):
    if x > 0:
        _queue.put(1)
    return x


@refused(*_acts("Queue.get"))
def gets_from_a_queue(x):
    if x > 0:
        x = x * _queue.get(timeout=0.1)
    return x


@refused(*_acts("Event.set"))
def sets_an_event(x):
    if x > 0:
        _event.set()
    return x


@refused(*_acts("np.save"))
def saves_an_array(x):
    if x > 0:
        np.save(_PLACE, np.ones(2))
    return x


@refused(*_acts("Thread.start"))
def starts_a_thread(x):
    if x > 0:
        threading.Thread(target=print).start()
    return x


@refused(*_acts("flush"))
def flushes_a_file(x):
    if x > 0:
        _file.flush()
    return x


@refused(*_acts("os.remove"))
def acts_by_partial(x):
    if x > 0:
        functools.partial(os.remove, _PLACE)()
    return x


@refused(*_logs("Logger.warning"))
def logs_under_a_branch(x):
    if x > 0:
        logging.getLogger("rewriting").warning("large")
    return x


@refused(*_logs("warnings.warn"))
def warns_under_a_branch(x):
    if x > 0:
        warnings.warn("large")
    return x


@refused(*_dropped("json.dump"))
def dumps_into_a_file(x):
    if x > 0:
        json.dump([1], _file)
    return x


@refused(*_dropped("time.sleep"))
def sleeps(x):
    if x > 0:
        time.sleep(0.001)
    return x


@refused(*_dropped("np.random.seed"))
def seeds_numpy(x):
    if x > 0:
        np.random.seed(3)
    return x


@refused("function: `append` changes a list from outside of the `if` at line {1}, which is traced once and may run any number of "
         "times; keep the value in a variable and call `append` after it [function.host_method]", 2, F(3))
def appends_by_the_class(x):
    if x > 0:
        list.append(_list, 1)
    return x


@refused("function: `pop` changes a UserDict from outside of the `if` at line {1}, which is traced once and may run any number of "
         "times; keep the value in a variable and call `pop` after it [function.host_method]", 2, F(3))
def pops_from_a_mapping(x):
    if x > 0:
        x = x * _words.pop("k", 1.0)
    return x


class _Noting:
    count = 0

    def __add__(self, other):
        _Noting.count += 1
        return other

    def __enter__(self):
        _list.append(1)

    def __exit__(self, *_):
        pass

    def numbers(self):
        self.n = 1
        yield 1.0


_noting = _Noting()


@contextlib.contextmanager
def _marking():
    os.environ["WEFT_MARK"] = "1"
    yield


@refused(*_changes(2, "_Noting.__add__", "_Noting.count", 193))
def operator_of_a_class(x):
    if x > 0:
        x = _noting + x
    return x


@refused(*_changes(2, "_Noting.__enter__", "_list.append", 197))
def context_that_appends(x):
    if x > 0:
        with _noting:
            x = x * 2
    return x


@refused(*_changes(2, "_Noting.numbers", "self.n", 203))
def generator_that_sets(x):
    if x > 0:
        for one in _noting.numbers():
            x = x * one
    return x


@refused(*_changes(2, "_marking", "os.environ['WEFT_MARK']", 212))
def generator_as_context(x):
    if x > 0:
        with _marking():
            x = x * 2
    return x
