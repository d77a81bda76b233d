"""Expected lines against real ones. A line `...` stands for any number of lines, `...` within a line for any text."""

import re


def line_matches(expected, line):
    pattern = ".*".join(re.escape(part) for part in expected.split("..."))
    return re.fullmatch(pattern, line) is not None


def lines_match(expected, lines, inside=False):
    """Whether all of `lines` are what `expected` says; `inside`: `...` counts within a line too."""
    same = line_matches if inside else lambda a, b: a == b
    # reachable: how many of `lines` the part of `expected` so far may have used up.
    reachable = {0}
    for want in expected:
        if want == "...":
            reachable = set(range(min(reachable), len(lines) + 1)) if reachable else set()
        else:
            reachable = {n + 1 for n in reachable if n < len(lines) and same(want, lines[n])}
    return len(lines) in reachable
