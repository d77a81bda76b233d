"""Runs posenc for the tests of this folder: as a plain child, on a terminal, with limits."""

import fcntl
import json
import os
import pathlib
import pty
import re
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

TIME_LIMIT = 120


def program():
    return os.environ["POSENC_PROGRAM"]


def sanitized():
    """Sanitizers take address space and time of their own."""
    return os.environ.get("POSENC_SANITIZED") == "1"


def environment(**changes):
    env = {key: value for key, value in os.environ.items()
           if key not in ("NO_COLOR", "COLUMNS", "COLORTERM", "TERM", "CLICOLOR_FORCE")}
    return {**env, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color", **changes}


class Case(unittest.TestCase):
    """A test in a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_posenc(self, *arguments, **options):
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": environment(), **options}
        return subprocess.run([program(), *arguments], cwd=self.folder, stdin=subprocess.DEVNULL, timeout=TIME_LIMIT,
                              **options)

    def start_posenc(self, *arguments, **options):
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": environment(), **options}
        process = subprocess.Popen([program(), *arguments], cwd=self.folder, stdin=subprocess.DEVNULL, **options)
        self.addCleanup(end, process)
        return process

    def expect_refused(self, *arguments, message, **options):
        """Exit code 2, one line on stderr that has `message`, nothing on stdout, no new file."""
        before = self.names()
        done = self.run_posenc(*arguments, **options)
        err = done.stderr.decode()
        self.assertEqual(done.returncode, 2, err)
        self.assertIn(message, err)
        self.assertTrue(err.startswith("posenc: "), err)
        self.assertEqual(done.stdout or b"", b"")
        self.assertEqual(self.names(), before)

    def commands(self):
        """The commands that `posenc help` lists, in its order."""
        text = self.run_posenc("help").stdout.decode()
        return re.findall(r"^  ([a-z]+) ", text.split("Options:")[0], re.MULTILINE)

    def names(self):
        return sorted(os.listdir(self.folder))

    def wait_until(self, condition, what):
        deadline = time.monotonic() + TIME_LIMIT
        while not condition():
            self.assertLess(time.monotonic(), deadline, f"waited in vain until {what}")
            time.sleep(0.01)


def end(process):
    if process.poll() is None:
        process.kill()
    process.communicate()


def run_on_terminal(*arguments, rows=24, columns=80, stdout=True, **changes):
    """(exit code, what the terminal got, stderr). The terminal is stdout, or stderr if not."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    streams = {"stdout": slave, "stderr": subprocess.PIPE} if stdout else {"stdout": subprocess.DEVNULL, "stderr": slave}
    process = subprocess.Popen([program(), *arguments], stdin=subprocess.DEVNULL, env=environment(**changes), **streams)
    os.close(slave)
    shown = read_all(master, process)
    _, err = process.communicate(timeout=TIME_LIMIT)
    return process.returncode, shown.decode().replace("\r\n", "\n"), (err or b"").decode()


def read_all(master, process):
    shown = b""
    deadline = time.monotonic() + TIME_LIMIT
    while time.monotonic() < deadline:
        if not select.select([master], [], [], 0.1)[0]:
            continue
        try:
            part = os.read(master, 65536)
        except OSError:  # the other side is closed
            part = b""
        if not part:
            os.close(master)
            return shown
        shown += part
    process.kill()
    raise AssertionError("the program did not end")


def npy(descr, shape, data, version=1, header_size=None):
    """The bytes of an .npy file, as broken as asked for."""
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".encode() + b"\n"
    length = len(header) if header_size is None else header_size
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", length) + header + data


def safetensors(**arrays):
    """The bytes of a safetensors file."""
    header, data = {}, b""
    for name, array in arrays.items():
        kind = {"float32": "F32", "float64": "F64", "int64": "I64"}[str(array.dtype)]
        header[name] = {"dtype": kind, "shape": list(array.shape),
                        "data_offsets": [len(data), len(data) + array.nbytes]}
        data += array.tobytes()
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


if __name__ == "__main__":
    sys.exit("the tests are in the files *_test.py")
