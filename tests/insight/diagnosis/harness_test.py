"""The harness itself: an answer that is wrong is noticed."""

import json
import unittest

from harness import Case, Run, complaint, disorder, expects, sample


def explanation(name, residual):
    return {"fault": name, "faults": name.split(" + "), "residual": residual, "sentence": "It is so.", "fix": "Do not."}


def run(verdict, *explanations, code=None):
    code = (0 if verdict == "matches" else 1) if code is None else code
    return Run([], code, json.dumps({"verdict": verdict, "explanations": list(explanations), "cannot_tell": []}), "")


class Complaints(unittest.TestCase):
    FAULT = Case("a case", None, "fault", expects("base", "exponent_step"))
    BOTH = Case("a case", None, "fault", (frozenset(["base", "layout"]),))

    def test_right_answers_pass(self):
        self.assertIsNone(complaint(self.FAULT, run("fault", explanation("exponent_step", 1e-8), explanation("base", 1e-3))))
        self.assertIsNone(complaint(self.BOTH, run("fault", explanation("layout + base", 1e-8))))
        self.assertIsNone(complaint(Case("right", None, "matches"), run("matches")))
        self.assertIsNone(complaint(Case("noise", None, "not_explained"), run("not_explained")))

    def test_wrong_answers_do_not(self):
        for answer in (run("matches"), run("not_explained"), run("fault"), run("fault", explanation("layout", 1e-8)),
                       run("fault", explanation("base", 1e-8), code=0), run("fault", explanation("base + layout", 1e-8)),
                       Run([], 2, "", "posenc: no\n"), run("fault", {**explanation("base", 1e-8), "fix": ""})):
            self.assertIsNotNone(complaint(self.FAULT, answer), str(answer))
        self.assertIsNotNone(complaint(self.BOTH, run("fault", explanation("base", 1e-8))))

    def test_order(self):
        self.assertIsNone(disorder([explanation("base", 1.1e-8), explanation("sign", 1e-8), explanation("layout", 0.1)]))
        self.assertIsNotNone(disorder([explanation("base", 0.1), explanation("sign", 1e-3)]))
        self.assertIsNotNone(disorder([explanation("base + sign", 1e-8), explanation("layout", 1e-8)]))
        self.assertIsNotNone(disorder([explanation("layout", 1e-8), explanation("base + sign", 1e-3)]))
        self.assertIsNotNone(disorder([{**explanation("base + sign", 1e-8), "faults": ["base"]}]))


class Samples(unittest.TestCase):
    def test_have_one_of_each_group_and_are_the_same_each_time(self):
        cases = [Case(f"{i}", None, "matches", groups=((i % 7,), (i % 5,))) for i in range(100)]
        chosen = sample(cases, 20)
        self.assertEqual({g for case in chosen for g in case.groups}, {g for case in cases for g in case.groups})
        self.assertEqual(chosen, sample(list(reversed(cases)), 20))
        self.assertEqual(len(chosen), 20)
        self.assertEqual(len(sample(cases, 1000)), 100)


if __name__ == "__main__":
    unittest.main()
