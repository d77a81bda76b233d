"""Fenced code blocks of a markdown file."""

import re

FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})\s*(.*?)\s*$")


class Block:
    def __init__(self, info, first, lines):
        self.info = info    # the word after the opening fence
        self.first = first  # index in the file of the first line inside
        self.lines = lines

    @property
    def after(self):
        """The index in the file of the first line after the closing fence."""
        return self.first + len(self.lines) + 1


def blocks_of(lines):
    """The blocks in their order; a fence that is never closed is an error."""
    blocks = []
    fence, info, first = "", "", 0
    for index, line in enumerate(lines):
        match = FENCE.match(line)
        if not fence and match:
            fence, info, first = match.group(1), match.group(2), index + 1
        elif fence and match and match.group(1).startswith(fence) and not match.group(2):
            blocks.append(Block(info, first, lines[first:index]))
            fence = ""
    if fence:
        raise ValueError(f"line {first}: the fence that opens here is not closed")
    return blocks


def stands_directly_after(lines, block, other):
    """Whether only blank lines separate `other` from the end of `block`."""
    return other is not None and not any(line.strip() for line in lines[block.after:other.first - 1])
