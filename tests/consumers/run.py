"""Builds and runs the consumer projects of this folder.

    run.py installed         installs the build tree, then uses it through find_package and pkg-config, moved once
    run.py add_subdirectory  uses the source tree as part of another project: one without exceptions and run-time type
                             information, as engines are, without what explains and draws, and without vectors, which
                             compiles faster
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def run(*command, env=None, cwd=None, expect=0):
    """Runs a command and returns what it printed; another exit code than expected (None: not 0) ends the test."""
    command = [str(word) for word in command]
    done = subprocess.run(command, env={**os.environ, **(env or {})}, cwd=cwd, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    as_expected = done.returncode != 0 if expect is None else done.returncode == expect
    if not as_expected:
        sys.exit(f"{' '.join(command)}\n{done.stdout}\nexit code {done.returncode}, expected {expect}")
    return done.stdout


def configure(args, project, build, *options, expect=0):
    # Not optimised: the library is compiled again where it is part of another project.
    launcher = [f"-DCMAKE_CXX_COMPILER_LAUNCHER={args.launcher}"] if args.launcher else []
    return run(args.cmake, "-S", HERE / project, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
               f"-DCMAKE_CXX_COMPILER={args.compiler}", *launcher, *options, expect=expect)


def has_plot(prefix):
    return bool(list(prefix.rglob("posenc-plot.pc")))


def find_package(args, prefix, scratch, name):
    major, minor = args.version.split(".")[:2]
    build = scratch / f"find_package_{name}"
    path = f"-DCMAKE_PREFIX_PATH={prefix}"
    configure(args, "find_package", build, path, f"-DPOSENC_WANTED={major}.{minor}")
    run(args.cmake, "--build", build)
    run(build / "consumer")
    if has_plot(prefix):
        configure(args, "find_package", build, path, f"-DPOSENC_WANTED={major}.{minor}", "-DPOSENC_PLOT=ON")
        run(args.cmake, "--build", build)
        run(build / "plot")
    cache = (build / "CMakeCache.txt").read_text()
    if f"posenc_DIR:PATH={prefix}" not in cache:
        sys.exit(f"find_package found another posenc than the one in {prefix}")
    # Newer ones, and the one before: below 1.0 a minor version may have changed anything.
    refusals = [f"{major}.{int(minor) + 1}", f"{int(major) + 1}.0"]
    if int(minor) > 0:
        refusals.append(f"{major}.{int(minor) - 1}")
    for wanted in refusals:
        refused = scratch / f"refused_{name}_{wanted}"
        output = configure(args, "find_package", refused, path, f"-DPOSENC_WANTED={wanted}", expect=None)
        if not re.search(r"compatible\s+with\s+requested\s+version", output):
            sys.exit(f"find_package(posenc {wanted}) failed for another reason than the version:\n{output}")


def pkg_config(args, prefix, scratch, name):
    (pc,) = prefix.rglob("posenc.pc")
    env = {"PKG_CONFIG_PATH": str(pc.parent), "CXX": args.compiler}
    packages = {"posenc": "main.cc", **({"posenc-plot": "plot.cc"} if has_plot(prefix) else {})}
    for package, source in packages.items():
        program = scratch / f"pkg_config_{package}_{name}"
        run("make", "-C", HERE / "pkg_config", f"SOURCE=../{source}", f"PACKAGE={package}", f"OUT={program}", env=env)
        run(program, env={"LD_LIBRARY_PATH": str(pc.parent.parent)})
    version = run("pkg-config", "--modversion", "posenc", env=env).strip()
    if version != args.version:
        sys.exit(f"posenc.pc says version {version}, the project {args.version}")


def no_fixed_paths(args, prefix):
    """Text files of an installed tree must not name the machine that built it."""
    for file in [*prefix.rglob("*.cmake"), *prefix.rglob("*.pc")]:
        for path in (args.source, args.build, prefix):
            if str(path) in file.read_text():
                sys.exit(f"{file} holds the path {path}")


def installed(args, scratch):
    prefix = scratch / "first"
    run(args.cmake, "--install", args.build, "--prefix", prefix)
    no_fixed_paths(args, prefix)
    moved = scratch / "moved" / "deeper"
    moved.parent.mkdir()
    for name in ("first", "moved"):
        find_package(args, prefix, scratch, name)
        pkg_config(args, prefix, scratch, name)
        program = prefix / "bin" / "posenc"
        if program.exists() and args.version not in run(program, "--version"):
            sys.exit(f"{program} --version does not say {args.version}")
        if name == "first":
            prefix = prefix.rename(moved)
    if not list(prefix.rglob("LICENSE")):
        sys.exit("the license was not installed")


def add_subdirectory(args, scratch):
    build = scratch / "build"
    configure(args, "add_subdirectory", build, f"-DBUILD_SHARED_LIBS={args.shared}",
              "-DCMAKE_CXX_FLAGS=-fno-exceptions -fno-rtti -DHWY_COMPILE_ONLY_SCALAR", "-DCMAKE_CXX_FLAGS_DEBUG=-O0", "-DPOSENC_PRECOMPILE=ON",
              "-DPOSENC_BUILD_INSIGHT=OFF")
    run(args.cmake, "--build", build, "--parallel", "2")
    run(build / "consumer")
    run(build / "handler")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["installed", "add_subdirectory"])
    for name in ("cmake", "source", "build", "compiler", "version", "shared"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--launcher", default="")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        globals()[args.what](args, pathlib.Path(scratch))


main()
