"""The layers of the library, and who may include what. A new file of include/ or src/ gets its place in LAYERS."""

from tree import includes

# From the bottom up: a file may include its own layer and those that its layer uses. A member is a stem, for the header
# and the source of that name, or a path below src/ without its ending; a folder ends with '/'.
LAYERS = {
    "words": {
        "uses": [],
        "members": """export version error nearest view half position position_text spec spec_text resize_rule
                      workers detail/thread_pool
                      attention_spec query_spec order layout scaling detail/scaling_fields
                      detail/number_text detail/fields detail/kind_fields detail/attention_fields detail/query_fields detail/enum_field detail/sinusoidal_pairs detail/rotary_window detail/axis_map
                      detail/utf8 detail/quotable detail/float_types detail/philox detail/sin_cos_terms
                      detail/aligned_vector detail/high_product detail/memory_overlap""",
    },
    "numbers": {
        "uses": ["words"],
        "members": "parameters detail/bound_parameters phase schedule random learned detail/learned_read detail/double_double detail/sin_cos detail/real_phase detail/sinusoidal_frequencies rotary_schedule scalings/",
    },
    # What every operation means, in plain double: it shares nothing with the fast path but the words.
    "reference": {
        "uses": ["words"],
        "members": "reference reference/",
    },
    # The only place that knows an instruction set.
    "kernels": {
        "uses": ["words"],
        "members": "kernels/",
    },
    "operations": {
        "uses": ["words", "numbers", "kernels"],
        "members": """table input_rows embed embed_backward position_ids packed_positions grid_positions vision_positions axial resize resize_taps
                      bias mask score_term attend cache multi_head layer multi_head_backward layer_norm layer_backward score_parts
                      detail/layer_checks detail/linear detail/multi_head_call detail/multi_head_checks detail/layer_call
                      detail/bias_values detail/mask_rows detail/term_values detail/attend_call
                      detail/attend_operands detail/score_tiles detail/attend_forward detail/attend_gradient
                      attend_backward bias_schedule detail/bias_blocks detail/bias_term detail/kerple_term
                      detail/fire_term detail/matrix_term detail/convert_row
                      rotary_table rotate rerotate rotate_channels pope pope_backward detail/pope_call xpos query_temperature detail/rotary_rows detail/rotate_checks
                      detail/rotate_tokens detail/channel_head detail/turn_channels detail/angle_rows detail/pair_writer detail/row_maker detail/row_source detail/axes_source
                      detail/check_rows detail/for_each_row detail/dropout_rows
                      detail/embed_checks detail/learned_gradient detail/id_view detail/resize_check detail/columns""",
    },
    "files": {
        "uses": ["words", "numbers", "operations"],
        "members": """array file json json_reader npy npy_writer safetensors safetensors_header safetensors_writer
                      spec_json load load_array load_layer detail/read_file detail/shape detail/load_bits detail/view_writer
                      detail/npy_header detail/safetensors_format detail/load_array detail/file_format
                      detail/descriptor detail/byte_stream gguf gguf_header detail/gguf_cursor detail/gguf_format
                      detail/gguf_header""",
    },
    # What a model's own files say of its encodings. catalog/ and the table of model types are compiled in from sources that the build writes.
    "models": {
        "uses": ["words", "numbers", "operations", "files"],
        "members": "model models/ catalog compare compare/",
    },
    "insight": {
        "uses": ["words", "numbers", "reference", "operations", "files", "models"],
        "members": """explain explain_sinusoidal explain_learned explain_axes detail/explain_axes explain_rotary explain_pairs explain_bias explain_term
                      detail/explain_pairs detail/explain_sinusoidal detail/explain_learned
                      detail/explain_rotary explain_scaling detail/explain_scaling context_plan explain_mask detail/explain_mask explain_query detail/explain_query detail/explain_text detail/sinusoidal_symbols
                      terminal terminal_drawing detail/terminal_color detail/terminal_canvas
                      shell subject detail/subject_numbers check detail/insight insight/
                      analysis analysis_rows analysis_nearest analysis_distance analysis_entropy analysis_length
                      analysis_model analysis_precision detail/walk_rows detail/sample
                      expression exercises exercises_shared exercises_sinusoidal exercises_learned exercises_axes exercises_rotary
                      exercises_bias exercises_function exercises_term exercises_mask exercises_query exercises_grade exercises_sheet
                      detail/exercise_sheet detail/exercise_kinds
                      drawing drawing_color detail/font_widths detail/drawing_check detail/base64 palette_png svg plot
                      published figure figures/
                      diagnose diagnose/
                      demonstration demonstration_order detail/demonstration_model
                      advise report lesson/ detail/html detail/page_assets detail/page_limit detail/compare_tables
                      detail/chart detail/chart_page detail/chart_panel detail/chart_heat detail/figure_call""",
    },
    "umbrella": {
        "uses": ["words", "numbers", "reference", "operations", "files", "models", "insight"],
        "members": "posenc",
    },
}

# Libraries of others, and the one place of each.
OTHERS = {"hwy/": "src/kernels/", "nlohmann/": "src/json_reader.cc", "cairo": "src/plot.cc"}
# A front end may use its own folder, the public headers, and the folders named here.
FRONT_ENDS = {"cli": ["bench"], "bench": [], "examples": []}


def layer_of(path):
    for prefix in ("include/posenc/", "src/"):
        if path.startswith(prefix):
            name = path[len(prefix):].rsplit(".", 1)[0]
            for layer, entry in LAYERS.items():
                for member in entry["members"].split():
                    if name == member or (member.endswith("/") and name.startswith(member)):
                        return layer
    return None


def place(file):
    """Every file of the library has a layer."""
    if file.is_cpp and file.folder in ("include", "src") and layer_of(file.path) is None:
        yield 1, "has no layer: add it to LAYERS in tests/rules/layers.py"


def look_down(file, paths):
    """The library includes itself downwards, and the libraries of others in one place each."""
    layer = layer_of(file.path) if file.is_cpp else None
    if layer is None:
        return
    for number, bracket, name in includes(file):
        target = resolve(name, paths)
        other = next((prefix for prefix in OTHERS if name.startswith(prefix)), None)
        if other:
            if not file.path.startswith(OTHERS[other]):
                yield number, f"includes {name}, which only {OTHERS[other]} may"
        elif target is None:
            if bracket == '"' or ("/" in name and not name.startswith("sys/")):
                yield number, f"includes {name}, which is neither posenc's nor the standard library's"
        elif file.folder == "include" and not target.startswith("include/"):
            yield number, f"is public but includes {name}, which is not installed"
        elif layer_of(target) not in (layer, None, *LAYERS[layer]["uses"]):
            yield number, f"of layer '{layer}' includes {name} of layer '{layer_of(target)}'"


def resolve(name, paths):
    return next((path for path in (f"include/{name}", f"src/{name}") if path in paths), None)


def front_ends(file, paths):
    """Front ends use public headers only: that is the proof that the interface is enough."""
    if not file.is_cpp or file.folder not in FRONT_ENDS:
        return
    own = [file.folder, *FRONT_ENDS[file.folder]]
    here = file.path.rsplit("/", 1)[0]
    for number, bracket, name in includes(file):
        mine = [f"{here}/{name}", name, *(f"{folder}/{name}" for folder in own)]
        is_own = any(path in paths and path.split("/")[0] in own for path in mine)
        is_public = f"include/{name}" in paths
        is_system = bracket == "<" and f"src/{name}" not in paths and not name.startswith("posenc/")
        if not (is_own or is_public or is_system):
            yield number, f"includes {name}, which is neither a public header nor its own"


def umbrella(file, paths):
    """posenc/posenc.h is all of posenc."""
    if file.path != "include/posenc/posenc.h":
        return
    included = {f"include/{name}" for _, _, name in includes(file)}
    for path in sorted(paths):
        if path.startswith("include/posenc/") and path not in included | {file.path, "include/posenc/export.h"}:
            yield 1, f"does not include {path[len('include/'):]}"
