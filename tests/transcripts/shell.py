"""Blocks `sh` and `cmake`: lines that a test cannot run (they install, or build all), so that it checks
what they name: targets of the Makefile, presets, tools, the version and the target of the package."""

import json
import os
import re
import shlex
import subprocess

ALLOWED = {"cmake", "ctest", "git", "cd", "apt-get", "apt", "g++", "clang++-14"}


def check_sh(block, source):
    text = "\n".join(block.lines).replace("\\\n", " ")
    for line in text.split("\n"):
        words = shlex.split(line, comments=True)
        while words and (words[0] == "sudo" or re.fullmatch(r"\w+=.*", words[0])):
            words = words[1:]
        if words:
            check_line(line, words, source)


def check_line(line, words, source):
    program = words[0]
    if program == "make":
        # The flags of the make that may have started this test are not meant for this one.
        env = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
        done = subprocess.run(["make", "-n", *words[1:]], cwd=source, env=env, capture_output=True, text=True)
        if done.returncode != 0:
            raise ValueError(f"{line}\n{done.stderr}")
    elif "/" in program:
        if not (source / program).is_file():
            raise ValueError(f"{line}\nthere is no {program}")
    elif program not in ALLOWED:
        raise ValueError(f"{line}\nnot a line that can be checked: use a `console` block")
    if "--preset" in words:
        check_preset(line, words[words.index("--preset") + 1], source)


def check_preset(line, name, source):
    presets = json.loads((source / "CMakePresets.json").read_text())["configurePresets"]
    if name not in [preset["name"] for preset in presets if not preset.get("hidden")]:
        raise ValueError(f"{line}\nthere is no preset {name}")


def check_cmake(block, source):
    text = "\n".join(block.lines)
    header = (source / "include/posenc/version.h").read_text()
    major, minor = (re.search(rf"POSENC_VERSION_{part} (\d+)", header).group(1) for part in ("MAJOR", "MINOR"))
    for asked in re.findall(r"find_package\(posenc\s+([\d.]+)", text):
        if asked.split(".")[:2] != [major, minor]:
            raise ValueError(f"find_package(posenc {asked}) but this is posenc {major}.{minor}")
    # A library has the name of its folder of headers.
    libraries = ["posenc", *(folder.name for folder in (source / "include/posenc").iterdir() if folder.is_dir())]
    for target in re.findall(r"posenc::\w+", text):
        if target.removeprefix("posenc::") not in libraries:
            raise ValueError(f"there is no target {target}")
