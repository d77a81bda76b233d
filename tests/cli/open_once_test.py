"""Every command opens each of its inputs once: specs are parsed, models resolved and arrays read a single time."""

import collections
import json
import os
import re
import shutil
import struct
import subprocess
import tempfile
import unittest

import numpy

from command import Case, environment, safetensors, sanitized

# Writes the path of every file that is opened to the file OPENED.
SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void note(const char* path) {
  const char* log = getenv("OPENED");
  if (!log || !path) return;
  int file = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_APPEND | O_CREAT, 0600);
  char line[4096];
  int size = snprintf(line, sizeof line, "%s\n", path);
  if (write(file, line, (size_t)size) != size) abort();
  close(file);
}
static mode_t mode_of(int flags, va_list list) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0; }
#define OPEN(name)                                                             \
  int name(const char* path, int flags, ...) {                                 \
    va_list list;                                                              \
    va_start(list, flags);                                                     \
    const mode_t mode = mode_of(flags, list);                                  \
    va_end(list);                                                              \
    note(path);                                                                \
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);              \
  }
#define OPENAT(name)                                                           \
  int name(int folder, const char* path, int flags, ...) {                     \
    va_list list;                                                              \
    va_start(list, flags);                                                     \
    const mode_t mode = mode_of(flags, list);                                  \
    va_end(list);                                                              \
    note(path);                                                                \
    return (int)syscall(SYS_openat, folder, path, flags, mode);                \
  }
#define FOPEN(name)                                                            \
  FILE* name(const char* path, const char* mode) {                             \
    FILE* (*real)(const char*, const char*) = (FILE* (*)(const char*, const char*))dlsym(RTLD_NEXT, #name); \
    note(path);                                                                \
    return real(path, mode);                                                   \
  }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
FOPEN(fopen)
FOPEN(fopen64)
"""

LLAMA = {"model_type": "llama", "hidden_size": 16, "num_attention_heads": 4, "num_key_value_heads": 4,
         "num_hidden_layers": 2, "max_position_embeddings": 64, "rope_theta": 10000.0}
GPT2 = {"model_type": "gpt2", "n_embd": 8, "n_head": 2, "n_layer": 2, "n_positions": 16}

LISTED = "rotary:head_dim=4,inv_freq=@freq.npy"
HEADS = ["--q", "q.npy", "--k", "k.npy", "--v", "v.npy"]

# Of every command that takes a SPEC: arguments whose files are each to be opened once.
CASES = {
    "table": [["table", "sin.json", "-p", "@ids.npy"], ["table", LISTED, "-p", "0:4"],
              ["table", "config.json", "-p", "@ids.safetensors:ids", "--layer", "1"],
              ["table", "learned.json", "--file", "table.npy", "-p", "0:4"],
              ["table", "model", "-p", "0:4"],
              ["table", "model.gguf", "-p", "0:4"],
              ["table", "concat:0.axis=0,0.kind=learned,0.past_end=error,1.axis=1,1.kind=learned,1.past_end=error", "--file", "table.npy",
               "--file", "1=wpe.npy", "-p", "1/2"]],
    "add": [["add", "sin.json", "-i", "x.npy", "-p", "@ids.npy"], ["add", "sin.json", "-i", "x.npy", "-p", "@batch.npy"],
            ["add", "gpt2.json", "-i", "x.npy", "--file", "table.safetensors:wpe"],
            ["add", "gpt2.json", "-i", "x.npy", "--file", "one.safetensors"]],
    "rotate": [["rotate", "config.json", "-i", "q.npy", "-p", "@ids.npy"], ["rotate", LISTED, "-i", "q.npy"],
               ["rotate", "temperature:length=4", "-i", "q.npy", "-p", "@ids.npy"],
               ["rotate", "rot.json", "-i", "q.npy", "-p", "@ids.npy", "--to-spec", "rotary:head_dim=4,base=500"],
               ["rotate", "rot.json", "-i", "q.npy", "--to-spec", "config.json", "--part", "text"],
               ["rotate", "rotary:head_dim=4,layout=interleaved", "-i", "q.npy", "--to-spec", "model.gguf", "--layer", "1"],
               ["rotate", "rot.json", "-i", "q.npy", "--to-spec", "model"],
               ["rotate", "rot.json", "-i", "q.npy", "-p", "@ids.npy", "--to-positions", "@to.npy"],
               ["rotate", "pope:head_dim=4", "-i", "k.npy", "--as-keys", "--delta", "delta.npy"]],
    "bias": [["bias", "t5.json", "--file", "t5.npy", "-q", "@ids.npy"],
             ["bias", "t5.json", "--file", "t5.safetensors", "-q", "0:4"],
             ["bias", "kerple:heads=2", "--file", "kerple.safetensors", "-q", "0:4"],
             ["bias", "t5.json", "--parameter", "table=t5.npy", "-q", "0:4", "-k", "@ids.npy"],
             ["bias", "alibi.json", "-q", "0:4"]],
    "attend": [["attend", "config.json", *HEADS, "--positions", "@ids.npy"],
               ["attend", LISTED, "t5h4.json", "--parameter", "table=t5h4.npy", *HEADS, "--sinks", "sinks.npy"],
               ["attend", "rot.json", "window:left=2", *HEADS, "--positions", "@ids.npy", "--key-mask", "keys.npy"],
               ["attend", "rot.json", *HEADS, "--mask", "pairs.npy", "--documents", "ids.npy"]],
    "layer": [["layer", "sin.json", "alibi.json", "-i", "x.npy", "--heads", "2", "--model", "heads.safetensors"],
              ["layer", "gpt2.json", "--file", "table.npy", "-i", "x.npy", "--heads", "2"],
              ["layer", "t5.json", "--file", "t5.npy", "--random", "4x8", "--heads", "2"]],
    "demo": [["demo", "permutation", "--encoding", "sin32.json", "--encoding", "rotary:head_dim=8,inv_freq=@freq4.npy"],
             ["demo", "permutation", "--width", "16", "--encoding", "config.json", "--encoding", "model.gguf", "--layer",
              "1"],
             ["demo", "permutation", "--width", "16", "--encoding", "model"]],
    "check": [["check", "sin.json", "-p", "@ids.npy", "--table", "x.npy"], ["check", "config.json", "-p", "0:20"],
              ["check", "learned.json", "--file", "table.npy", "-p", "0:4"], ["check", LISTED, "-p", "0:20"],
              ["check", "t5.json", "--file", "t5.safetensors", "-p", "0:4"]],
    "plan": [["plan", "config.json", "--trained", "16", "--target", "32"],
             ["plan", "rot.json", "--trained", "16", "--target", "32"]],
    "show": [["show", "config.json"], ["show", "model"], ["show", "model.gguf", "--layer", "0"]],
    "compare": [["compare", "config.json", "rot.json"], ["compare", "model", "model.gguf"],
                ["compare", LISTED, "rot.json"]],
    "diagnose": [["diagnose", "config.json", "--input", "q.npy", "--rotated", "k.npy", "-p", "@ids.npy"],
                 ["diagnose", "rot.json", "--inject", "sign", "--picture", "out.svg"],
                 ["diagnose", "config.json", "--inject", "base=500", "--picture", "out.svg", "-p", "@ids.npy"],
                 ["diagnose", "t5.json", "--bias", "bias.npy", "--file", "t5.npy"],
                 ["diagnose", "learned.json", "--table", "x.npy", "--file", "table.npy", "-p", "@ids.npy"],
                 ["diagnose", LISTED, "--inv-freq", "freq2.npy"],
                 ["diagnose", "model.gguf", "--inv-freq", "freq2.npy", "--layer", "1", "--part", "text"],
                 ["diagnose", "kerple:heads=2", "--bias", "bias.npy", "--file", "kerple.safetensors"]],
    "resize": [["resize", "learned.json", "--file", "table.npy", "--to", "8"],
               ["resize", "gpt2.json", "--file", "table.npy", "--to", "8", "--part", "text"],
               ["resize", "--file", "table.safetensors:wpe", "--to", "8", "-o", "out.safetensors"],
               ["resize", "--file", "one.safetensors", "--to", "8", "-o", "out.safetensors"],
               ["resize", "--file", "table.npy", "--to", "8", "-o", "out.safetensors"]],
    "explain": [["explain", "sin.json", "-p", "1"], ["explain", "config.json", "-p", "1"], ["explain", LISTED, "-p", "1"],
                ["explain", "learned.json", "--file", "table.npy", "-p", "1"],
                ["explain", "t5.json", "--file", "t5.npy", "--queries", "@ids.npy"]],
    "plot": [["plot", "heatmap", "sin.json", "-p", "@ids.npy", "--format", "csv"],
             ["plot", "wavelengths", "config.json", "--format", "json"],
             ["plot", "heatmap", "learned.json", "--file", "table.npy", "--format", "csv"],
             ["plot", "bias", "t5.json", "--file", "t5.npy", "--format", "csv"]],
    "exercises": [["exercises", "sin.json"], ["exercises", "config.json"],
                  ["exercises", "sin.json", "--grade", "answers.txt"]],
    "report": [["report", "sin.json", LISTED], ["report", "config.json", "alibi.json"],
               ["report", "learned.json", "--file", "table.npy"]],
}




def gguf():
    """The smallest llama of llama.cpp."""
    def text(value):
        return struct.pack("<Q", len(value)) + value.encode()
    numbers = {"llama.embedding_length": 16, "llama.attention.head_count": 4, "llama.block_count": 2,
               "llama.context_length": 64, "llama.rope.dimension_count": 4}
    entries = [text("general.architecture") + struct.pack("<I", 8) + text("llama")]
    entries += [text(key) + struct.pack("<II", 4, value) for key, value in numbers.items()]
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(entries)) + b"".join(entries)


@unittest.skipIf(sanitized(), "sanitizers must be loaded first")
class OpenOnce(Case):
    @classmethod
    def setUpClass(cls):
        compiler = shutil.which("cc") or shutil.which("gcc")
        if not compiler:
            raise unittest.SkipTest("there is no C compiler")
        cls.library = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.library.cleanup)
        cls.shim = os.path.join(cls.library.name, "shim.so")
        subprocess.run([compiler, "-shared", "-fPIC", "-xc", "-", "-o", cls.shim, "-ldl"], input=SHIM.encode(),
                       check=True)

    def setUp(self):
        super().setUp()
        draw = numpy.random.default_rng(7)
        floats = lambda *shape: draw.standard_normal(shape).astype(numpy.float32)
        table, ids = floats(16, 8), numpy.arange(4)
        arrays = {"x": floats(4, 8), "q": floats(4, 4, 4), "k": floats(4, 4, 4), "v": floats(4, 4, 4), "table": table,
                  "wpe": floats(16, 8), "ids": ids, "to": ids + 3, "batch": ids.reshape(1, 4), "t5": floats(32, 2),
                  "t5h4": floats(32, 4), "bias": floats(2, 4, 4), "delta": floats(4, 4), "sinks": floats(4),
                  "keys": numpy.ones(4, dtype=bool), "pairs": numpy.ones((4, 4), dtype=bool),
                  "freq": numpy.array([1.0, 0.01]), "freq2": numpy.array([1.0, 0.02]),
                  "freq4": numpy.array([1.0, 0.1, 0.01, 0.001])}
        for name, array in arrays.items():
            numpy.save(self.folder / f"{name}.npy", array)
        tensors = {"table": {"wpe": table, "other": floats(2)}, "one": {"wpe": table}, "ids": {"ids": ids},
                   "t5": {"table": arrays["t5"]},
                   "heads": {"in_proj_weight": floats(24, 8), "out_proj.weight": floats(8, 8)},
                   "kerple": {"p": floats(2) ** 2 + 1, "a": floats(2) ** 2 + 1}}
        for name, some in tensors.items():
            (self.folder / f"{name}.safetensors").write_bytes(safetensors(**some))
        specs = {"sin": {"kind": "sinusoidal", "width": 8}, "sin32": {"kind": "sinusoidal", "width": 32},
                 "learned": {"kind": "learned", "past_end": "error"}, "rot": {"kind": "rotary", "head_dim": 4},
                 "t5h4": {"kind": "t5", "heads": 4}, "t5": {"kind": "t5", "heads": 2},
                 "alibi": {"kind": "alibi", "heads": 2}, "config": LLAMA, "gpt2": GPT2}
        for name, spec in specs.items():
            (self.folder / f"{name}.json").write_text(json.dumps(spec))
        (self.folder / "model").mkdir()
        (self.folder / "model" / "config.json").write_text(json.dumps(LLAMA))
        (self.folder / "model.gguf").write_bytes(gguf())
        (self.folder / "answers.txt").write_text("q1: 1\n")
        self.inputs = {str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.is_file()}

    def opened(self, arguments):
        """How often each input was opened."""
        log = self.folder / "opened"
        log.unlink(missing_ok=True)
        done = self.run_posenc(*arguments, env=environment(LD_PRELOAD=self.shim, OPENED=str(log)))
        self.assertIn(done.returncode, (0, 1), (arguments, done.stderr.decode()))
        paths = log.read_text().splitlines() if log.exists() else []
        return collections.Counter(path for path in paths if path in self.inputs)

    def named(self, arguments):
        """The inputs that the words of a command name."""
        text = " ".join(arguments)
        found = {name for name in self.inputs if re.search(rf"(^|[ @=]){re.escape(name)}($|[ :,])", text)}
        return found | ({"model/config.json"} if "model" in arguments else set())

    def check(self, command):
        for arguments in CASES[command]:
            with self.subTest(" ".join(arguments)):
                self.assertEqual(self.opened(arguments), {name: 1 for name in self.named(arguments)})

    def test_all_commands_with_a_spec_are_here(self):
        commands = self.commands()
        self.assertIn("table", commands)
        takes = {name for name in commands
                 if re.search(r"^  (SPEC|MODEL|A) ", self.run_posenc(name, "--help").stdout.decode(), re.M)}
        self.assertEqual(takes | {"demo"}, set(CASES))


for command_name in CASES:
    setattr(OpenOnce, f"test_{command_name}", lambda self, name=command_name: self.check(name))


if __name__ == "__main__":
    unittest.main()
