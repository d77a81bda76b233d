"""What the built library calls: the rules about its sources, once more, on what the compiler made of them."""

import re
import subprocess

# clang lets every noexcept function refer to std::terminate, so that one is left to the rules about sources.
# With what nm appends in a shared library: a version after '@'.
FORBIDDEN = re.compile(
    r"^(abort|exit|_exit|_Exit|quick_exit|__assert_fail|perror"
    r"|v?f?printf|__v?f?printf_chk|f?puts|f?putc|putchar|stdout|stderr"
    r"|std::(cout|cerr|clog)|hwy::Abort.*)(@.*)?$")


def undefined_symbols(nm, library):
    options = ["--dynamic"] if ".so" in library.rsplit("/", 1)[-1] else []
    output = subprocess.run([nm, "-C", "--undefined-only", *options, library], check=True, text=True,
                            stdout=subprocess.PIPE).stdout
    member = library
    for line in output.splitlines():
        if line.endswith(":"):
            member = line[:-1]
        kind, _, name = line.strip().partition(" ")
        if kind in ("U", "w"):
            yield member, name


def calls(nm, library):
    """(member, message) of each symbol that the library must not refer to."""
    count = 0
    for member, name in undefined_symbols(nm, library):
        count += 1
        if FORBIDDEN.match(name):
            yield member, f"refers to {name}"
    if count == 0:
        yield library, "has no undefined symbol at all: not a library, or not readable by nm"
