"""All options of all commands: one name for one meaning, and one meaning for one name."""

import collections
import re
import unittest

from command import Case

# Names whose values are written differently in two commands, although they mean the same.
SEVERAL_FORMS = {
    "--documents": "positions takes typed ids too, attend a file",
    "--mask": "positions takes a typed mask too, attend a file; 0 hides in both",
    "--scores": "explain takes typed scores, diagnose a file",
}
# Commands in which a letter would be confused with the word of the same letter: --q FILE and -q POSITIONS.
NO_LETTER = {"attend", "diagnose"}

# What a description speaks of, and the only names that such an option may have.
CONCEPTS = {
    r"\bseed\b": {"--seed", "--dropout-seed", "--grade"},
    r"\bwords\b|\bsentence\b": {"--words", "--other", "--permutation"},
    r"^positions of (the )?keys": {"--keys"},
    r"embeddings.*(\.npy|from a file)": {"--input", "--tokens"},
    r"token ids": {"--tokens", "--pad-token"},
    r"trained on": {"--trained"},
    r"in points|pixels": {"--picture-width", "--picture-height", "--picture-scale"},
    r"number of threads": {"--threads"},
    r"format|\btext, json": {"--format"},
}

# A line of help: "  -p, --positions POSITIONS 0:100 (0 to 99)", and the lines that continue it.
OPTION = re.compile(r"^  (?:-(\w), )?(--[a-z0-9-]+)(?: ([A-Z=]+)(?: \.\.\.)?)?(?= {2,}|$| )(.*(?:\n {20,}.*)*)", re.MULTILINE)


def meaning(text):
    """The description without what only says where the option applies."""
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r"\(default:.*", "", text)
    text = re.sub(r"^(with|instead of) --?[a-z -]+: |^[a-z0-9, _]+ only: |^also ", "", text)
    return text.strip(" ;.").lower()


class Options(Case):
    def all_options(self):
        """(command, letter or None, name, value or None, meaning) of every option."""
        commands = [(name,) for name in self.commands() if name not in ("demo", "help")]
        commands += [("demo", name) for name in ("permutation", "order", "gradient")]
        found = []
        for words in commands:
            text = self.run_posenc("help", *words).stdout.decode()
            rows = [(" ".join(words), *row[:3], meaning(row[3])) for row in OPTION.findall(text)]
            self.assertIn(("h", "--help"), [row[1:3] for row in rows], words)
            found += rows
        self.assertGreater(len(found), 300)
        return found

    def gather(self, key, value):
        """The values of each key, with the commands in which they occur."""
        found = collections.defaultdict(lambda: collections.defaultdict(list))
        for row in self.all_options():
            found[key(row)][value(row)].append(row[0])
        return found

    def test_one_meaning_has_one_name(self):
        for text, names in self.gather(lambda row: row[4], lambda row: row[2]).items():
            self.assertEqual(len(names), 1, f"'{text}' has several names: {dict(names)}")

    def test_a_concept_has_one_name(self):
        for command, _, name, _, text in self.all_options():
            for concept, names in CONCEPTS.items():
                if re.search(concept, text):
                    self.assertIn(name, names, f"{command} {name}: {text}")

    def test_one_name_has_one_form_of_value(self):
        for name, values in self.gather(lambda row: row[2], lambda row: row[3]).items():
            if name in SEVERAL_FORMS:
                self.assertGreater(len(values), 1, f"{name} has one form now: remove it from SEVERAL_FORMS")
            else:
                self.assertEqual(len(values), 1, f"{name} has several forms: {dict(values)}")

    def test_a_letter_belongs_to_one_name_everywhere(self):
        names = {name: letter for _, letter, name, _, _ in self.all_options() if letter}
        self.assertEqual(len(set(names.values())), len(names), names)
        for command, letter, name, _, _ in self.all_options():
            if command not in NO_LETTER:
                self.assertEqual(letter, names.get(name, ""), f"{name} of {command}")


if __name__ == "__main__":
    unittest.main()
