"""Compiles accepted.cc, refused.cc and warned.cc and compares what the compilers say with the comments in them.

A line that ends in `// error: text` must be refused with a message that contains the text, one with `// warning: text` must
be warned of by clang, and no other line may be mentioned.
"""
import argparse
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
EXPECTED = re.compile(r"// (error|warning): (.+)$")
SAID = re.compile(r"^[^:]*?([a-z]+\.cc):(\d+):\d+: (?:fatal )?(error|warning): (.+)$")


def expected_in(path):
    found = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if match := EXPECTED.search(line):
            found[number] = (match[1], match[2])
    return found


def said_of(compiler, include, path):
    run = subprocess.run([compiler, "-std=c++20", "-Wall", "-Wextra", "-Wno-unused", "-fsyntax-only", "-fmessage-length=0", "-I", include, path],
                         capture_output=True, text=True, timeout=300, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"})
    said = {}
    for line in run.stderr.splitlines():
        if match := SAID.match(line):
            said.setdefault(int(match[2]), []).append((match[3], match[4]))
    return run, said


def differences(compiler, include, path):
    expected = expected_in(path)
    run, said = said_of(compiler, include, path)
    refuses = any(kind == "error" for kind, _ in expected.values())
    if (run.returncode != 0) != refuses:
        yield f"{compiler} {'accepts' if refuses else 'refuses'} {path.name}:\n{run.stderr}"
    for number, (kind, text) in expected.items():
        messages = said.pop(number, [])
        if not any(what == kind and re.search(text, message) for what, message in messages):
            yield f"{path.name}:{number}: {compiler} should say '{kind}: {text}' but says {messages}"
    for number, messages in said.items():
        yield f"{path.name}:{number}: {compiler} should say nothing but says {messages}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--include", required=True)
    parser.add_argument("--compilers", nargs="+", required=True)
    options = parser.parse_args()
    failures = []
    for compiler in dict.fromkeys(options.compilers):
        if compiler.endswith("NOTFOUND"):
            print("clang++-14 was not found: what only clang sees is not checked")
            continue
        version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout
        for name in ["accepted.cc", "refused.cc"] + (["warned.cc"] if "clang" in version else []):
            failures += differences(compiler, options.include, HERE / name)
    print("\n".join(failures) or "as expected")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
