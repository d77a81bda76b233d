"""The JSON of each command: it parses, strictly, and has the members that programs rely on."""

import json
import math
import unittest

import numpy

from command import Case


def refuse(name):
    raise ValueError(f"{name} is not JSON")


def text_of(value, level=0):
    """As the library prints trees: two spaces per level, arrays of plain values on one line."""
    inner = "  " * (level + 1)
    if isinstance(value, dict) and value:
        items = [f"{json.dumps(key)}: {text_of(member, level + 1)}" for key, member in value.items()]
        return "{\n" + ",\n".join(inner + item for item in items) + "\n" + inner[2:] + "}"
    if isinstance(value, list) and any(isinstance(item, (list, dict)) for item in value):
        return "[\n" + ",\n".join(inner + text_of(item, level + 1) for item in value) + "\n" + inner[2:] + "]"
    if isinstance(value, list):
        return "[" + ", ".join(text_of(item) for item in value) + "]"
    return value.literal if isinstance(value, Number) else json.dumps(value)


class Number:
    """As it is spelled."""

    def __init__(self, literal):
        self.literal = literal


class Json(Case):
    def test_streamed_arrays_look_like_trees(self):
        numpy.save(self.folder / "x2.npy", numpy.arange(6, dtype=numpy.float32).reshape(3, 2))
        numpy.save(self.folder / "x3.npy", numpy.arange(12, dtype=numpy.float16).reshape(2, 3, 2))
        numpy.save(self.folder / "x4.npy", numpy.arange(24, dtype=numpy.float64).reshape(2, 3, 2, 2))
        numpy.save(self.folder / "huge.npy", numpy.full((2, 2), 3e38, dtype=numpy.float32))
        for arguments in (["table", "sinusoidal:width=4", "-p", "0,2.5"],
                          ["table", "rotary:head_dim=4", "-p", "0:3", "--dtype", "bf16"],
                          ["table", "rotary:head_dim=4,sections=1/1", "-p", "7/9"],
                          ["add", "sinusoidal:width=2", "-i", "x2.npy"],
                          ["add", "sinusoidal:width=2", "-i", "x3.npy", "--dropout", "0.5"],
                          ["add", "sinusoidal:width=2", "-i", "huge.npy", "--scale", "10"],
                          ["rotate", "rotary:head_dim=2", "-i", "x4.npy"],
                          ["positions", "--lengths", "3,1"], ["positions", "--after", "5,0", "--count", "2"]):
            done = self.run_posenc(*arguments, "--format", "json")
            self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
            tree = json.loads(done.stdout, parse_float=Number, parse_int=Number, object_pairs_hook=self.object_of)
            # Positions on several axes are pairs on one line, which no tree has.
            expected = text_of(tree).replace('"positions": [\n    [7, 9]\n  ]', '"positions": [[7, 9]]')
            self.assertEqual(done.stdout.decode(), expected + "\n", arguments)

    def json_of(self, *arguments):
        done = self.run_posenc(*arguments, "--format", "json")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        data = json.loads(done.stdout, parse_constant=refuse, object_pairs_hook=self.object_of)
        self.assertEqual(data["schema"], "posenc/1")
        self.assertEqual(next(iter(data)), "schema")
        return data

    def object_of(self, pairs):
        self.assertEqual(len({key for key, _ in pairs}), len(pairs), "a key twice")
        return dict(pairs)

    def test_check(self):
        data = self.json_of("check", "sinusoidal:width=64", "--positions", "0:100", "--trained", "128")
        self.assertEqual(set(data), {"schema", "spec", "positions", "train_length", "properties"})
        self.assertEqual((data["positions"], data["train_length"]), ("0:100", 128))
        found = {item["name"]: item for item in data["properties"]}
        for item in data["properties"]:
            self.assertEqual(set(item), {"name", "title", "verdict", "until", "finding", "numbers", "command"})
        self.assertEqual((found["monotone"]["verdict"], found["monotone"]["until"]), ("holds to 5", 5))
        self.assertAlmostEqual(found["smooth"]["numbers"]["mean"], 1.472, places=3)
        self.assertEqual(found["past_length"]["numbers"]["complete"], 11)
        hidden = self.json_of("check", "window:left=3,right=0")["properties"]
        self.assertEqual({item["name"]: item for item in hidden}["symmetric"]["numbers"]["difference"], "inf")

    def test_list(self):
        data = self.json_of("list")
        self.assertEqual(set(data), {"schema", "kinds", "scalings", "catalog", "figures"})
        self.assertEqual([kind["name"] for kind in data["kinds"]], ["sinusoidal", "learned", "hybrid", "concat", "fourier", "rotary", "none", "clipped", "t5", "alibi", "kerple", "fire", "sandwich",
                          "matrix", "shaw", "transformer_xl", "window", "chunked", "pope", "xpos", "temperature"])
        self.assertIn("heatmap", [figure["name"] for figure in data["figures"]])
        for figure in data["figures"]:
            self.assertTrue(figure["summary"] and figure["look_for"], figure)
        for kind in data["kinds"]:
            for field in kind["fields"] + kind["shorthands"]:
                self.assertLessEqual({"name", "type", "unit", "default", "help", "required"}, set(field))
                self.assertEqual(field["required"], field["default"] is None)
            for parameter in kind["parameters"]:
                self.assertEqual(set(parameter), {"name", "help", "optional"})

    def test_bias(self):
        data = self.json_of("bias", "t5:heads=1,buckets=4,max_distance=8", "--values", "0/1/2/3", "-q", "0:3", "--causal")
        self.assertEqual(data["queries"], [0, 1, 2])
        self.assertEqual(data["buckets"], [[0, 3, 3], [1, 0, 3], [1, 1, 0]])
        self.assertEqual(data["values"], [[[0, "-inf", "-inf"], [1, 0, "-inf"], [1, 1, 0]]])
        data = self.json_of("bias", "alibi:heads=4", "-q", "9", "-k", "7,9.5")
        self.assertEqual(data["slopes"], [2.0**-2, 2.0**-4, 2.0**-6, 2.0**-8])
        self.assertEqual(data["keys"], [7, 9.5])
        self.assertEqual(data["values"], [[[-2 * slope, -0.5 * slope]] for slope in data["slopes"]])

    def test_table(self):
        data = self.json_of("table", "sinusoidal:width=6,first=1", "-p", "0:40")
        self.assertLessEqual({"spec", "positions", "inv_freq", "values"}, set(data))
        self.assertEqual(data["positions"], list(range(40)))
        self.assertEqual(data["spec"]["kind"], "sinusoidal")
        self.assertEqual(len(data["inv_freq"]), 3)
        self.assertEqual([len(row) for row in data["values"]], [6] * 40)
        for position, row in zip(data["positions"], data["values"]):
            for pair, inv_freq in enumerate(data["inv_freq"]):
                angle = (position + 1) * inv_freq
                self.assertAlmostEqual(row[2 * pair], math.sin(angle), delta=1e-14)
                self.assertAlmostEqual(row[2 * pair + 1], math.cos(angle), delta=1e-14)

    def test_table_of_a_rotary_encoding(self):
        data = self.json_of("table", "rotary:head_dim=8,base=100,rotary_dim=6,attention_factor=1.5", "-p", "0:40")
        self.assertLessEqual({"spec", "positions", "inv_freq", "cos", "sin", "attention_factor_in"}, set(data))
        self.assertEqual((data["attention_factor"], data["attention_factor_in"]), (1.5, "table"))
        for pair, inv_freq in enumerate(data["inv_freq"]):
            self.assertAlmostEqual(inv_freq, 100 ** (-2 * pair / 6), delta=1e-16)
            for position in data["positions"]:
                self.assertAlmostEqual(data["cos"][position][pair], 1.5 * math.cos(position * inv_freq), delta=1e-14)
                self.assertAlmostEqual(data["sin"][position][pair], 1.5 * math.sin(position * inv_freq), delta=1e-14)

    def test_table_of_many_blocks(self):
        for arguments, names, width in (((), ("cos", "sin"), 4096), (("--tiling", "cos_sin"), ("cos_sin",), 8192),
                                        (("--tiling", "halves", "--only", "sin"), ("sin",), 8192)):
            data = self.json_of("table", "rotary:head_dim=8192", "-p", "7:77", *arguments)
            for name in names:
                rows = data[name]
                self.assertEqual([len(row) for row in rows], [width] * 70)
                of = math.sin if name == "sin" else math.cos
                for position, row in zip(data["positions"], rows):
                    self.assertAlmostEqual(row[0], of(position), delta=1e-14)
                    self.assertAlmostEqual(row[100], of(position * data["inv_freq"][100]), delta=1e-13)

    def test_table_on_axes(self):
        data = self.json_of("table", "rotary:head_dim=4,axes=2,axis_of_pair=1/0", "-p", "3x2")
        self.assertEqual(data["positions"], [[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 1]])
        self.assertEqual(data["inv_freq"], [[0, 0.01], [1, 0]])
        for (down, across), row in zip(data["positions"], data["sin"]):
            self.assertAlmostEqual(row[0], math.sin(across), delta=1e-15)
            self.assertAlmostEqual(row[1], math.sin(0.01 * down), delta=1e-15)

    def test_a_rotary_spec_in_json_can_be_read_again(self):
        arguments = ("table", "-p", "0:3")
        data = self.json_of(*arguments, "rotary:head_dim=12,layout=interleaved,partial_rotary_factor=0.5,rope_offset=-6,base=7,exponent_dim=12")
        (self.folder / "spec.json").write_text(json.dumps(data["spec"]))
        self.assertEqual(self.json_of(*arguments, "spec.json"), data)

    def test_table_has_every_digit(self):
        data = self.json_of("table", "sinusoidal:width=2", "-p", "1")
        self.assertEqual(data["values"], [[math.sin(1), math.cos(1)]])
        data = self.json_of("table", "sinusoidal:width=2", "-p", "0.1,-3,1e9")
        self.assertEqual(data["positions"], [0.1, -3, 1e9])

    def test_table_of_infinite_values(self):
        data = self.json_of("table", "sinusoidal:width=2,multiplier=1e300", "-p", "1,4", "--dtype", "f16")
        self.assertEqual(data["values"], [["inf", "inf"], ["-inf", "-inf"]])
        data = self.json_of("table", "rotary:head_dim=2,attention_factor=1e9", "-p", "4", "--dtype", "f16")
        self.assertEqual((data["cos"], data["sin"]), ([["-inf"]], [["-inf"]]))

    def test_a_spec_in_json_can_be_read_again(self):
        arguments = ("table", "-p", "0:3")
        data = self.json_of(*arguments, "sinusoidal:width=9,odd=zero,order=cos_halves,spacing=half,shift=0.5,multiplier=-2")
        (self.folder / "spec.json").write_text(json.dumps(data["spec"]))
        self.assertEqual(self.json_of(*arguments, "spec.json"), data)

    def test_explain(self):
        data = self.json_of("explain", "sinusoidal:width=512", "-p", "3", "--shift", "2", "--derivative")
        self.assertEqual(data["position"], 3)
        steps = {step["name"]: step for step in data["steps"]}
        self.assertEqual(len(steps), len(data["steps"]))
        self.assertLessEqual({"formula", "denominators", "symbols", "numbers", "speed", "derivative", "shift_blocks",
                              "shift_result", "residual", "reproduce"}, set(steps))
        for step in data["steps"]:
            self.assertLessEqual({"title", "lines", "values"}, set(step))
        self.assertEqual(len(steps["numbers"]["values"]), 512)
        self.assertEqual(len(steps["denominators"]["values"]), 256)
        self.assertLess(steps["residual"]["values"][0], 1e-15)

    def test_explain_of_a_rotary_encoding(self):
        data = self.json_of("explain", "rotary:head_dim=512,rotary_dim=128", "-p", "3", "--shift", "2")
        steps = {step["name"]: step for step in data["steps"]}
        self.assertLessEqual({"formula", "channels", "frequencies", "angles", "cos_sin", "head", "score", "reproduce"}, set(steps))
        self.assertEqual([len(steps[name]["values"]) for name in ("frequencies", "angles", "cos_sin", "head", "score")],
                         [64, 64, 128, 512, 3])
        self.assertAlmostEqual(steps["cos_sin"]["values"][65], math.sin(3 * steps["frequencies"]["values"][1]), delta=1e-15)

    def test_exercises(self):
        arguments = ("exercises", "sinusoidal:width=64", "--seed", "18446744073709551615")
        sheet, key = self.json_of(*arguments), self.json_of(*arguments, "--answers")
        self.assertEqual(sheet["seed"], "18446744073709551615")
        self.assertEqual([question["id"] for question in sheet["questions"]],
                         [f"q{n + 1}" for n in range(len(key["questions"]))])
        secrets = {"answer", "values", "solution", "points"}
        for question, answered in zip(sheet["questions"], key["questions"]):
            self.assertEqual(set(question) & secrets, set())
            self.assertLessEqual(secrets, set(answered))
        answers = {question["id"]: question["answer"] or "far" for question in key["questions"]}
        (self.folder / "answers.json").write_text(json.dumps(answers))
        grade = self.json_of(*arguments, "--grade", "answers.json")
        self.assertEqual((grade["total"]["wrong"], grade["total"]["missing"]), (0, 0))
        self.assertEqual(grade["marks"][-1]["verdict"], "for_a_person")

    def test_explain_of_a_frequency_of_zero(self):
        self.json_of("explain", "sinusoidal:width=4,inv_freq=1/0", "-p", "3", "--derivative")
        self.json_of("explain", "sinusoidal:width=4,scale=0", "-p", "3", "--derivative")

    def test_explain_commands_give_its_numbers(self):
        for position in ("7", "1000003", "-2.5", "100000"):
            explained = self.json_of("explain", "sinusoidal:width=8,first=1", "-p", position, "--derivative")
            steps = {step["name"]: step for step in explained["steps"]}
            for step, line in zip(("numbers", "derivative"), steps["reproduce"]["lines"]):
                self.assertTrue(line.endswith(" --format csv"), line)
                table = self.json_of(*line.removesuffix(" --format csv").split()[1:])
                self.assertEqual(table["values"], [steps[step]["values"]], line)

    def test_plot(self):
        data = self.json_of("plot", "heatmap", "sinusoidal:width=4", "-p", "0:3")
        self.assertEqual(set(data), {"schema", "figure", "title", "finding", "note", "command", "spec", "data"})
        self.assertEqual((data["figure"], data["spec"]["kind"]), ("heatmap", "sinusoidal"))
        columns = data["data"][0]["columns"]
        self.assertEqual(columns.pop("position"), [0, 1, 2])
        rows = [list(row) for row in zip(*columns.values())]
        self.assertEqual(rows, self.json_of("table", "sinusoidal:width=4", "-p", "0:3")["values"])

    def test_bench(self):
        data = self.json_of("bench", "--seconds", "0.001", "--filter", "table/f32/5000x512")
        self.assertEqual(set(data), {"schema", "machine", "rows"})
        self.assertEqual(len(data["rows"]), 1)
        for row in data["rows"]:
            self.assertLessEqual({"name", "ns", "median_ns", "limit_ns", "ratio", "peers"}, set(row))
            self.assertLessEqual(row["ns"], row["median_ns"])
            self.assertAlmostEqual(row["ratio"], row["limit_ns"] / row["ns"], delta=1e-6)
            self.assertTrue(all(isinstance(value, (int, float)) for value in row["peers"].values()))


if __name__ == "__main__":
    unittest.main()
