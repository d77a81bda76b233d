"""Each rule sees what it is for: a small tree that keeps all rules, then the same with one thing wrong at a time."""

import pathlib
import subprocess
import tempfile

import symbols

OPENING = "// A header.\n#pragma once\n"
FIRST_HOUR = "$ touch q.npy\n$ posenc\n  posenc explain x    an example\n$ posenc explain x\nposenc plot y\n$ posenc plot y -o y.svg\n"
RECIPE = "## One\n\nText.\n\n```console\n" + "$ true\n\n" * 15 + "```\n"

GOOD = {
    "include/posenc/posenc.h": OPENING + '#include "posenc/error.h"\n#include "posenc/phase.h"\n#include "posenc/view.h"\n',
    "include/posenc/error.h": OPENING,
    "include/posenc/view.h": OPENING + '#include <cstdint>\n#include "posenc/error.h"\n// std::cout << "an example"\n',
    "include/posenc/phase.h": OPENING + '#include "posenc/view.h"\n',
    "include/posenc/files/files.h": OPENING + '#include "posenc/files/json.h"\n',
    "include/posenc/files/json.h": OPENING + '#include "posenc/view.h"\n',
    "src/core/text/nearest.h": "#pragma once\nnamespace posenc::text {\n}\n",
    "src/core/base/error.cc": "void f() { throw 1; }\n",
    "src/core/base/view.cc": '#include "posenc/view.h"\nstatic_assert(true);\nconst char* k = "abort(), try";\n',
    "src/core/numbers/phase.cc": '#include "posenc/view.h"\n#include "core/numbers/double_double.h"\n',
    "src/core/numbers/double_double.h": "#pragma once\nnamespace posenc::numbers {\n}\n",
    "src/core/base/thread_pool.cc": "#if defined(__cpp_exceptions)\nvoid f() { try { g(); } catch (...) {} }\n#endif\n",
    "src/core/kernels/turn.cc": '#include "hwy/highway.h"\n#include "posenc/view.h"\n',
    "src/core/rows/table.cc": '#include "core/numbers/double_double.h"\n#include "posenc/phase.h"\n',
    "src/files/json.cc": '#include "posenc/files/json.h"\n',
    "src/files/json_reader.cc": "#include <nlohmann/json.hpp>\n#include <sys/stat.h>\n",
    "cli/main.cc": '#include <CLI/CLI.hpp>\n#include "core/text/nearest.h"\n#include "options.h"\n#include "posenc/view.h"\n',
    "cli/options.h": "#pragma once\n",
    "cmake/PosencForward.cmake": "set(posenc_moved_files json)\n",
    "docs/migration.md": "| `posenc/json.h` | `posenc/files/json.h` |\n",
    "docs/page.md": "-march=native is never used. \u2580\n",
    "docs/lists.md": "<!-- files of double_double: at most 2 -->\n1. `src/core/numbers/phase.cc`: x\n"
                     "2. `src/core/rows/table.cc`: x\n<!-- /files -->\n"
                     "<!-- walk: at most 2 -->`cli/main.cc` `src/core/rows/table.cc`<!-- /walk -->\n",
    "docs/README.md": "[a page](page.md) [lists](lists.md) [recipes](recipes.md#first) [more](encodings/)\n",
    "docs/encodings/README.md": "[moved](../migration.md), [elsewhere](https://example.org/x)\n",
    "docs/recipes.md": "# Recipes\n" + RECIPE * 12,
    "README.md": "A line.\n" * 160,
    "tests/cli/first_hour.md": FIRST_HOUR,
    "build/release/junk.cc": "TODO\n",
}

# (the rule that must fire, file, what it then holds)
VIEW = "src/core/base/view.cc"
POOL = "src/core/base/thread_pool.cc"
BAD = [
    ("ascii_only", VIEW, "// \u00e9\n"),
    ("ascii_only", "tools/setup", "# \u00e9\n"),
    ("library_is_silent", VIEW, "void f() { std::cout << 1; }\n"),
    ("library_is_silent", VIEW, "void f() { std::cerr << 1; }\n"),
    ("library_is_silent", VIEW, 'void f() { std::printf("x"); }\n'),
    ("library_is_silent", VIEW, 'void f() { fprintf(stderr, "x"); }\n'),
    ("library_is_silent", VIEW, "void f() { std::abort(); }\n"),
    ("library_is_silent", VIEW, "void f() { exit(1); }\n"),
    ("library_is_silent", "include/posenc/view.h", OPENING + "inline void f(int i) { assert(i); }\n"),
    ("library_has_no_try", VIEW, "void f() { try { g(); } catch (...) {} }\n"),
    ("library_has_no_try", VIEW, "void f() { throw 1; }\n"),
    ("library_has_no_try", VIEW, "#if defined(__cpp_exceptions)\nvoid f() { try { g(); } catch (...) {} }\n#endif\n"),
    ("library_has_no_try", POOL, "void f() { try { g(); } catch (...) {} }\n"),
    ("library_has_no_try", POOL,
     "#if defined(__cpp_exceptions)\n#else\nvoid f() { try { g(); } catch (...) {} }\n#endif\n"),
    ("library_has_no_try", POOL, "#if defined(__cpp_exceptions)\nvoid f() { throw 1; }\n#endif\n"),
    ("finished", "docs/page.md", "TODO: more\n"),
    ("named_paths", "docs/page.md", "See `src/core/base/nothing.cc`.\n"),
    ("named_paths", "docs/page.md", "See `tests/nothing/*_test.cc`.\n"),
    ("tested", "tests/core/base_test.cc", "int x;\n"),
    ("tested", "bench/table_bench.cc", "int x;\n"),
    ("built", "src/CMakeLists.txt", "posenc_library(files MODULES .)\n"),
    ("built", "tests/CMakeLists.txt", "posenc_test(files)\n"),
    ("tested", "tests/core/nothing/base_test.cc", "int x;\n"),
    ("brings_error", "include/posenc/phase.h", OPENING + "#include \"posenc/export.h\"\nPOSENC_API void f();\n"),
    ("finished", VIEW, "// FIXME\n"),
    ("no_machine_paths", "docs/page.md", "see /work/x\n"),
    ("no_machine_paths", "cmake/x.cmake", "set(x /root/x)\n"),
    ("no_machine_paths", "tools/x", "cd /home/me\n"),
    ("no_risky_flags", "CMakeLists.txt", "add_compile_options(-ffast-math)\n"),
    ("no_risky_flags", "CMakePresets.json", '"-march=native"\n'),
    ("short", VIEW, "int x;\n" * 501),
    ("header_opens_well", "include/posenc/view.h", "#pragma once\n"),
    ("header_opens_well", "include/posenc/view.h", "// A header.\nint x;\n"),
    ("place", "src/novelty.cc", "int x;\n"),
    ("place", "src/core/novelty/novelty.h", "int x;\n"),
    ("place", "include/posenc/novelty/novelty.h", OPENING),
    ("own_namespace", "src/core/numbers/double_double.h", "namespace posenc::rows {\n"),
    ("own_namespace", "src/core/numbers/double_double.h", "namespace posenc {\n"),
    ("look_down", VIEW, '#include "core/numbers/double_double.h"\n'),
    ("look_down", VIEW, '#include "posenc/phase.h"\n'),
    ("look_down", "include/posenc/view.h", OPENING + "#include <posenc/posenc.h>\n"),
    ("look_down", "include/posenc/view.h", OPENING + '#include "posenc/files/json.h"\n'),
    ("look_down", "include/posenc/phase.h", OPENING + '#include "core/numbers/double_double.h"\n'),
    ("look_down", "src/core/rows/table.cc", '#include "hwy/highway.h"\n'),
    ("look_down", "src/files/json.cc", "#include <nlohmann/json.hpp>\n"),
    ("look_down", "src/files/json.cc", "#include <fmt/format.h>\n"),
    ("look_down", "src/core/kernels/turn.cc", '#include "core/numbers/double_double.h"\n'),
    ("look_down", "src/core/reference/embed.cc", '#include "core/numbers/double_double.h"\n'),
    ("look_down", VIEW, '#include "absent.h"\n'),
    ("front_ends", "cli/main.cc", '#include "core/numbers/double_double.h"\n'),
    ("front_ends", "cli/main.cc", '#include "../src/core/numbers/double_double.h"\n'),
    ("front_ends", "bench/main.cc", '#include "cli/options.h"\n'),
    ("front_ends", "bench/main.cc", '#include "core/text/nearest.h"\n'),
    ("front_ends", "examples/main.cc", "#include <core/numbers/double_double.h>\n"),
    ("umbrella", "include/posenc/posenc.h", OPENING + '#include "posenc/error.h"\n'),
    ("umbrella", "include/posenc/files/files.h", OPENING),
    ("forwards", "docs/migration.md", "nothing\n"),
    ("touched_files", "docs/lists.md", "<!-- files of double_double: at most 2 -->\n1. `src/core/rows/table.cc`: x\n<!-- /files -->"),
    ("touched_files", "docs/lists.md",
     GOOD["docs/lists.md"].replace("2. ", "3. `cli/main.cc`: x\n2. ")),
    ("touched_files", "docs/lists.md", GOOD["docs/lists.md"].replace("double: at most 2", "double: at most 1")),
    ("walks_go_down", "docs/lists.md", GOOD["docs/lists.md"].replace("walk: at most 2", "walk: at most 1")),
    ("walks_go_down", "docs/lists.md",
     "<!-- walk: at most 9 -->`src/core/numbers/phase.cc` `src/core/rows/table.cc`<!-- /walk -->"),
    ("short_readme", "README.md", "A line.\n" * 161),
    ("short_recipes", "docs/recipes.md", RECIPE * 11),
    ("short_recipes", "docs/recipes.md", RECIPE * 13),
    ("short_recipes", "docs/recipes.md", RECIPE * 11 + RECIPE.replace("$ true", "$ true\n$ false", 1)),
    ("short_recipes", "docs/recipes.md", RECIPE * 11 + "## Twelve\n\nText.\n"),
    ("suggested", "tests/cli/first_hour.md", FIRST_HOUR + "$ posenc list\n"),
    ("suggested", "tests/cli/first_hour.md", FIRST_HOUR + "$ posenc plot\n$ posenc explain\n$ osenc plot y\n"),
    ("suggested", "tests/cli/first_hour.md", FIRST_HOUR.replace("plot y -o", "plot y:z=1 -o")),
    ("suggested", "tests/cli/first_hour.md", FIRST_HOUR.replace("$ posenc\n", "")),
    ("in_the_index", "docs/README.md", GOOD["docs/README.md"].replace("(page.md)", "(other.md)")),
    ("in_the_index", "docs/README.md", GOOD["docs/README.md"].replace("(encodings/)", "(https://example.org/docs/encodings/)")),
    ("links_lead_somewhere", "README.md", "[nothing](docs/nothing.md)\n"),
    ("links_lead_somewhere", "docs/encodings/README.md", "[nothing](migration.md)\n"),
    ("forwards", "docs/migration.md",
     "| `posenc/json.h` | `posenc/files/json.h` |\n| `posenc/npy.h` | `posenc/files/npy.h` |\n"),
]


def write_tree(root, files):
    for name, content in files.items():
        path = pathlib.Path(root) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")


def found_in(check, files):
    with tempfile.TemporaryDirectory() as root:
        write_tree(root, files)
        return [(rule, path) for rule, path, _, _ in check(root)]


def object_file(folder, source):
    path = pathlib.Path(folder) / "x.cc"
    path.write_text(source)
    subprocess.run(["c++", "-c", "-O1", str(path), "-o", f"{folder}/x.o"], check=True)
    return f"{folder}/x.o"


def symbol_mistakes(nm):
    cases = [
        ("#include <cstdlib>\nvoid f() { std::abort(); }\n", True),
        ("#include <iostream>\nvoid f() { std::cout << 1; }\n", True),
        ('#include <cstdio>\nvoid f(int x) { std::printf("%d", x); }\n', True),
        ('#include <cstdio>\nvoid f(char* b, int x) { std::snprintf(b, 9, "%d", x); }\n', False),
        ("#include <string>\nvoid g(std::string); void f(std::string& s) { g(s + s); }\n", False),
    ]
    for source, forbidden in cases:
        with tempfile.TemporaryDirectory() as folder:
            calls = list(symbols.calls(nm, object_file(folder, source)))
        if bool(calls) != forbidden:
            yield f"symbols: {source!r} gave {calls}"


def run(check, nm):
    mistakes = [f"the good tree breaks {rule} in {path}" for rule, path in found_in(check, GOOD)]
    for rule, path, content in BAD:
        found = found_in(check, {**GOOD, path: content})
        if (rule, path) not in found:
            mistakes.append(f"{rule} does not notice {path} holding {content[:60]!r}")
    mistakes += symbol_mistakes(nm)
    for mistake in mistakes:
        print(mistake)
    print(f"{len(BAD)} broken trees, {len(mistakes)} mistakes")
    return 1 if mistakes else 0
