"""The modules of the library, and who may include what."""

import re

from tree import code_lines, includes

# From the bottom up: a file may include its own module and those before it. A module is a folder of src/.
MODULES = """
core/text core/base core/spec core/numbers core/scalings core/schedules core/kernels core/reference
core/rows core/biases core/rotation core/attention core/layers core/ids
files
models models/comparison
insight/drawing insight/properties insight/explanation insight/figure insight/diagnosis insight/teaching
insight/about
plot
""".split()
# What every operation means in plain double shares nothing with the fast path, and the other way round.
STRANGERS = {
    "core/reference": ["core/numbers", "core/scalings", "core/schedules", "core/kernels"],
    "core/kernels": ["core/spec", "core/numbers", "core/scalings", "core/schedules"],
    "core/rows": ["core/reference"], "core/biases": ["core/reference"], "core/rotation": ["core/reference"],
    "core/attention": ["core/reference"], "core/layers": ["core/reference"], "files": ["core/reference"],
    "models": ["core/reference"],
}
# Libraries of others, and the one place of each.
OTHERS = {"hwy/": "src/core/kernels/", "nlohmann/": "src/files/json_reader.cc", "cairo": "src/plot/plot.cc"}
# A front end may use its own folder, the public headers, and what is named here.
FRONT_ENDS = {"cli": ["bench/", "src/core/text/"], "bench": [], "examples": []}
# Folders of tests/ with a test program beside those of the modules.
OTHER_TESTS = ["allocation", "bench"]
NAMED = re.compile(r"`((?:src|tests|include/posenc|cmake|tools|cli|bench|catalog|assets|docs)/[\w./*-]+)`")


def module_of(path, paths):
    """The module of a source or header; that of a public header follows from its name, its folder or its includes."""
    folder, _, name = path.rpartition("/")
    if path.startswith("src/"):
        return folder[len("src/"):]
    library = folder[len("include/posenc/"):] or "core"
    stem = name.rsplit(".", 1)[0]
    inside = [module for module in MODULES if module.split("/")[0] == library]
    if not inside:
        return library
    for module in inside:  # posenc/table.h is that of core/rows/table.cc, posenc/reference.h that of core/reference/
        if f"src/{module}/{stem}.cc" in paths and module != "core/reference" or module == f"core/{stem}":
            return module
    if stem in ("posenc", library):  # all of a library
        return inside[-1]
    used = [module_of(target, paths) for target in included(paths[path], paths)] if path in paths else []
    return max([module for module in used if module in inside] or inside[:1], key=MODULES.index)


def included(file, paths):
    return [target for _, _, name in includes(file) if (target := resolve(name, paths)) and target != file.path]


def place(file, paths):
    """Every file of the library is in a module."""
    if file.is_cpp and file.folder in ("include", "src") and module_of(file.path, paths) not in MODULES:
        yield 1, "is in no module: its folder is not in MODULES of tests/rules/layers.py"


def own_namespace(file, paths):
    """A private header opens the namespace of its module; what is public is in posenc itself."""
    if file.is_cpp and file.folder == "src" and file.path.endswith(".h"):
        name = module_of(file.path, paths).rsplit("/", 1)[-1]
        for number, line in enumerate(file.lines, 1):
            opened = line.split()[1] if line.startswith("namespace posenc") and line.endswith("{") else None
            below = file.lines[number] if number < len(file.lines) else ""
            if re.fullmatch(r"(class|struct) \w+;", below):  # only declared
                continue
            if opened and opened != f"posenc::{name}" and not opened.startswith(f"posenc::{name}::"):
                yield number, f"opens {opened}, not posenc::{name}"


def look_down(file, paths):
    """The library includes itself downwards, and the libraries of others in one place each."""
    module = module_of(file.path, paths) if file.is_cpp and file.folder in ("include", "src") else None
    if module not in MODULES:
        return
    for number, bracket, name in includes(file):
        target = resolve(name, paths)
        other = next((prefix for prefix in OTHERS if name.startswith(prefix)), None)
        if other:
            if not file.path.startswith(OTHERS[other]):
                yield number, f"includes {name}, which only {OTHERS[other]} may"
        elif target is None:
            if bracket == '"' or ("/" in name and not name.startswith("sys/")):
                yield number, f"includes {name}, which is neither posenc's nor the standard library's"
        elif file.folder == "include" and not target.startswith("include/"):
            yield number, f"is public but includes {name}, which is not installed"
        else:
            used = module_of(target, paths)
            if used in MODULES and MODULES.index(used) > MODULES.index(module) or used in STRANGERS.get(module, []):
                yield number, f"of module '{module}' includes {name} of module '{used}'"


def resolve(name, paths):
    return next((path for path in (f"include/{name}", f"src/{name}") if path in paths), None)


def front_ends(file, paths):
    """Front ends use public headers only: that is the proof that the interface is enough."""
    if not file.is_cpp or file.folder not in FRONT_ENDS:
        return
    own = [f"{file.folder}/", *FRONT_ENDS[file.folder]]
    here = file.path.rsplit("/", 1)[0]
    for number, bracket, name in includes(file):
        mine = [f"{here}/{name}", name, f"src/{name}", *(folder + name for folder in own)]
        is_own = any(path in paths and path.startswith(tuple(own)) for path in mine)
        is_public = f"include/{name}" in paths
        is_system = bracket == "<" and f"src/{name}" not in paths and not name.startswith("posenc/")
        if not (is_own or is_public or is_system):
            yield number, f"includes {name}, which is neither a public header nor its own"


def umbrella(file, paths):
    """posenc/posenc.h is all of the engine, posenc/files/files.h all of posenc::files, and so on."""
    folder, _, name = file.path.rpartition("/")
    if file.folder != "include" or name != folder.rsplit("/", 1)[-1] + ".h" or len(folder.split("/")) > 3:
        return
    targets = {f"include/{name}" for _, _, name in includes(file)}
    for path in sorted(paths):
        if path.rpartition("/")[0] == folder and path not in targets | {file.path, "include/posenc/export.h"}:
            yield 1, f"does not include {path[len('include/'):]}"


def brings_error(file, paths):
    """Who includes a header can catch what its functions throw, or must define the handler."""
    functions = [line for line in code_lines(file.text) if "POSENC_API" in line and "noexcept" not in line]
    if file.folder != "include" or not functions or file.path == "include/posenc/export.h":
        return
    seen, left = set(), [file.path]
    while left:
        path = left.pop()
        if path == "include/posenc/error.h":
            return
        if path not in seen:
            seen.add(path)
            left += included(paths[path], paths)
    yield 1, "has functions but does not include posenc/error.h, nor does what it includes"


def tested(file, _):
    """Tests and benchmarks are in folders named after modules; tests/CMakeLists.txt looks for tests there."""
    folder = file.path.rpartition("/")[0]
    if file.path.endswith("_bench.cc") and folder.removeprefix("bench/") not in MODULES:
        yield 1, "is a benchmark outside the folders of the modules"
    if file.path.endswith("_test.cc") and folder.removeprefix("tests/") not in [*MODULES, *OTHER_TESTS]:
        yield 1, "is in no folder whose tests are built"


def built(file, _):
    """CMake builds every module and its tests: a folder that it does not name is left out in silence."""
    if file.path not in ("src/CMakeLists.txt", "tests/CMakeLists.txt"):
        return
    words = set(re.findall(r"\w+(?:/\w+)*", file.text))
    for module in MODULES:
        if not {module, module.rsplit("/", 1)[-1]} & words:
            yield 1, f"does not name the module {module}"


def named_paths(file, _):
    """What a page says is there is there."""
    if not file.path.endswith(".md") or file.path == "CHANGELOG.md":
        return
    for number, line in enumerate(file.lines, 1):
        for name in NAMED.findall(line):
            if not any(file.root.glob(name)):
                yield number, f"names {name}, which is not there"
