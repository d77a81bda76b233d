"""Rules that the sources and pages keep: layers, silence, plain text, length. Prints one line for each place that breaks one.

    rules.py ROOT [--library FILE --nm PROGRAM]    exit 1 if a rule is broken
    rules.py --self-test                           exit 1 if a rule does not notice what it should
"""

import argparse
import sys

import counts
import layers
import moved
import pages
import symbols
import text
import tree

FILE_RULES = [text.ascii_only, text.library_is_silent, text.library_has_no_try, text.finished, text.no_machine_paths,
              text.no_risky_flags, text.short, text.header_opens_well, pages.short_readme,
              pages.short_recipes, pages.suggested]
TREE_RULES = [layers.place, layers.own_namespace, layers.look_down, layers.front_ends, layers.umbrella,
              layers.brings_error, layers.tested, layers.built, layers.named_paths, moved.forwards,
              counts.touched_files, counts.walks_go_down, pages.in_the_index, pages.links_lead_somewhere]


def check(root):
    """(rule, path, line, message) of each broken rule."""
    files = tree.read_tree(root)
    paths = {file.path: file for file in files}
    for file in files:
        for rule in FILE_RULES:
            yield from ((rule.__name__, file.path, *found) for found in rule(file))
        for rule in TREE_RULES:
            yield from ((rule.__name__, file.path, *found) for found in rule(file, paths))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", nargs="?")
    parser.add_argument("--library")
    parser.add_argument("--nm", default="nm")
    parser.add_argument("--self-test", action="store_true")
    args = parser.parse_args()
    if args.self_test:
        import self_test
        sys.exit(self_test.run(check, args.nm))
    broken = 0
    for rule, path, line, message in check(args.root) if args.root else []:
        print(f"{path}:{line}: {message} [{rule}]")
        broken += 1
    for member, message in symbols.calls(args.nm, args.library) if args.library else []:
        print(f"{member} {message} [symbols]")
        broken += 1
    print(f"{broken} rules broken")
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
