"""The recorded numbers of tests/golden that have configs: groups of layers with their tables and rotated queries."""

import dataclasses
import json
import pathlib

import numpy as np

GOLDEN = pathlib.Path(__file__).resolve().parents[2] / "golden"
FOLDERS = ("rotary", "axes", "scaling", "places", "query", "models")


@dataclasses.dataclass(frozen=True)
class Group:
    case: str
    config: dict
    group: dict

    @property
    def name(self):
        kind, call = self.group.get("layer_type"), self.group.get("call")
        return "/".join([self.case, *([str(kind)] if kind else []), *([f"call {call}"] if call is not None else [])])

    def array(self, key):
        return np.array(self.group[key], float)

    def positions(self, key):
        """[N], or [N, A] of several axes. Text through a model of several axes has the same number on all."""
        ids = self.array(key)
        return ids if ids.ndim == 1 or self.has_axes else ids[:, 0]

    @property
    def has_axes(self):
        return "axis_of_pair" in self.group or "axes" in self.group

    @property
    def rope(self):
        """The dictionary of the scaling, of the layer type where there is one of each."""
        text = self.config.get("text_config", self.config)
        found = text.get("rope_parameters") or text.get("rope_scaling") or {}
        return found.get(self.group.get("layer_type"), found)


def load(path):
    return json.loads((GOLDEN / path).read_text())


def model_files():
    """Names like a-..., b-...: configs of models."""
    return sorted(path for folder in FOLDERS for path in (GOLDEN / folder).glob("[a-d]-*.json"))


def groups():
    """Groups of layers that rotate."""
    found = []
    for path in model_files():
        file = json.loads(path.read_text())
        found += [Group(file["case"], file["config"], group) for group in file["groups"] if group["rope"]]
    return found
