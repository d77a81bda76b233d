"""Pages that list files keep their promise: how many files a change touches, and which way a call goes."""

import re

from layers import MODULES, module_of

# <!-- files of Sandwich: at most 6 --> 1. `src/...`: what for 2. ... <!-- /files -->
FILES = re.compile(r"<!-- files of (\w+): at most (\d+) -->(.*?)<!-- /files -->", re.S)
# <!-- walk: at most 15 --> ... <!-- /walk -->
WALK = re.compile(r"<!-- walk: at most (\d+) -->(.*?)<!-- /walk -->", re.S)
NAMED = re.compile(r"`((?:src|include|cli)/[\w./-]+)`")
ITEM = re.compile(r"^\d+\. `([\w./-]+)`:", re.M)


def line_of(file, match):
    return file.text.count("\n", 0, match.start()) + 1


def touched_files(file, paths):
    """The files of src, include, cli and assets that name a kind are those that the page lists."""
    if not file.is_markdown:
        return
    for match in FILES.finditer(file.text):
        word, most, listed = match.group(1), int(match.group(2)), set(ITEM.findall(match.group(3)))
        names = re.compile(rf"(?<![a-z0-9]){word}(?![a-z0-9])", re.I)
        there = {path for path, other in paths.items()
                 if other.is_cpp and other.folder in ("src", "include", "cli") and names.search(other.text)}
        there |= {path.relative_to(file.root).as_posix()
                  for path in (*file.root.glob("assets/**/*.*"), *file.root.glob("src/**/*.jsonl"))
                  if names.search(path.read_text(encoding="utf-8"))}
        for path in sorted(there - listed):
            yield line_of(file, match), f"does not list {path}, which names {word}"
        for path in sorted(listed - there):
            yield line_of(file, match), f"lists {path}, which does not name {word}"
        if len(there) > most:
            yield line_of(file, match), f"{word} is in {len(there)} files, more than {most}"


def walks_go_down(file, paths):
    """A walk through the code is short and never climbs back to an upper module."""
    if not file.is_markdown:
        return
    for match in WALK.finditer(file.text):
        most, listed = int(match.group(1)), NAMED.findall(match.group(2))
        if len(listed) > most:
            yield line_of(file, match), f"a walk has {len(listed)} files, more than {most}"
        for above, below in zip(listed, listed[1:]):
            if level(below, paths) > level(above, paths):
                yield line_of(file, match), f"a walk climbs from {above} to {below}"


def level(path, paths):
    module = None if path.startswith("cli/") else module_of(path, paths)
    return MODULES.index(module) if module in MODULES else len(MODULES)
