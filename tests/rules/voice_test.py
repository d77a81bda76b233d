"""Each habit of the list is noticed, and plain English that looks like one is not."""

import pathlib
import tempfile

import voice

# A habit, and what an editor made of it.
HABITS = [
    ("the layout is no rotation, and what is none cannot be undone", "the layout is not a rotation, so it has no inverse"),
    ("channels that are no multiple of four", "channels that are not a multiple of four"),
    ("queries turned by their positions", "queries rotated by their positions"),
    ("a head turning with the position", "a head rotating with the position"),
    ("the slowest pair turns once in 47117 positions", "the slowest pair completes a turn in 47117 positions"),
    ("Which channels turn together", "Which channels are rotated together"),
    ("all turn", "all are rotated"),
    ("the views must be apart", "the views must not overlap"),
    ("tells neighbours apart", "distinguishes neighbours"),
    ("where it stands in the row", "where it is in the row"),
    ("as if they stood far on in a text", "as if they were far into a text"),
    ("where there is no name", "if there is no name"),
    ("Where there are heads", "With heads"),
    ("Compile what explains, checks and draws", "Build the insight layer (explain, check, plot)"),
    ("print what is not default", "print the fields that differ from their defaults"),
    ("but 'x' is neither", "'x' is neither a spec nor a file"),
    ("Who goes to sleep announces it and then looks once more.", "A thread increments sleepers_ before it rechecks for work."),
    ("a hint for who reads, no verdict", "a hint for those who read it, not a verdict"),
    ("Several values are parted by commas", "Separate values with commas"),
    ("every so manieth layer looks far", "every Nth layer is global"),
    ("it goes without learned numbers", "no learned parameters"),
    ("its strides lead beyond", "strides reach past the end of the address space"),
    ("nothing is said of the part 'vision'", "part 'vision' is skipped"),
    ("how to mend it", "how to fix it"),
    ("the border lies at the wrong pair", "the border is at the wrong pair"),
    ("of pope and xpos: the input are keys", "pope and xpos only: treat the input as keys"),
    ("posenc: [make_figure] no figure is called 'heat'", "posenc: no figure is called 'heat'"),
]
# Sentences with the same words, as people write them.
PLAIN = [
    "one turn in 6.28319 positions, and sine and cosine in turn", "a 64-bit fraction of a turn", "turn off the log",
    "pairs complete 2.5 turns within the trained length", "posenc and its peers take turns", "what follows turns into a warning", "A turn is 2 pi.", "a rule that turns positions into numbers", "of it: built", "clocks, turn, layouts", " turns.", "{{turn.id}}", "' is neither ",
    "it returns the number of turns per position", "There is no file", "there are no heads", "which no longer works",
    "it is no larger than 4", "apart from that", "B stands for the batch", "the standard output", "a stand-in for a model",
    "Where is it?", "who uses which", "Who is it for?", "values lie between -1 and 1", "lay out the page", "what is drawn below",
    "it is neither a spec nor a file", "layers of two: one", "an understanding", "recommended", "It goes without saying.",
]
# (file, its text, whether it has a habit)
FILES = [
    ("docs/page.md", "Two views\nare apart.\n", True),
    ("docs/page.md", "It is where\nthere is room.\n", True),
    ("docs/page.md", "Call `turn(x)`, which [turns](apart.md).\n", True),
    ("docs/page.md", "Call `turn(x)`, see [this](apart.md).\n", False),
    ("docs/page.md", "Not `apart`.\n- Not `apart`.\n", False),
    ("docs/page.md", "| a | all turn |\n", True),
    ("docs/page.md", "| a | all `turn` |\n", False),
    ("docs/page.md", "```console\n$ echo apart\nwide\n```\n", False),
    ("docs/page.md", "```console\n$ echo x\nwide apart\n```\n", True),
    ("docs/page.md", "```cpp\nint apart = 1;  // wide\n```\n", False),
    ("docs/page.md", "```cpp\nint x = 1;  // wide apart\n```\n", True),
    ("docs/page.md", "```json\n{\"a\": \"wide apart\"}\n```\n", False),
    ("src/x.cc", "int apart = 1;\n", False),
    ("src/x.cc", "#include \"core/apart x.h\"\nconst char* k = \"apart\";\n", False),
    ("src/x.cc", "refuse(\"x must be apart\");\n", True),
    ("src/x.cc", "// It is where\n// there is room.\nint x;\n", True),
    ("src/x.cc", "int x;  // both are apart\n", True),
    ("src/x.cc", "int x;  // what `turn` writes\n", False),
    ("src/x.jsonl", "{\"fix\": \"mend it\"}\n", True),
    ("docs/lesson.html", "<p>apart</p>\n", False),
]
SUMMARIES = [("Add an encoding to embeddings", 0), ("An encoding into embeddings", 1), ("Which encoding a model uses", 1),
             ("What an encoding promises.", 2), ("Draw a figure.", 1), ("attention with encodings", 1), ("Show what an encoding adds", 0)]


def in_tree(name, text):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        path = root / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
        return list(voice.in_files(root, voice.files_of(root, [name.split("/")[0]])))


def mistakes():
    for habit, better in HABITS:
        if not list(voice.habits(habit)):
            yield f"not noticed: {habit}"
        PLAIN.append(better)
    for sentence in PLAIN:
        for found, *_ in voice.habits(sentence):
            yield f"plain, but '{found}' was noticed: {sentence}"
    noticed = {instead for habit, _ in HABITS for _, instead, _ in voice.habits(habit)}
    for _, instead in voice.HABITS:
        if instead not in noticed:
            yield f"no sentence shows the habit against: {instead}"
    for name, text, bad in FILES:
        if bool(in_tree(name, text)) != bad:
            yield f"{'not noticed' if bad else 'noticed'} in {name}: {text!r}"
    for summary, count in SUMMARIES:
        if len(list(voice.summary_faults("x", summary))) != count:
            yield f"expected {count} faults of the summary: {summary}"


def run():
    found = list(mistakes())
    for mistake in found:
        print(mistake)
    print(f"{len(HABITS)} habits, {len(PLAIN)} plain sentences, {len(found)} mistakes")
    return 1 if found else 0
