"""Files are written whole or not at all; what goes wrong on the way is said, and leaves nothing behind."""

import os
import resource
import signal
import stat
import subprocess
import time
import unittest

from command import Case, TIME_LIMIT, end, program, sanitized

TABLE = ("table", "sinusoidal:width=64", "-p", "0:1000")
# Long enough to be stopped on its way: minutes as CSV.
LONG = ("table", "sinusoidal:width=512", "-p", "0:3000000", "--format", "csv")


class Interrupt(Case):
    def stopped(self, number):
        target = self.folder / "table.csv"
        target.write_text("the old one")
        process = self.start_posenc(*LONG, "-o", "table.csv")
        self.wait_until(lambda: len(self.names()) == 2, "a temporary file appears")
        temporary = self.folder / next(name for name in self.names() if name != "table.csv")
        self.assertTrue(temporary.name.startswith("."), temporary)
        self.wait_until(lambda: temporary.stat().st_size > 0, "something is written")
        self.assertEqual(target.read_text(), "the old one")
        process.send_signal(number)
        _, err = process.communicate(timeout=TIME_LIMIT)
        self.assertEqual(self.names(), ["table.csv"])
        self.assertEqual(target.read_text(), "the old one")
        self.assertEqual(err, b"")
        return process.returncode

    def test_leaves_the_old_file_and_no_other(self):
        self.assertEqual(self.stopped(signal.SIGINT), 128 + signal.SIGINT)

    def test_by_sigterm(self):
        self.assertEqual(self.stopped(signal.SIGTERM), 128 + signal.SIGTERM)

    def test_by_sighup(self):
        self.assertEqual(self.stopped(signal.SIGHUP), 128 + signal.SIGHUP)

    def test_ends_a_write_that_waits_for_its_reader(self):
        process = self.start_posenc(*LONG)
        process.stdout.read(1)
        time.sleep(0.5)  # the pipe is full by now
        process.send_signal(signal.SIGINT)
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.fail("SIGINT was swallowed")
        self.assertIn(process.returncode, (128 + signal.SIGINT, -signal.SIGINT))


class Pipe(Case):
    def test_that_is_closed_ends_silently(self):
        process = self.start_posenc(*LONG)
        self.assertTrue(process.stdout.readline().startswith(b"position"))
        process.stdout.close()
        err = process.stderr.read()
        process.stderr.close()
        self.assertEqual(process.wait(timeout=TIME_LIMIT), -signal.SIGPIPE)
        self.assertEqual(err, b"")

    def test_that_is_closed_ends_silently_where_the_parent_ignores_the_signal(self):
        process = self.start_posenc(*LONG, preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN))
        process.stdout.read(1)
        process.stdout.close()
        err = process.stderr.read()
        process.stderr.close()
        process.wait(timeout=TIME_LIMIT)
        self.assertEqual(err, b"")


class Device(Case):
    def test_full_as_standard_output(self):
        for arguments in (TABLE, ("list",), ("explain", "sinusoidal:width=4", "-p", "1"),
                          ("plot", "heatmap", "sinusoidal:width=4"), ("--help",), ("--version",)):
            with open("/dev/full", "w") as full:
                done = self.run_posenc(*arguments, stdout=full)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(b"No space left on device", done.stderr)

    def test_full_by_name_stays_a_device(self):
        for format in ("npy", "safetensors", "csv", "json", "text"):
            self.expect_refused(*TABLE, "--format", format, "-o", "/dev/full", message="/dev/full: No space left on device")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/full").st_mode))

    def test_null_and_standard_output_by_name(self):
        self.assertEqual(self.run_posenc(*TABLE, "--format", "npy", "-o", "/dev/null").returncode, 0)
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
        done = self.run_posenc(*TABLE, "--format", "npy", "-o", "/dev/stdout")
        self.assertEqual((done.returncode, done.stdout[:6]), (0, b"\x93NUMPY"))

    def test_pipe_by_name(self):
        os.mkfifo(self.folder / "pipe")
        process = self.start_posenc(*TABLE, "--format", "npy", "-o", "pipe")
        with open(self.folder / "pipe", "rb") as pipe:
            self.assertEqual(len(pipe.read()), 128 + 1000 * 64 * 4)
        self.assertEqual(process.wait(timeout=TIME_LIMIT), 0)
        self.assertTrue(stat.S_ISFIFO(os.stat(self.folder / "pipe").st_mode))


class Place(Case):
    def test_that_is_not_there(self):
        self.expect_refused(*TABLE, "-o", "none/table.npy", message="none/table.npy: No such file or directory")
        self.expect_refused(*TABLE, "-o", "/proc/table.npy", message="/proc/table.npy: ")

    def test_that_is_a_folder(self):
        (self.folder / "folder.npy").mkdir()
        for path in ("folder.npy", "folder.npy/"):
            self.expect_refused(*TABLE, "--format", "npy", "-o", path, message="Is a directory")

    def test_that_is_a_file_in_between(self):
        (self.folder / "file").write_text("x")
        self.expect_refused(*TABLE, "-o", "file/table.npy", message="file/table.npy: Not a directory")

    @unittest.skipIf(os.geteuid() == 0, "permissions do not stop root")
    def test_that_is_read_only(self):
        (self.folder / "table.npy").write_text("x")
        (self.folder / "table.npy").chmod(0o400)
        self.expect_refused(*TABLE, "-o", "table.npy", message="table.npy: Permission denied")

    def test_bad_input_touches_nothing(self):
        (self.folder / "table.npy").write_text("the old one")
        for spec in ("sinusoidal:width=0", "sinusoidal:width=4,base=nan", "none.json"):
            self.expect_refused("table", spec, "-p", "0:4", "-o", "table.npy", message="posenc: ")
        self.expect_refused(*TABLE, "--dtype", "bf16", "-o", "table.npy", message="bf16")
        self.expect_refused(*TABLE, "--dtype", "i32", "-o", "table.npy", message="i32")
        self.assertEqual((self.folder / "table.npy").read_text(), "the old one")


class Limit(Case):
    def test_of_file_size_leaves_the_old_file(self):
        for name in ("table.npy", "table.safetensors", "table.csv", "table.json"):
            (self.folder / name).write_text("the old one")
            self.expect_refused(*TABLE, "-o", name, message="File too large",
                                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000)))
            self.assertEqual((self.folder / name).read_text(), "the old one")

    def test_of_a_terabyte_is_kept_at_once(self):
        start = time.monotonic()
        for positions in ("0:2147483647", "-2147483647:2147483648"):
            for format in ("npy", "json"):
                self.expect_refused("table", "sinusoidal:width=512", "-p", positions, "--format", format, "-o", "t",
                                    message=" TB, more than the limit of 16 GB; raise it with --max-bytes")
        self.expect_refused("plot", "heatmap", "sinusoidal:width=512", "-p", "0:2147483647", message="a figure shows at most 1048576")
        self.expect_refused("table", "sinusoidal:width=4", "-p", "60000x60000", message="a grid must have at most 2^27 cells")
        self.expect_refused("table", "sinusoidal:width=4", "-p", "0:1:1e-15", message="at most 2^27 numbers")
        self.assertLess(time.monotonic() - start, 30)

    def test_of_bytes_is_exact(self):
        self.expect_refused(*TABLE, "--format", "npy", "--max-bytes", str(1000 * 64 * 4 - 1), message="raise it with --max-bytes")
        self.assertEqual(self.run_posenc(*TABLE, "--format", "npy", "--max-bytes", str(1000 * 64 * 4)).returncode, 0)

    @unittest.skipIf(sanitized(), "sanitizers reserve terabytes")
    def test_of_memory_is_exit_code_3(self):
        limit = 300_000_000
        done = self.run_posenc("positions", "--grid", "8000x8000", "--format", "npy", "-o", "/dev/null",
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        self.assertEqual(done.returncode, 3)
        self.assertEqual(done.stderr, b"posenc: not enough memory\n")

    @unittest.skipIf(sanitized(), "sanitizers take memory of their own")
    def test_of_memory_is_not_needed_for_streams(self):
        for format, rows in (("npy", 4_000_000), ("safetensors", 1_000_000), ("csv", 100_000), ("json", 100_000)):
            process = subprocess.Popen([program(), "table", "sinusoidal:width=64", "-p", f"0:{rows}", "--format", format,
                                        "-o", "/dev/null"])
            self.addCleanup(end, process)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(process.returncode, 0)
            self.assertLess(usage.ru_maxrss, 40_000, f"kilobytes for {format}")


if __name__ == "__main__":
    unittest.main()
