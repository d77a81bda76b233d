"""The runner passes what is right, fails what is wrong, and --update turns wrong expectations into right ones."""

import contextlib
import io
import pathlib
import tempfile

import cpp

PROGRAM = '```cpp\n#include <cstdio>\nint main() { std::puts("x"); return 0; }\n```\n'

GOOD = {
    "stdout": "```console\n$ echo a; echo b\na\nb\n```\n",
    "two commands": "```console\n$ echo a > f\n$ cat f\na\n```\n\n```console\n$ cat f\na\n```\n",
    "continuation": "```console\n$ echo a \\\n    b\na b\n```\n",
    "elided lines": "```console\n$ seq 9\n1\n...\n9\n```\n",
    "elided none": "```console\n$ seq 2\n1\n...\n2\n```\n",
    "exit code": "```console\n$ exit 2\n[exit 2]\n```\n",
    "stderr": "```console\n$ echo a b c >&2\n! a ... c\n```\n",
    "stderr unmentioned": "```console\n$ echo a >&2\n```\n",
    "environment": '```console\n$ echo $LC_ALL $TERM $NO_COLOR; test -d "$POSENC_SOURCE"\nC.UTF-8 dumb\n```\n',
    "no input": "```console\n$ cat\n```\n",
    "not code": "```\nanything\n```\n",
    "json": "```json\n{}\n```\n",
    "make": "```sh\nmake all  # a comment\nsudo apt-get install make\ncmake --preset one\n```\n",
    "package": "```cmake\nfind_package(posenc 0.1 REQUIRED)\ntarget_link_libraries(x posenc::posenc)\n```\n",
    "program": PROGRAM + "\n```output\nx\n```\n",
    "program alone": PROGRAM,
    "fragment": "```cpp fragment\nstd::vector<int> v(3);\n```\n",
}

BAD = {
    "stdout": "```console\n$ echo a\nb\n```\n",
    "more lines": "```console\n$ seq 2\n1\n```\n",
    "fewer lines": "```console\n$ seq 1\n1\n2\n```\n",
    "second command": "```console\n$ echo a\na\n$ echo b\nc\n```\n",
    "elided lines": "```console\n$ seq 9\n1\n...\n8\n```\n",
    "exit code missing": "```console\n$ exit 2\n```\n",
    "exit code": "```console\n$ true\n[exit 1]\n```\n",
    "stderr": "```console\n$ echo a >&2\n! b\n```\n",
    "stderr absent": "```console\n$ true\n! b\n```\n",
    "text before": "```console\na\n$ echo a\n```\n",
    "empty": "```console\n```\n",
    "not closed": "```console\n$ true\n",
    "unknown word": "```python\nx\n```\n",
    "json": "```json\n{,}\n```\n",
    "make": "```sh\nmake nothing\n```\n",
    "sh": "```sh\nposenc list\n```\n",
    "tool": "```sh\ntools/nothing\n```\n",
    "preset": "```sh\ncmake --preset two\n```\n",
    "package": "```cmake\nfind_package(posenc 0.2)\n```\n",
    "target": "```cmake\ntarget_link_libraries(x posenc::other)\n```\n",
    "program does not compile": "```cpp\nint main() { return x; }\n```\n",
    "program fails": "```cpp\nint main() { return 1; }\n```\n",
    "program prints": PROGRAM + "\n```output\ny\n```\n",
    "output alone": "```output\nx\n```\n",
    "no main": "```cpp\nint x;\n```\n",
    "fragment": "```cpp fragment\nunknown v;\n```\n",
}

PROJECT = {
    "Makefile": "all:\n\ttrue\n",
    "CMakePresets.json": '{"configurePresets": [{"name": "one"}]}',
    "include/posenc/version.h": "#define POSENC_VERSION_MAJOR 0\n#define POSENC_VERSION_MINOR 1\n",
    "include/posenc/posenc.h": "\n",
    "include/posenc/files/files.h": "\n",
    "include/posenc/models/models.h": "\n",
    "include/posenc/insight/insight.h": "\n",
}


class PlainCompiler(cpp.Compiler):
    def __init__(self, include):
        super().__init__("c++", [include], [])
        self.libraries = []


def failures(runner, folder, text, update=False):
    page = folder / "page.md"
    page.write_text(text)
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            return runner.run_file(page, update)[1]
        except ValueError:
            return 1


def mistakes_of(runner, folder):
    for name, text in GOOD.items():
        if failures(runner, folder, text):
            yield f"right, but failed: {name}"
    for name, text in BAD.items():
        if not failures(runner, folder, text):
            yield f"wrong, but passed: {name}"
    for name in ("stdout", "more lines", "second command", "exit code missing", "exit code", "stderr",
                 "program prints"):
        failures(runner, folder, BAD[name], update=True)
        if failures(runner, folder, (folder / "page.md").read_text()):
            yield f"wrong after --update: {name}"
    for name, text in GOOD.items():
        failures(runner, folder, text, update=True)
        if (folder / "page.md").read_text() != text:
            yield f"right, but changed by --update: {name}"


def run(runner_class):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for path, text in PROJECT.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        mistakes = list(mistakes_of(runner_class(folder, None, PlainCompiler(folder / "include")), folder))
    for mistake in mistakes:
        print(mistake)
    print(f"{len(GOOD)} right pages, {len(BAD)} wrong pages, {len(mistakes)} mistakes")
    return 1 if mistakes else 0
