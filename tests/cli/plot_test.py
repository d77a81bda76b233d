"""posenc plot: files that other programs can read, and what happens where they cannot be written."""

import json
import os
import struct
import unittest
import xml.etree.ElementTree as xml
import zlib

from command import Case

HEATMAP = ("plot", "heatmap", "sinusoidal:width=16", "--positions", "0:8")
SVG = "{http://www.w3.org/2000/svg}"
# A figure of every sort, with a kind that it fits.
FIGURES = {"heatmap": "sinusoidal:width=16", "waves": "sinusoidal:width=16", "bias": "alibi:heads=2",
           "clocks": "rotary:head_dim=16", "layouts": None, "attention": "alibi:heads=2"}


def png_pixels(data):
    """Width, height and rows of (red, green, blue), of the PNG that Cairo writes."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed = 8, b""
    while at < len(data):
        size, name = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0] == zlib.crc32(name + body)
        if name == b"IHDR":
            width, height, depth, kind = struct.unpack(">IIBB", body[:10])
            assert (depth, kind) == (8, 2)
        elif name == b"IDAT":
            packed += body
        at += size + 12
    return width, height, len(zlib.decompress(packed))


class Plot(Case):
    def make(self, *arguments):
        done = self.run_posenc(*arguments)
        remarks = [line for line in done.stderr.splitlines() if b": using part " not in line]
        self.assertEqual((done.returncode, remarks), (0, []), arguments)
        return done.stdout

    def test_svg_is_xml_with_text(self):
        for figure, spec in FIGURES.items():
            words = ["plot", figure] + ([spec] if spec else [])
            root = xml.fromstring(self.make(*words, "--format", "svg"))
            self.assertEqual((root.tag, root.get("role")), (f"{SVG}svg", "img"))
            title, description = (root.find(f"{SVG}{tag}") for tag in ("title", "desc"))
            self.assertEqual(root.get("aria-labelledby").split(), [title.get("id"), description.get("id")])
            self.assertTrue(title.text and description.text)
            texts = [element.text for element in root.iter(f"{SVG}text")]
            self.assertIn("$ " + " ".join(["posenc"] + words), texts)

    def test_the_figure_in_an_example_can_be_drawn(self):
        for model, figure in (("gpt2", "pipeline"), ("t5-small", "buckets")):
            done = self.run_posenc("plot", model)
            example = done.stderr.decode().split("for example: posenc ")[1].split()
            self.assertEqual(example, ["plot", figure, model])
            self.make(*example)

    def test_none_and_no_spec_are_different_pipelines(self):
        self.assertIn(b"positions", self.make("plot", "pipeline", "--format", "csv"))
        none = self.make("plot", "pipeline", "none", "--format", "json")
        self.assertEqual(json.loads(none)["finding"], "without positions a transformer sees a set of tokens")
        self.assertEqual(json.loads(none)["command"], "posenc plot pipeline none")
        self.expect_refused("plot", "perplexity", "--init", "normal", message="has no learned numbers: leave out --file")

    def test_bases_are_at_most_six(self):
        self.expect_refused("plot", "bases", "sinusoidal:width=8", "--bases", "1,2,3,4,5,6,7",
                            message="--bases: at most 6 values but got 7")

    def test_svg_theme(self):
        self.assertIn(b"prefers-color-scheme", self.make(*HEATMAP, "--format", "svg"))
        dark = self.make(*HEATMAP, "--format", "svg", "--theme", "dark")
        self.assertNotIn(b"prefers-color-scheme", dark)
        self.assertIn(b"--posenc-paper:#111418", dark)

    def test_png_has_the_size_asked_for(self):
        for scale in (1, 2.5):
            self.make(*HEATMAP, "--picture-width", "400", "--picture-height", "360", "--picture-scale", str(scale), "-o", "figure.png")
            width, height, size = png_pixels((self.folder / "figure.png").read_bytes())
            self.assertEqual((width, height), (400 * scale, 360 * scale))
            self.assertEqual(size, height * (3 * width + 1))

    def test_the_same_bytes_again(self):
        for format in ("svg", "png", "pdf", "json", "csv", "text"):
            self.assertEqual(self.make(*HEATMAP, "--format", format), self.make(*HEATMAP, "--format", format), format)

    def test_name_of_the_file_decides(self):
        starts = {"svg": b"<svg ", "png": b"\x89PNG", "pdf": b"%PDF-1", "json": b"{", "csv": b"position,", "txt": b"The table"}
        for ending, start in starts.items():
            self.make(*HEATMAP, "-o", f"figure.{ending}")
            self.assertTrue((self.folder / f"figure.{ending}").read_bytes().startswith(start), ending)

    def test_data_have_the_command_that_makes_them_again(self):
        first = json.loads(self.make("plot", "parts", "sinusoidal:width=8", "--words", "it's a cat", "--format", "json",
                                     "--seed", "3"))
        self.assertEqual(first["command"],
                         "posenc plot parts sinusoidal:width=8 --words 'it'\\''s a cat' --seed 3")
        other = json.loads(self.make("plot", "parts", "sinusoidal:width=8", "--words", "it's a cat", "--format", "json"))
        self.assertNotEqual(first["data"], other["data"])

    def test_nothing_is_half_written(self):
        for name in ("figure.svg", "figure.png", "figure.pdf"):
            (self.folder / name).write_text("the old one")
            self.assertEqual(self.run_posenc("plot", "heatmap", "rotary:head_dim=8", "-o", name).returncode, 2)
            self.assertEqual(self.run_posenc(*HEATMAP, "-o", f"nowhere/{name}").returncode, 2)
            self.assertEqual((self.folder / name).read_text(), "the old one")
        self.assertEqual(self.run_posenc(*HEATMAP, "--picture-scale", "16", "--picture-width", "9000", "-o", "figure.png").returncode, 2)
        self.assertEqual(sorted(os.listdir(self.folder)), ["figure.pdf", "figure.png", "figure.svg"])

    def test_text_fits_the_columns(self):
        for figure, spec in (("heatmap", "sinusoidal:width=512"), ("waves", "sinusoidal:width=64"), ("bias", "alibi:heads=8")):
            for columns, lines in ((40, 24), (80, 24), (132, 50)):
                text = self.make("plot", figure, spec, "--columns", str(columns), "--lines", str(lines)).decode()
                for line in text.splitlines():
                    self.assertLessEqual(len(line), columns, figure)
                    self.assertEqual(line, line.rstrip())


if __name__ == "__main__":
    unittest.main()
