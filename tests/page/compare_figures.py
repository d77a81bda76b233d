"""Makes the figures and the lesson of docs/ again and compares: compare_figures.py posenc tools/figures docs folder.

Words must be equal. Numbers may differ in the last digit that is shown and colours by one level: machines with other
vector units round differently in the last bit.
"""

import base64
import re
import struct
import subprocess
import sys
import zlib
from pathlib import Path

NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
IMAGE = re.compile(r"data:image/png;base64,([A-Za-z0-9+/=]+)")


def pixels(encoded):
    """Size and indices of a palette PNG."""
    data = base64.b64decode(encoded)
    at, packed, size = 8, b"", None
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        chunk = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            size = struct.unpack(">II", chunk[:8])
        if kind == b"IDAT":
            packed += chunk
        at += 12 + length
    return size, zlib.decompress(packed)


def difference(old, new):
    """The first difference that is more than rounding, or nothing."""
    old_images, new_images = IMAGE.findall(old), IMAGE.findall(new)
    if len(old_images) != len(new_images):
        return f"{len(old_images)} images are now {len(new_images)}"
    for number, (a, b) in enumerate(zip(old_images, new_images)):
        if a == b:
            continue
        (size_a, bytes_a), (size_b, bytes_b) = pixels(a), pixels(b)
        if size_a != size_b or any(abs(x - y) > 1 for x, y in zip(bytes_a, bytes_b)):
            return f"image {number} differs"
    old, new = IMAGE.sub("", old), IMAGE.sub("", new)
    old_words, new_words = NUMBER.split(old), NUMBER.split(new)
    for a, b in zip(old_words, new_words):
        if a != b:
            return f"'{a[-80:]}' is now '{b[-80:]}'"
    if len(old_words) != len(new_words):
        return "it is longer or shorter"
    for a, b in zip(NUMBER.findall(old), NUMBER.findall(new)):
        if a != b and abs(float(a) - float(b)) > max(0.011, 2e-3 * abs(float(a))):
            return f"{a} is now {b}"
    return None


def main():
    program, tool, docs, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4])
    subprocess.run([tool, program, folder], check=True)
    bad = 0
    names = sorted(p.relative_to(docs) for p in [*docs.glob("figures/**/*.svg"), docs / "lesson.html"])
    made = sorted(p.relative_to(folder) for p in [*folder.glob("figures/**/*.svg"), folder / "lesson.html"])
    if names != made:
        print(f"docs has {names} but {made} were made")
        bad += 1
    for name in names:
        said = difference((docs / name).read_text(), (folder / name).read_text())
        if said:
            print(f"{name}: {said}; make figures writes it again")
            bad += 1
    print(f"{len(names)} files compared, {bad} differ")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
