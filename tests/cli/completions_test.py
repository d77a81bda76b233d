"""posenc completions: what shells suggest. Shells that are not installed are passed over, bash never is."""

import re
import shutil
import subprocess
import unittest

from command import Case, program

# Words as bash cuts them: at ':' and '=' too.
BASH = r"""
source "$1"
shift
COMP_WORDS=(posenc "$@")
COMP_CWORD=$#
_posenc
printf '%s\n' "${COMPREPLY[@]}"
"""


class Completions(Case):
    def script(self, shell):
        done = self.run_posenc("completions", shell)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        path = self.folder / f"posenc.{shell}"
        path.write_bytes(done.stdout)
        return path

    def bash(self, *words):
        done = subprocess.run(["bash", "-c", BASH, "bash", str(self.script("bash")), *words], cwd=self.folder,
                              capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash(self):
        self.assertEqual(self.bash("plo"), ["plot"])
        self.assertEqual(self.bash("plot", "hea"), ["heatmap"])
        self.assertEqual(self.bash("plot", "bias", "ali"), ["alibi"])  # a figure that is also a command
        self.assertEqual(self.bash("table", "--dt"), ["--dtype"])
        self.assertEqual(self.bash("table", "--dtype", "b"), ["bf16"])
        self.assertEqual(self.bash("table", "sinusoidal", ":", "width", "=", "4", "--dtype", "f3"), ["f32"])
        self.assertEqual(self.bash("plot", "--theme", "dark", "wavel"), ["wavelengths"])  # a value is no place
        self.assertEqual(self.bash("plot", "heatmap", "--format", "p"), ["png", "pdf"])
        self.assertEqual(self.bash("compare", "rotary", ":", "head_dim", "=", "4", "ali"), ["alibi"])  # the second place
        self.assertEqual(self.bash("compare", "--tol"), ["--tolerance"])
        self.assertEqual(self.bash("plot", "--posi"), ["--positions"])  # and not --position, a former name
        self.assertEqual(self.bash("demo", ""), ["permutation", "order", "gradient"])
        self.assertEqual(self.bash("demo", "order", "--wi"), ["--width"])
        self.assertEqual(self.bash("completions", ""), ["bash", "zsh", "fish"])
        self.assertIn("--version", self.bash("--"))
        (self.folder / "wpe.npy").touch()
        self.assertEqual(self.bash("plot", "wp"), [])  # no file is a figure
        self.assertEqual(self.bash("plot", "heatmap", "wp"), ["wpe.npy"])
        self.assertEqual(self.bash("completions", "bash", ""), [])
        self.assertEqual(self.bash("plot", "heatmap", "learned", "--file", "wp"), ["wpe.npy"])

    def test_every_command_of_the_help_is_there(self):
        listed = self.commands()
        self.assertGreater(len(listed), 10)
        self.assertEqual(self.bash(""), listed)

    @unittest.skipUnless(shutil.which("zsh"), "there is no zsh")
    def test_zsh_reads_it(self):
        subprocess.run(["zsh", "-n", str(self.script("zsh"))], check=True)

    def test_zsh_names_options_and_figures(self):
        text = self.script("zsh").read_text()
        self.assertTrue(text.startswith("#compdef posenc\n"))
        self.assertRegex(text, r"'--dtype\[[^\]]*.*\]:value:\(f64 f32 f16 bf16\)'")
        self.assertIn("'1:FIGURE:(heatmap ", text)

    @unittest.skipUnless(shutil.which("fish"), "there is no fish")
    def test_fish(self):
        script = self.script("fish")
        (self.folder / "wpe.npy").touch()
        for line, expected in (("posenc completions ", ["bash", "fish", "zsh"]), ("posenc completions bash ", []),
                               ("posenc plot wpe.n", []), ("posenc plot heatmap hea", []), ("posenc plot heatmap wpe.n", ["wpe.npy"]),
                               ("posenc plot bias ali", ["alibi"]), ("posenc plot --theme dark hea", ["heatmap"]),
                               ("posenc plot --theme dark heatmap hea", []), ("posenc list ali", ["alibi"]),
                               ("posenc list wpe.n", []), ("posenc list alibi ali", []),
                               ("posenc plot heatmap learned --file wp", ["wpe.npy"]),
                               ("posenc plo", ["plot"]), ("posenc plot hea", ["heatmap"]), ("posenc table --dt", ["--dtype"]),
                               ("posenc table --dtype b", ["bf16"]), ("posenc demo or", ["order"])):
            done = subprocess.run(["fish", "--no-config", "-c", f"source {script}; complete -C '{line}'"],
                                  cwd=self.folder, capture_output=True, text=True, check=True)
            self.assertEqual([each.split("\t")[0] for each in done.stdout.splitlines()], expected, line)

    def test_fish_names_options_and_figures(self):
        text = self.script("fish").read_text()
        self.assertIn("-l dtype -x -a 'f64 f32 f16 bf16'", text)
        self.assertRegex(text, r"complete -c posenc -n '__posenc_at plot; and test [^']* -eq 0' -a 'heatmap ")

    def test_another_shell_is_refused(self):
        self.assertEqual(self.run_posenc("completions", "tcsh").returncode, 2)
        self.assertTrue(program())


if __name__ == "__main__":
    unittest.main()
