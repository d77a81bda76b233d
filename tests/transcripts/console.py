"""Blocks `console`: commands after `$ `, then what they print.

    $ posenc table sinusoidal:width=4 --positions 1 \\
          --format csv
    what stdout holds, exactly; a line `...` stands for any number of lines
    ! what stderr holds; without such lines stderr is not compared; `...` within a line stands for any text
    [exit 2]
"""

import os
import re
import subprocess

from match import lines_match

TIME_LIMIT = 120  # seconds per command
EXIT = re.compile(r"^\[exit (\d+)\]$")


class Command:
    def __init__(self, text, first):
        self.text = text      # as bash gets it
        self.first = first    # index within the block of its first expected line
        self.expected = []    # the lines that follow

    @property
    def exit_code(self):
        match = EXIT.match(self.expected[-1]) if self.expected else None
        return int(match.group(1)) if match else 0

    @property
    def printed(self):
        lines = self.expected[:-1] if self.expected and EXIT.match(self.expected[-1]) else self.expected
        return [line for line in lines if not line.startswith("! ")]

    @property
    def complaints(self):
        return [line[2:] for line in self.expected if line.startswith("! ")]


def commands_of(lines):
    commands = []
    continues = False
    for index, line in enumerate(lines):
        if continues:
            commands[-1].text += "\n" + line
            commands[-1].first = index + 1
        elif line.startswith("$ "):
            commands.append(Command(line[2:], index + 1))
        elif commands:
            commands[-1].expected.append(line)
        else:
            raise ValueError("a console block opens with a command: `$ ...`")
        continues = line.endswith("\\") and (continues or line.startswith("$ "))
    if not commands:
        raise ValueError("a console block without a command")
    return commands


def environment(program, source):
    env = {**os.environ, "LC_ALL": "C.UTF-8", "TERM": "dumb", "POSENC_SOURCE": str(source)}
    for name in ("NO_COLOR", "COLUMNS", "COLORTERM", "CLICOLOR", "CLICOLOR_FORCE", "FORCE_COLOR",
                 "MAKEFLAGS", "MAKELEVEL", "MFLAGS"):
        env.pop(name, None)
    if program:
        env["PATH"] = os.path.dirname(os.path.abspath(program)) + os.pathsep + env["PATH"]
    return env


def execute(command, folder, env):
    """(stdout lines, stderr lines, exit code)"""
    try:
        done = subprocess.run(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=TIME_LIMIT)
    except subprocess.TimeoutExpired:
        raise ValueError(f"took more than {TIME_LIMIT} s: {command[-1]}")
    # Not splitlines(): it also splits at characters that a terminal shows as they are.
    out, err = (text.decode("utf-8", errors="replace").split("\n") for text in (done.stdout, done.stderr))
    return out[:-1] if out[-1] == "" else out, err[:-1] if err[-1] == "" else err, done.returncode


def run_block(block, folder, env):
    """Runs the commands of a block. Returns (complaints, the block's lines with what was really printed)."""
    wrong, lines = [], []
    done = 0  # lines of the block that have been copied
    for command in commands_of(block.lines):
        result = execute(["bash", "-c", command.text], folder, env)
        lines += block.lines[done:command.first] + compare(command, *result, wrong)
        done = command.first + len(command.expected)
    return wrong, lines


def compare(command, out, err, code, wrong):
    """Adds to `wrong` what differs; returns the lines that the block should hold."""
    differs = []
    if code != command.exit_code:
        differs.append(f"exit code {code}, expected {command.exit_code}")
    if not lines_match(command.printed, out):
        differs += ["stdout was:", *(f"    {line}" for line in out)]
    if command.complaints and not lines_match(command.complaints, err, inside=True):
        differs.append("stderr was not as expected")
    if not differs:
        return command.expected
    if err:
        differs += ["stderr was:", *(f"    {line}" for line in err)]
    wrong.append("\n".join([f"$ {command.text}", *differs]))
    complaints = [f"! {line}" for line in err] if command.complaints or code else []
    return [*out, *complaints, *([f"[exit {code}]"] if code else [])]
