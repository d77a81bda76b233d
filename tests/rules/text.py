"""Text that a file must not contain, and how long it may be."""

import re

from tree import code_lines

MAX_LINES = 500

# In the library: an error is thrown by posenc::fail and by nothing else, and nothing is printed.
SPEAKS = re.compile(r"std::(cout|cerr|clog)\b|\bv?f?printf\s*\(|\bf?put(s|c|char)\s*\(|\bperror\s*\(|\bstd(out|err)\b")
ENDS = re.compile(r"\b(abort|exit|_Exit|quick_exit|terminate|assert)\s*\(")
CATCHES = re.compile(r"\b(try|catch)\b")
# Threads hand an exception to the caller of a run: the one place that catches, and only if exceptions are compiled in.
CATCHER = "src/core/base/thread_pool.cc"
THROWS = re.compile(r"\bthrow\b")
# Anywhere.
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX)\b")
MACHINE = re.compile(r"(?<![\w.$}])/(work|root|home)/")
FLAGS = re.compile(r"-ffast-math|-march=|-mtune=")


def ascii_only(file):
    if file.is_markdown:  # transcripts show what a terminal shows
        return
    for number, line in enumerate(file.raw.split(b"\n"), 1):
        if not line.isascii():
            yield number, "holds a character that is not ASCII"


def library_is_silent(file):
    if file.is_cpp and file.folder in ("include", "src"):
        yield from matches(code_lines(file.text), SPEAKS, "prints: {}")
        yield from matches(code_lines(file.text), ENDS, "may end the program: {}")


def library_has_no_try(file):
    if file.is_cpp and file.folder in ("include", "src"):
        if file.path != CATCHER:
            yield from matches(code_lines(file.text), CATCHES, "handles exceptions: {}")
        else:
            yield from guarded(code_lines(file.text))
        if file.path != "src/core/base/error.cc":
            yield from matches(code_lines(file.text), THROWS, "throws without posenc::fail: {}")


def guarded(lines):
    """Code that catches is between `#if defined(__cpp_exceptions)` and its `#else` or `#endif`."""
    inside = False
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("#"):
            inside = line.strip() == "#if defined(__cpp_exceptions)"
        elif not inside:
            yield from ((number, message) for _, message in matches([line], CATCHES, "handles exceptions unguarded: {}"))


def finished(file):
    if not file.is_rule:
        yield from matches(file.lines, UNFINISHED, "holds {}")


def no_machine_paths(file):
    if not file.is_rule:
        yield from matches(file.lines, MACHINE, "names a folder of one machine: {}")


def no_risky_flags(file):
    if not file.is_rule and not file.is_markdown:
        yield from matches(file.lines, FLAGS, "holds {}")


def short(file):
    if not file.is_markdown and len(file.lines) > MAX_LINES:
        yield len(file.lines), f"has {len(file.lines)} lines, more than {MAX_LINES}"


def header_opens_well(file):
    """A public header opens with a comment that says what it is, then `#pragma once`."""
    if file.folder == "include" and file.path.endswith(".h"):
        if not file.lines or not file.lines[0].startswith("// "):
            yield 1, "does not open with a comment"
        code = [line for line in file.lines if line.strip() and not line.startswith("//")]
        if not code or code[0] != "#pragma once":
            yield 1, "does not have #pragma once after its opening comment"


def matches(lines, pattern, message):
    for number, line in enumerate(lines, 1):
        match = pattern.search(line)
        if match:
            yield number, message.format(match.group(0).strip())
