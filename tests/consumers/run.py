"""Builds and runs the consumer projects of this folder.

    run.py installed         installs the build tree, then uses every library of it through find_package and pkg-config, moved
                             once, and from a program without exceptions
    run.py add_subdirectory  uses the source tree as part of another project: the engine alone, in a project with its own
                             Highway that has neither exceptions nor run-time type information, and without vectors, which
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
    return run(args.cmake, "-S", HERE / project, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=None",
               f"-DCMAKE_CXX_COMPILER={args.compiler}", *launcher, *options, expect=expect)


LIBRARIES = ["files", "models", "insight", "plot"]


def libraries_in(prefix):
    return [library for library in LIBRARIES if list(prefix.rglob(f"posenc-{library}.pc"))]


def libraries_to_use(prefix, name):
    """The engine, called "", and the others; of a moved tree the first and the last, which share what could be wrong."""
    there = libraries_in(prefix)
    return ["", *(there if name == "first" else there[-1:])]


def find_package(args, prefix, scratch, name):
    major, minor = args.version.split(".")[:2]
    build = scratch / f"find_package_{name}"
    path = f"-DCMAKE_PREFIX_PATH={prefix}"
    wanted = f"-DPOSENC_WANTED={major}.{minor}"
    for library in libraries_to_use(prefix, name):
        configure(args, "find_package", build, path, wanted, f"-DPOSENC_COMPONENT={library}")
        run(args.cmake, "--build", build)
        run(build / "consumer")
    cache = (build / "CMakeCache.txt").read_text()
    if f"posenc_DIR:PATH={prefix}" not in cache:
        sys.exit(f"find_package found another posenc than the one in {prefix}")
    if name == "moved":
        return
    # What is not installed is not found, and the message says which it is.
    for library in ["nonsense", *(library for library in LIBRARIES if library not in libraries_in(prefix))]:
        output = configure(args, "find_package", build, path, wanted, f"-DPOSENC_COMPONENT={library}", expect=None)
        if f"component '{library}' is not installed" not in " ".join(output.split()):
            sys.exit(f"find_package(posenc COMPONENTS {library}) failed for another reason:\n{output}")
    # Newer ones, and the one before: below 1.0 a minor version may have changed anything.
    refusals = [f"{major}.{int(minor) + 1}", f"{int(major) + 1}.0"]
    if int(minor) > 0:
        refusals.append(f"{major}.{int(minor) - 1}")
    for other in refusals:
        output = configure(args, "find_package", build, path, f"-DPOSENC_WANTED={other}", "-DPOSENC_COMPONENT=", expect=None)
        if not re.search(r"compatible\s+with\s+requested\s+version", output):
            sys.exit(f"find_package(posenc {other}) failed for another reason than the version:\n{output}")


def pkg_config(args, prefix, scratch, name):
    (pc,) = prefix.rglob("posenc.pc")
    env = {"PKG_CONFIG_PATH": str(pc.parent), "CXX": args.compiler}
    library_path = {"LD_LIBRARY_PATH": str(pc.parent.parent)}

    def build(source, package, *options, expect=0):
        program = scratch / f"pkg_config_{source.replace('/', '_')}_{name}"
        output = run("make", "-C", HERE / "pkg_config", f"SOURCE=../{source}.cc", f"PACKAGE={package}", f"OUT={program}",
                     f"OPTIONS={' '.join(options)}", env=env, expect=expect)
        return program, output

    for library in libraries_to_use(prefix, name):
        program, _ = build(library or "main", f"posenc-{library}" if library else "posenc")
        run(program, env=library_path)
    # An engine without exceptions, with the ordinary library: its handler is called, and without one it does not link.
    program, _ = build("add_subdirectory/handler", "posenc", "-fno-exceptions", "-fvisibility=hidden")
    run(program, env=library_path)
    _, output = build("no_handler", "posenc", "-fno-exceptions", expect=None)
    if "posenc_on_error" not in output:
        sys.exit(f"a program without exceptions and handler failed for another reason:\n{output}")
    version = run("pkg-config", "--modversion", "posenc", env=env).strip()
    if version != args.version:
        sys.exit(f"posenc.pc says version {version}, the project {args.version}")
    # The libraries of one version go together.
    for library, below in zip(libraries_in(prefix), ["posenc", *(f"posenc-{library}" for library in LIBRARIES)]):
        needs = run("pkg-config", "--print-requires", f"posenc-{library}", env=env).splitlines()
        if f"{below} = {args.version}" not in needs:
            sys.exit(f"posenc-{library}.pc needs {needs}, expected {below} = {args.version}")


def only_what_was_built(prefix):
    """The headers of a library are there if, and only if, the library is."""
    (header,) = prefix.rglob("posenc/posenc.h")
    there = libraries_in(prefix)
    for library in LIBRARIES:
        if (header.parent / library).exists() != (library in there):
            sys.exit(f"the headers of posenc::{library} and its library do not go together")


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
    only_what_was_built(prefix)
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
              "-DCMAKE_CXX_FLAGS=-fno-exceptions -fno-rtti -DHWY_COMPILE_ONLY_SCALAR",
              "-DPOSENC_UNITY_BYTES=150000", "-DPOSENC_BUILD_FILES=OFF")
    run(args.cmake, "--build", build, "--parallel", "2")
    run(build / "consumer")
    run(build / "handler")
    # Installed by its parent, it brings the engine's headers and no others.
    configure(args, "add_subdirectory", build, "-DPOSENC_INSTALL=ON")
    run(args.cmake, "--build", build, "--parallel", "2")
    run(args.cmake, "--install", build, "--prefix", scratch / "installed")
    only_what_was_built(scratch / "installed")


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
