"""Headers that moved: the list of the build and the list for readers are the same."""

import re

BUILD = "cmake/PosencForward.cmake"
PAGE = "docs/migration.md"


def forwards(file, paths):
    """docs/migration.md names every header that cmake/PosencForward.cmake forwards, with its new place, and no other."""
    if file.path != PAGE or BUILD not in paths:
        return
    built = {(*moved.partition("=")[::2], library)
             for library, names in re.findall(r"set\(posenc_moved_(\w+)\s([^)]*)\)", paths[BUILD].text)
             for moved in names.split()}
    written = {(old, new if old != new else "", library)
               for old, library, new in re.findall(r"`posenc/(\w+)\.h` \| `posenc/(\w+)/(\w+)\.h`", file.text)}
    for old, _, library in sorted(built ^ written):
        yield 1, f"posenc/{old}.h and its new place posenc/{library}/ are in only one of {BUILD} and {PAGE}"
