"""Blocks `cpp`: a whole program is compiled, linked and run; a `cpp fragment` is compiled inside a function."""

import subprocess

from console import execute
from match import lines_match

# posenc.h first: that is the one which may be precompiled.
FRAGMENT = """#include <posenc/posenc.h>
#include <posenc/files/files.h>
#include <posenc/insight/insight.h>
#include <posenc/models/models.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

void fragment() {{
#line 1 "fragment"
{}
}}
"""


class Compiler:
    def __init__(self, program, includes, libraries):
        self.command = [program, "-std=c++20", *(f"-I{folder}" for folder in includes)]
        self.libraries = [*map(str, libraries), "-lhwy"]
        self.libraries += [f"-Wl,-rpath,{library.parent}" for library in libraries if ".so" in library.name]

    def compile(self, folder, text, options):
        (folder / "block.cc").write_text(text)
        done = subprocess.run([*self.command, "block.cc", *options], cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            raise ValueError(f"does not compile:\n{done.stderr}")


def is_program(block):
    return any("int main(" in line for line in block.lines)


def run_fragment(block, compiler, folder):
    compiler.compile(folder, FRAGMENT.format("\n".join(block.lines)), ["-fsyntax-only"])


def run_program(block, output, compiler, folder, env):
    """Compiles and runs; `output` is the block that must be its stdout, or None. Returns the lines of stdout."""
    text = "\n".join(block.lines) + "\n"
    compiler.compile(folder, text, ["-Wall", "-Wextra", "-Werror", "-o", "block", *compiler.libraries])
    out, err, code = execute(["./block"], folder, env)
    if code != 0:
        raise ValueError("\n".join([f"exit code {code}, expected 0", *out, *err]))
    if output is not None and not lines_match(output.lines, out):
        return out, "\n".join(["stdout was:", *(f"    {line}" for line in out)])
    return out, None
