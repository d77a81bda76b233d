"""Runs diagnose on many cases, two at a time, and compares its answers with the faults that were made.

    POSENC_PROGRAM=build/release/cli/posenc python3 injection_test.py [--all] [--only WORDS] [--keep FOLDER] [--procs N]

Without --all a sample runs, the same each time, with every fault of every model in it as far as there is room. --only takes
the cases that have the words in their name; --keep leaves the files of those that fail.
"""

import dataclasses
import json
import multiprocessing
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
import zlib
from collections.abc import Callable

import numpy as np

TIME_LIMIT = 120
OPTIONS = {"all": False, "only": "", "keep": "", "procs": 2}


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    make: Callable  # (path of an empty folder, generator of random numbers) -> arguments
    verdict: str  # matches, fault or not_explained
    faults: tuple = ()  # sets of names, any of which may come first
    groups: tuple = ()  # a sample has one case of each group


def expects(*names):
    """Sets of one name each, for Case.faults."""
    return tuple(frozenset([name]) for name in names)


@dataclasses.dataclass(frozen=True)
class Run:
    arguments: list
    code: int
    out: str
    err: str

    def __str__(self):
        return f"exit {self.code}, {self.err.strip() or brief(self.out)}"


def brief(out):
    """The verdict and the first explanations with their residuals."""
    try:
        answer = json.loads(out)
    except ValueError:
        return out[:200]
    first = [f"{one['fault']} {one['residual']:.2g}" for one in answer.get("explanations", [])[:3]]
    return ": ".join(filter(None, [answer.get("verdict", "no verdict"), ", ".join(first)]))


def diagnose(folder, arguments):
    program = os.path.abspath(os.environ["POSENC_PROGRAM"])
    done = subprocess.run([program, "diagnose", *arguments], cwd=folder, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=TIME_LIMIT)
    return Run(list(arguments), done.returncode, done.stdout.decode(), done.stderr.decode())


def run_case(case):
    """What is wrong with the answer, or None."""
    with tempfile.TemporaryDirectory() as path:
        folder = pathlib.Path(path)
        arguments = case.make(folder, np.random.default_rng(zlib.crc32(case.name.encode())))
        run = diagnose(folder, [*arguments, "--format", "json"])
        problem = complaint(case, run)
        if problem and OPTIONS["keep"]:
            kept = pathlib.Path(OPTIONS["keep"]) / re.sub(r"\W+", "-", case.name)
            shutil.copytree(folder, kept, dirs_exist_ok=True)
            (kept / "arguments").write_text(shlex.join(run.arguments) + "\n")
    return f"{case.name}: {problem}, but got {run}" if problem else None


def complaint(case, run):
    """None if the answer is as expected."""
    codes = {"matches": 0, "fault": 1, "not_explained": 1}
    if run.code != codes[case.verdict]:
        return f"expected exit {codes[case.verdict]}, {wanted(case)}"
    answer = json.loads(run.out)
    if answer["verdict"] != case.verdict:
        return f"expected {wanted(case)}"
    explanations = answer["explanations"]
    if case.verdict == "fault":
        if not explanations or frozenset(explanations[0]["faults"]) not in case.faults:
            return f"expected {wanted(case)}"
        for one in explanations:
            if not one["sentence"] or not one["fix"]:
                return f"{one['fault']} has no sentence or no fix"
    return disorder(explanations)


def wanted(case):
    return " or ".join([case.verdict] if not case.faults else [" + ".join(sorted(names)) for names in case.faults])


def disorder(explanations):
    """In every case, the best comes first, and two faults are named only if no single one fits as well."""
    for at, one in enumerate(explanations):
        for earlier in explanations[:at]:
            simpler = len(one["faults"]) < len(earlier["faults"])
            if simpler and one["residual"] <= earlier["residual"]:
                return f"{earlier['fault']} stands before {one['fault']}, which is simpler and no worse"
            # Two that differ only by rounding may be in either order.
            if not simpler and earlier["residual"] > 2 * one["residual"] + 1e-6:
                return f"{earlier['fault']} stands before {one['fault']}, which is better"
    singles = [one["residual"] for one in explanations if len(one["faults"]) == 1]
    for one in explanations:
        if frozenset(one["faults"]) != frozenset(one["fault"].split(" + ")):
            return f"{one['fault']} is not made of {one['faults']}"
        if len(one["faults"]) > 1 and singles and one["residual"] >= min(singles):
            return f"{one['fault']} is no better than a single fault"
    return None


def sample(cases, count):
    """The first of each group in a shuffled order that depends only on names, then the rest in that order."""
    order = sorted(cases, key=lambda case: zlib.crc32(case.name.encode()))
    seen, kept, rest = set(), [], []
    for case in order:
        fresh = not seen.issuperset(case.groups)
        (kept if fresh else rest).append(case)
        seen.update(case.groups)
    return (kept + rest)[:count]


_cases = []


def _run_index(index):
    return run_case(_cases[index])


class Mass(unittest.TestCase):
    """Checks lists of cases, and names all that fail."""

    def check_all(self, cases, quick):
        global _cases
        names = [case.name for case in cases]
        self.assertEqual(len(names), len(set(names)), "two cases of one name")
        chosen = [case for case in cases if OPTIONS["only"] in case.name]
        _cases = chosen if OPTIONS["all"] or OPTIONS["only"] else sample(chosen, quick)
        with multiprocessing.get_context("fork").Pool(OPTIONS["procs"]) as pool:
            problems = [found for found in pool.map(_run_index, range(len(_cases)), chunksize=4) if found]
        print(f"{len(_cases)} of {len(cases)} cases, {len(problems)} wrong", file=sys.stderr)
        if problems:
            self.fail("\n" + "\n".join(problems))


def main():
    """unittest, with the options above taken out first."""
    words = sys.argv[1:]
    OPTIONS["all"] = "--all" in words
    rest = [word for word in words if word != "--all"]
    for name in ("only", "keep", "procs"):
        if f"--{name}" in rest:
            at = rest.index(f"--{name}")
            OPTIONS[name] = type(OPTIONS[name])(rest[at + 1])
            del rest[at:at + 2]
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    unittest.main(module="__main__", argv=[sys.argv[0], *rest])
