"""Parts of pages in docs/ are printed by the program. With --update they are written again."""

import os
import pathlib
import subprocess
import sys

# The page, the marks around the printed part, and the command that prints it.
PARTS = [
    ("model-types.md", "types", ["show", "--types", "--format", "md"]),
    ("faults.md", "faults", ["diagnose", "--faults", "--format", "md"]),
]


def check(name, mark, arguments, update):
    """Whether the part of the page is up to date; prints the differences."""
    page = pathlib.Path(__file__).resolve().parents[2] / "docs" / name
    printed = subprocess.run([os.environ["POSENC_PROGRAM"], *arguments], check=True, capture_output=True, text=True).stdout
    text = page.read_text()
    first, last = f"<!-- {mark} -->\n", f"<!-- /{mark} -->\n"
    begin, end = text.index(first) + len(first), text.index(last)
    wanted = text[:begin] + "\n" + printed + "\n" + text[end:]
    if update:
        page.write_text(wanted)
        return True
    if text == wanted:
        return True
    ours, theirs = printed.splitlines(), text[begin:end].strip().splitlines()
    for line in ours:
        if line not in theirs:
            print(f"missing or different in docs/{name}:", line)
    for line in theirs:
        if line not in ours:
            print(f"in docs/{name}, but not printed:", line)
    return False


def main():
    results = [check(*part, update="--update" in sys.argv) for part in PARTS]
    if all(results):
        return 0
    print("run tests/cli/generated_pages_test.py --update with POSENC_PROGRAM set")
    return 1


if __name__ == "__main__":
    sys.exit(main())
