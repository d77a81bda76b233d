"""docs/models.md lists the model types as `posenc show --types --format md` prints them; with --update it is made so."""

import os
import pathlib
import subprocess
import sys

BEGIN, END = "<!-- types -->\n", "<!-- /types -->\n"


def main():
    page = pathlib.Path(__file__).resolve().parents[2] / "docs" / "models.md"
    program = os.environ["POSENC_PROGRAM"]
    table = subprocess.run([program, "show", "--types", "--format", "md"], check=True, capture_output=True, text=True).stdout
    text = page.read_text()
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    wanted = text[:begin] + "\n" + table + "\n" + text[end:]
    if "--update" in sys.argv:
        page.write_text(wanted)
        return 0
    if text == wanted:
        return 0
    ours, theirs = table.splitlines(), text[begin:end].strip().splitlines()
    for line in ours:
        if line not in theirs:
            print("missing or different in docs/models.md:", line)
    for line in theirs:
        if line not in ours:
            print("in docs/models.md, but not printed:", line)
    print("run tests/cli/model_types_test.py --update with POSENC_PROGRAM set")
    return 1


if __name__ == "__main__":
    sys.exit(main())
