"""The files of a source tree, and C++ text without what the compiler does not see."""

import pathlib
import re

SKIPPED = {".git", "build", "demo", "__pycache__"}
CPP = {".h", ".cc"}
SCRIPT = {".py", ".cmake", ".sh", ".in"}
PLAIN_NAMES = {"Makefile", "CMakeLists.txt", "CMakePresets.json", "run"}


class File:
    def __init__(self, root, path):
        self.root = root
        self.path = path.relative_to(root).as_posix()
        self.folder = self.path.split("/")[0] if "/" in self.path else ""
        self.is_cpp = path.suffix in CPP
        self.is_markdown = path.suffix == ".md"
        # The rules name what they forbid.
        self.is_rule = self.path.startswith("tests/rules/")
        self.raw = path.read_bytes()
        self.text = self.raw.decode("utf-8", errors="replace")
        self.lines = self.text.splitlines()


def is_text(path):
    return path.suffix in CPP | SCRIPT | {".md"} or path.name in PLAIN_NAMES or path.parent.name == "tools"


def read_tree(root):
    """Every file that people write by hand; data such as goldens and corpora is not among them."""
    root = pathlib.Path(root)
    found = []
    for path in sorted(root.rglob("*")):
        inside = path.relative_to(root).parts
        if not SKIPPED.intersection(inside) and path.is_file() and is_text(path):
            found.append(File(root, path))
    return found


TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.S)


def code_lines(text):
    """The lines of C++ text with comments and literals blanked; includes keep their names."""

    def blank(match):
        token = match.group(0)
        start = text.rfind("\n", 0, match.start()) + 1
        if token.startswith('"') and text[start:match.start()].lstrip().startswith("#"):
            return token
        return "\n" * token.count("\n") if token.startswith(("/", "R")) else '""'

    return TOKEN.sub(blank, text).splitlines()


INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def includes(file):
    """(line number, '<' or '"', name) of each #include."""
    for number, line in enumerate(code_lines(file.text), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1), match.group(2)
