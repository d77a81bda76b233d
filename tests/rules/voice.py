"""Habits of writing that make a reader stop, in whatever a person can read: pages, help, messages, comments.

    voice.py ROOT [PATH ...] [--program build/release/cli/posenc]    prints each place; exit 1 if there is one
    voice.py --self-test                                             exit 1 if a habit is not noticed, or plain English is
"""

import argparse
import pathlib
import re
import subprocess
import sys

# A turn is 2 pi, and people may take turns; everything else rotates. Words before `turn` that make it a noun:
NOUN = ("a an one two per of full half quarter eighth whole in many complete completes every each the its single first next last more "
        "fewer take takes taking took count counts plot pi").split()
A_TURN = "(?i:" + "".join(rf"(?<!\b{word} )" for word in NOUN) + r")(?<!\d )"
# (pattern, what to write instead). A pattern is searched in a paragraph or a message.
HABITS = [
    (r"(?<![Tt]here )\b(?:is|are|was|were) no (?!longer\b|more\b|less\b|fewer\b|better\b|worse\b|larger\b|smaller\b|such\b)",
     "is not a ..."),
    (r"\bturn(?:ed|ing)\b(?! (?:on|off|into|out)\b)", "rotated, rotating"),
    (A_TURN + r"(?<!^ )(?<!clocks, )(?<![\w-])turns?\b(?!,? layouts\b)(?!  )(?! (?:on|off|into|out|per|within|of|in training|completed)\b)(?! [^.;:]{1,40} into\b)(?![-(]|\.\w)",
     "rotate (a turn is 2 pi)"),
    (r"\bapart\b(?! from)", "separate, distinguish, do not overlap"),
    (r"\b(?:stands?|standing|stood)\b(?! (?:for|out|in for)\b)(?!-)", "is"),
    (r"\b[Ww]here there (?:is|are)\b", "if"),
    (r"\bwhat (?:explains|is (?:not )?default|is none|computes|draws|rotates|checks)\b", "name the thing"),
    (r"\bis neither\b(?! $)(?!.*\bnor\b)", "is not ..."),
    (r"(?:^|[.:;] )Who (?!uses\b)(?![^.]*\?)", "name who does it"),
    (r"\bfor who\b", "for those who"),
    (r"\b(?:parted by|so manieth|(?:goes|go) without(?! saying)|leads? beyond|nothing is said|(?:comes|goes|happens) of itself)\b",
     "plain words"),
    (r"\bmend(?:s|ed|ing)?\b", "fix"),
    (r"\b(?:lie|lies|lay|lying) (?!between\b|within\b|in the\b|to the\b|out\b)", "is"),
    (r"(?:^|[.;] )[Oo]f (?!it\b|them\b|these\b|those\b|which\b|course\b)[a-z_]+(?: (?:and|or) [a-z_]+)*: ", "pope and xpos only: ..."),
    (r"\bposenc: \[[a-z_A-Z]+\]", "the option, field or file that the user typed"),
]
COMPILED = [(re.compile(pattern), instead) for pattern, instead in HABITS]
# Most text has none of these words: look for them first.
SUSPECT = re.compile(r"\bno\b|turn|apart|stand|stood|there|what|neither|Who|for who|parted|maniet|without|beyond|nothing|itself|mend"
                     r"|lie|lay|lying|[Oo]f [a-z_]+:|[Oo]f [a-z_]+ (?:and|or) |posenc: \[")

STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
CODE = re.compile(r"`[^`]*`|\]\([^)]*\)")
FENCE = re.compile(r"^\s*(```+|~~~+)\s*(.*)$")
CPP = {".h", ".cc"}
SUFFIXES = CPP | {".md", ".html", ".js", ".json", ".jsonl"}
DEFAULT = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "DESIGN.md", "docs", "include", "src", "cli", "assets", "bench", "examples",
           "tests/cli", "tools"]
# What other people wrote, and a page that is written from assets and sources, which are looked at themselves.
LEFT_OUT = ("tests/golden/", "tests/fuzz/seeds", "catalog/", "docs/lesson.html")
SKIP = {".git", "build", "demo", "__pycache__"}


def paragraphs(lines):
    """(line number, text) of runs of (line number, line) that follow each other."""
    start, before, words = 0, -2, []
    for number, line in lines:
        if words and number != before + 1:
            yield start, " ".join(words)
            words = []
        if not words:
            start = number
        words.append(line)
        before = number
    if words:
        yield start, " ".join(words)


def cpp_prose(text):
    """Comments, joined over lines, and string literals that have a blank."""
    comments = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("#include"):
            continue
        bare = line
        if '"' in line:
            yield from ((number, found) for found in STRING.findall(line) if " " in found)
            bare = STRING.sub('""', line)
        if "//" in bare:
            code, comment = CODE.sub("``", bare).split("//", 1)
            if code.strip():  # a comment of its own
                yield number, comment.strip()
            else:
                comments.append((number, comment.strip()))
    yield from paragraphs(comments)


def page_prose(text):
    """Paragraphs without their code, and what commands print."""
    kind, fence, lines = None, "", []

    def plain(found):
        return ((number, CODE.sub("``", part)) for number, part in found)

    for number, line in enumerate(text.splitlines(), 1):
        match = FENCE.match(line)
        if match and kind is None:
            fence, kind = match.group(1), match.group(2)
        elif match and match.group(1).startswith(fence) and not match.group(2):
            kind = None
        elif kind is not None:
            # A blank line between, so that each is looked at alone.
            if kind in ("cpp", "cpp fragment"):
                yield from ((number, found) for _, found in cpp_prose(line))
            elif not line.startswith("$ ") and kind not in ("json", "sh", "cmake"):
                yield number, line.strip()
        elif line.strip() and not line.startswith("|"):
            if line.lstrip().startswith(("- ", "#", "1. ", "> ")) and lines and lines[-1][0] == number - 1:
                yield from plain(paragraphs(lines))
                lines = []
            lines.append((number, line.strip()))
        elif line.startswith("|"):
            yield from plain((number, cell.strip()) for cell in line.split("|"))
    yield from plain(paragraphs(lines))


def prose(path, text):
    """(line number, prose) of a file."""
    if path.suffix in CPP:
        return cpp_prose(text)
    if path.suffix == ".md":
        return page_prose(text)
    return ((number, CODE.sub("``", line.strip())) for number, line in enumerate(text.splitlines(), 1))


def habits(text):
    """(what was found, what to write instead) in a paragraph or a message."""
    if not SUSPECT.search(text):
        return
    for pattern, instead in COMPILED:
        found = pattern.search(text)
        if found:
            yield found.group().strip(), instead, found.start()


def shown(text, start):
    return text[max(0, start - 60):start + 80]


def in_files(root, paths):
    for path in paths:
        name = path.relative_to(root).as_posix()
        if path.suffix not in SUFFIXES or name.startswith(LEFT_OUT):
            continue
        for number, text in prose(path, path.read_text(errors="replace")):
            for found, instead, start in habits(text):
                yield f"{name}:{number}", found, instead, shown(text, start)


# The first word of a command's summary: it says what the command does.
VERB = re.compile(r"^(?!(?:A|An|The|Our|Your|What|Which|Whether|Queries|Keys|Numbers|Position|One|Attention|Of|In|Is|Are)\b)[A-Z][a-z]+\b")
SUMMARY = re.compile(r"^  ([a-z]+) {2,}(\S.*)$")


def summary_faults(command, summary):
    if not VERB.match(summary):
        yield f"posenc help: {command}", summary.split()[0], "begin with what the command does: Show, Draw, Compute ...", summary
    if summary.endswith("."):
        yield f"posenc help: {command}", ".", "a summary has no full stop", summary


def in_help(program):
    def printed(*arguments):
        done = subprocess.run([program, *arguments], capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
        return done.stdout.splitlines()

    lines = printed("--help")
    commands = [match.groups() for match in map(SUMMARY.match, lines) if match]
    if len(commands) < 10:
        yield "posenc --help", "", "expected a line per command", str(commands)
    for command, summary in commands:
        yield from summary_faults(command, summary)
    pages = [("posenc", printed()), ("posenc --help", lines), ("posenc list", printed("list"))]
    pages += [(f"posenc {command} --help", printed(command, "--help")) for command, _ in commands]
    for page, text in pages:
        for number, line in enumerate(text, 1):
            for found, instead, start in habits(line.strip()):
                yield f"{page}:{number}", found, instead, shown(line, start)


def files_of(root, names):
    for place in (root / name for name in names):
        if place.is_file():
            yield place
        else:
            yield from sorted(p for p in place.rglob("*") if p.is_file() and not SKIP.intersection(p.relative_to(root).parts))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", nargs="?")
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--program")
    parser.add_argument("--self-test", action="store_true")
    args = parser.parse_args()
    if args.self_test:
        import voice_test
        sys.exit(voice_test.run())
    root = pathlib.Path(args.root).resolve()
    places = list(in_files(root, files_of(root, args.paths or DEFAULT)))
    places += in_help(args.program) if args.program else []
    for place, found, instead, text in places:
        print(f"{place}: '{found}': {instead}: {text}")
    print(f"{len(places)} places")
    sys.exit(1 if places else 0)


if __name__ == "__main__":
    main()
