"""Pages stay easy to enter: the README is short, the recipes are short, and the index leads to every page."""

import posixpath
import re

README_LINES = 160
RECIPES = 12
RECIPE_LINES = 15

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
BLOCK = re.compile(r"^```[^\n]*\n(.*?)^```", re.S | re.M)
INDEX = "docs/README.md"
FIRST_HOUR = "tests/cli/first_hour.md"


def short_readme(file):
    if file.path == "README.md" and len(file.lines) > README_LINES:
        yield len(file.lines), f"has {len(file.lines)} lines, more than {README_LINES}: move text to docs/"


def short_recipes(file):
    """Each recipe is a section; its code and what that prints count, blank lines do not."""
    if file.path != "docs/recipes.md":
        return
    title, *recipes = re.split(r"^(?=## )", file.text, flags=re.M)
    if len(recipes) != RECIPES:
        yield 1, f"has {len(recipes)} recipes, not {RECIPES}"
    line = title.count("\n") + 1
    for recipe in recipes:
        code = [text for block in BLOCK.findall(recipe) for text in block.splitlines() if text.strip()]
        if not code:
            yield line, "a recipe without code"
        if len(code) > RECIPE_LINES:
            yield line, f"a recipe of {len(code)} lines, more than {RECIPE_LINES}"
        line += recipe.count("\n")


def suggested(file):
    """The first hour needs no docs: after a bare `posenc`, each command was printed by one before it."""
    if file.path != FIRST_HOUR:
        return
    started, printed = False, ""
    for number, line in enumerate(file.lines, 1):
        command = re.sub(r" -o \S+$", "", line[2:]) if line.startswith("$ ") else None
        if command is None:
            printed += line + "\n" if started else ""
        elif not started:
            started = command == "posenc"
        elif not re.search(rf"(?<![\w-]){re.escape(command)}(?![\w:=,-])", printed):
            yield number, f"nothing printed before suggests: {command}"
    if not started:
        yield 1, "does not begin with posenc alone"


def links(file):
    """The files that a page links to, as paths from the root; a folder is its README."""
    for name in LINK.findall(file.text):
        if "://" not in name:
            path = posixpath.normpath(posixpath.join(posixpath.dirname(file.path), name))
            yield path
            yield posixpath.join(path, "README.md")


def reached(paths):
    """Every file that the index leads to."""
    found, waiting = set(), [INDEX]
    while waiting:
        path = waiting.pop()
        if path in paths and path not in found:
            found.add(path)
            waiting += links(paths[path]) if paths[path].is_markdown else []
    return found


def in_the_index(file, paths):
    if file.path == INDEX:
        found = reached(paths)
        for path, other in paths.items():
            if other.is_markdown and other.folder == "docs" and path not in found:
                yield 1, f"does not lead to {path}"


def links_lead_somewhere(file, paths):
    if not file.is_markdown or file.folder == "tests":
        return
    for number, line in enumerate(file.lines, 1):
        for name in LINK.findall(line):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(file.path), name))
            if "://" not in name and not (file.root / path).exists():
                yield number, f"links to {name}, which is not there"
