"""Runs the code blocks of markdown files, so that no page shows what is not so.

    run.py --source ROOT --program build/release/cli/posenc [--compiler g++ --library libposenc.a ...] FILE.md...
    run.py --update ...       rewrites what the blocks expect with what was really printed
    run.py --self-test        exit 1 if a wrong expectation passes

By the word after the opening fence: `console` is run line by line (console.py), `cpp` is compiled and run and an
`output` block directly after it is its stdout, `cpp fragment` is compiled (cpp.py), `sh` and `cmake` are checked by the
names in them (shell.py), `json` is parsed. `text`, `math` and no word at all are not code. Any other word is an error.
"""

import argparse
import json
import pathlib
import sys
import tempfile

import console
import cpp
import shell
from markdown import blocks_of, stands_directly_after

NOT_CODE = {"", "text", "math"}


class Runner:
    def __init__(self, source, program, compiler=None):
        self.source = source
        self.env = console.environment(program, source)
        self.compiler = compiler  # None: cpp blocks are passed over

    def run_block(self, block, previous, after, folder):
        """(what was checked, complaints, [(block, its new lines)]); `after` tells whether it follows `previous`."""
        kind = block.info
        if kind == "console":
            wrong, lines = console.run_block(block, folder, self.env)
            return "run", wrong, [(block, lines)]
        if kind in ("cpp", "cpp fragment"):
            return self.run_cpp(block, after, folder)
        if kind == "output":
            if previous is None or previous.info != "cpp":
                raise ValueError("an `output` block must follow a `cpp` block directly")
            return "with the block before", [], []
        if kind == "json":
            json.loads("\n".join(block.lines))
        elif kind == "sh":
            shell.check_sh(block, self.source)
        elif kind == "cmake":
            shell.check_cmake(block, self.source)
        elif kind not in NOT_CODE:
            raise ValueError(f"unknown block `{kind}`: known are console, cpp, cpp fragment, output, sh, cmake, json, text")
        return "not code" if kind in NOT_CODE else "checked", [], []

    def run_cpp(self, block, output, folder):
        if block.info == "cpp" and not cpp.is_program(block):
            raise ValueError("a `cpp` block without `int main(`: call it `cpp fragment`")
        if self.compiler is None:
            return "passed over in this build", [], []
        if block.info == "cpp fragment":
            cpp.run_fragment(block, self.compiler, folder)
            return "compiled", [], []
        out, wrong = cpp.run_program(block, output, self.compiler, folder, self.env)
        return "compiled and run", [wrong] if wrong else [], [(output, out)] if wrong else []

    def run_file(self, path, update=False):
        """Prints a line for each block; returns (blocks, blocks that failed and were not updated)."""
        lines = path.read_text(encoding="utf-8").split("\n")
        blocks = blocks_of(lines)
        failed, changes = 0, []
        with tempfile.TemporaryDirectory() as folder:
            for index, block in enumerate(blocks):
                previous, following = neighbours(lines, blocks, index)
                try:
                    what, wrong, new = self.run_block(block, previous, following, pathlib.Path(folder))
                except ValueError as error:
                    what, wrong, new = "failed", [str(error)], []
                changes += new
                failed += bool(wrong) and not (update and new)
                print(f"{path.name}:{block.first}: {block.info or '-'}: {'FAILED' if wrong else what}")
                for text in wrong:
                    print("    " + text.replace("\n", "\n    "))
        if update:
            write_changes(path, lines, changes)
        return len(blocks), failed


def neighbours(lines, blocks, index):
    """The block directly before, and the `output` block directly after; None if there is none."""
    block = blocks[index]
    before = blocks[index - 1] if index > 0 else None
    after = blocks[index + 1] if index + 1 < len(blocks) and blocks[index + 1].info == "output" else None
    return (before if before and stands_directly_after(lines, before, block) else None,
            after if stands_directly_after(lines, block, after) else None)


def write_changes(path, lines, changes):
    for block, new in sorted(changes, key=lambda change: change[0].first, reverse=True):
        lines[block.first:block.first + len(block.lines)] = new
    path.write_text("\n".join(lines), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--source", type=pathlib.Path)
    parser.add_argument("--program")
    parser.add_argument("--compiler", help="without one, cpp blocks are passed over")
    parser.add_argument("--include", action="append", default=[], help="a folder of headers, searched before the project's")
    parser.add_argument("--library", action="append", default=[])
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    args = parser.parse_args()
    if args.self_test:
        import self_test
        sys.exit(self_test.run(Runner))
    source = args.source.resolve()
    libraries = [pathlib.Path(library).resolve() for library in args.library]
    compiler = cpp.Compiler(args.compiler, [*args.include, source / "include"], libraries) if args.compiler else None
    runner = Runner(source, args.program, compiler)
    results = [runner.run_file(path, args.update) for path in args.files]
    blocks, failed = (sum(column) for column in zip(*results)) if results else (0, 0)
    print(f"{blocks} blocks, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
