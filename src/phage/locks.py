"""One writer per output, and nothing left of writers that died.

In:   the path of an output.
Out:  a lock that ends with its process; an error for whoever comes second.
Why:  two runs into one output would mix their results, and both would report success."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from safetensors import SafetensorError

from phage.errors import PhageError

_system: Any = None
with contextlib.suppress(ImportError):  # not on Windows: files are whole there too, but not locked
    import fcntl as _system

_PARTIAL = re.compile(r"\.(.+)\.(\d{1,9})\.partial")
_held: dict[Path, int] = {}
"""Lock files that this process holds, and the thread that does."""
_swept: set[Path] = set()
"""Folders where this process has looked for what dead processes left."""


@contextlib.contextmanager
def writing(path: Path | str) -> Iterator[None]:
    """Report why an output could not be written, whichever library was writing it."""
    try:
        yield
    except (OSError, SafetensorError) as error:
        raise PhageError(
            f"cannot write {path}: {getattr(error, 'strerror', None) or error}",
            place=str(getattr(error, "filename", None) or path),
            remedy="check that the folder is writable and the disk has room",
        ) from error


@contextlib.contextmanager
def alone(output: Path | str, lock: Path | None = None) -> Iterator[bool]:
    """Be the only writer of an output while the block runs; a second one is refused.

    The kernel holds the lock, on a hidden file (``lock``; beside the output unless given), and lets
    go of it when the process ends, however it ends. The thread that holds an output may enter
    again. Yields False if the file system has no locks.
    """
    output = Path(output)
    lock = Path(os.path.abspath(lock or output.with_name(f".{output.name}.lock")))  # noqa: PTH100
    if _held.get(lock) == threading.get_ident():
        yield True
        return
    fresh = not lock.parent.exists()
    descriptor = _locked(lock, output)
    locked = descriptor is not None
    try:
        if locked:
            _held[lock] = threading.get_ident()
        yield locked
    finally:
        if descriptor is not None:
            del _held[lock]
            lock.unlink(missing_ok=True)  # before it is let go: whoever waits finds it gone
            os.close(descriptor)
        if fresh:
            with contextlib.suppress(OSError):  # it holds something: the output
                lock.parent.rmdir()


def _locked(lock: Path, output: Path) -> int | None:
    """Lock a file; None where files cannot be locked."""
    with writing(output):
        while True:
            lock.parent.mkdir(parents=True, exist_ok=True)
            if _system is None:
                return None
            descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            try:
                _system.flock(descriptor, _system.LOCK_EX | _system.LOCK_NB)
                if os.path.samestat(os.fstat(descriptor), lock.stat()):
                    return descriptor
            except BlockingIOError:
                os.close(descriptor)
                raise PhageError(
                    f"another run is writing {output}",
                    place=str(lock),
                    remedy="wait until it has ended, or name another output",
                ) from None
            except FileNotFoundError:
                pass  # its holder has just removed it
            except OSError:  # a network disk without locks
                os.close(descriptor)
                lock.unlink(missing_ok=True)
                return None
            os.close(descriptor)


def partial_of(path: Path) -> Path:
    """Name the file or folder that this process writes before it is renamed."""
    return path.with_name(f".{path.name}.{os.getpid()}.partial")


def sweep(folder: Path) -> None:
    """Remove what processes that have died left half written, once per folder and process."""
    folder = folder.absolute()
    if folder in _swept or _system is None:
        return  # without locks nobody knows whose they are
    _swept.add(folder)
    for left in folder.glob(".*.partial"):
        found = _PARTIAL.fullmatch(left.name)
        if found is None or _alive(int(found[2])):
            continue
        # its writer may live on another machine that shares the disk; then the lock is held
        with contextlib.suppress(PhageError), alone(folder / found[1]):
            if left.is_dir():
                shutil.rmtree(left, ignore_errors=True)
            else:
                left.unlink(missing_ok=True)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)  # on Windows this would be Ctrl-C: `sweep` does not ask there
    except ProcessLookupError:
        return False
    except OSError:
        pass  # somebody else's
    return True
