"""The code reads verl's DataProto, where Relax gives it a Sample.

## What

`.non_tensor_batch`, and `.batch["…"]` and `.meta_info` of what is a DataProto: a value annotated so, an item or a
slice of one, or one whose `non_tensor_batch` the same code reads. Keys that only verl has (`responses`,
`token_level_scores` …) give a `.batch[…]` away wherever they are read. Other objects with a `batch` or `meta_info` of
their own are left alone.

## Why

Relax hands a reward one `Sample`, or a list of them, with plain attributes. It has no `batch`, so the first sample
ends the rollout with an AttributeError.

## Source

Guide: ALWAYS use the fields of the `Sample` dataclass; its data field table says which takes the place of which. Texts
are there already decoded: `sample.response` is a string, not token ids.

## Example

    ground_truth = data_item.non_tensor_batch["reward_model"]["ground_truth"]

## Fix

Where a Sample is read as if it were a DataProto item, `ground_truth`, `data_source`, `extra_info` and
`multi_modal_data` become the field that holds the same value. What was a tensor and is a text now needs a person.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from relax_lint.catalog.verl_names import (
    EXACT_FIELDS,
    GROUND_TRUTH,
    NON_TENSOR_ADVICE,
    NON_TENSOR_FIELDS,
    ONLY_VERL_KEYS,
    TENSOR_FIELDS,
)
from relax_lint.diagnostics import Edit, Finding, Fix
from relax_lint.project import Project
from relax_lint.rules import ERROR, Example, rule
from relax_lint.sources.python import PythonSource, literal_text

_MARKS = ("batch", "meta_info")

VALID = [
    """\
async def reward_func(args, sample, **kwargs):
    return float(sample.response == sample.label)
""",
    """\
def update(sample, output):
    sample.update_from_meta_info({}, output['meta_info'])
""",
    """\
class Loader:
    def first(self):
        return self.batch['images']
""",
    """\
def tokens(engine):
    return engine.batch['input_ids'].shape
""",
    """\
def reason(output):
    return output.meta_info['finish_reason']
""",
    """\
def write(rows):
    for batch in rows:
        print(batch['responses'])
""",
    """\
# data.non_tensor_batch['reward_model'] was verl's
field = 'non_tensor_batch'
""",
    """\
def collate(batch):
    return {'responses': [item['response'] for item in batch]}
""",
    """\
class Env:
    def __init__(self, meta_info):
        self.meta_info = meta_info
""",
    """\
def rows(file):
    for batch in file.iter_batches():
        yield batch.to_pylist()
""",
    """\
def pick(request):
    return request.batch.get('input_ids'), request.batch[0]
""",
    """\
def label(sample):
    return sample.metadata['extra_info']['reward_model']['ground_truth']
""",
]

INVALID = [
    Example(
        """\
def compute(data):
    return data.non_tensor_batch['reward_model']['ground_truth']
""",
        findings=((2, 12),),
    ),
    Example(
        """\
async def reward_func(args, sample, **kwargs):
    truth = sample.non_tensor_batch["reward_model"]["ground_truth"]
    return float(sample.response == truth)
""",
        findings=((2, 13),),
        fixed="""\
async def reward_func(args, sample, **kwargs):
    truth = sample.label
    return float(sample.response == truth)
""",
    ),
    Example(
        """\
async def reward_func(args, samples):
    sources = [s.non_tensor_batch['data_source'] for s in samples]
    for one in samples:
        print(one.non_tensor_batch['extra_info']['split'])
    return sources
""",
        findings=((2, 16), (4, 15)),
        fixed="""\
async def reward_func(args, samples):
    sources = [s.metadata["data_source"] for s in samples]
    for one in samples:
        print(one.metadata['split'])
    return sources
""",
    ),
    Example(
        """\
from relax.utils.types import Sample


async def score(args, item: Sample, **kwargs):
    images = item.non_tensor_batch['multi_modal_data']
    return float(bool(images))
""",
        findings=((5, 14),),
        fixed="""\
from relax.utils.types import Sample


async def score(args, item: Sample, **kwargs):
    images = item.multimodal_inputs
    return float(bool(images))
""",
    ),
    Example(
        """\
def decode(tokenizer, item):
    return tokenizer.decode(item.batch['responses'])
""",
        findings=((2, 29),),
    ),
    Example(
        """\
def decode(data: 'DataProto'):
    ids = data[0].batch['input_ids']
    return ids.tolist()
""",
        findings=((2, 11),),
    ),
    Example(
        """\
class Manager:
    def __call__(self, data, return_dict=False):
        for i in range(len(data)):
            item = data[i]
            mask = item.batch['attention_mask']
            source = item.non_tensor_batch[self.reward_fn_key]
            print(mask, source)
""",
        findings=((5, 20), (6, 22)),
    ),
    Example(
        """\
def norm(data: DataProto):
    eos = data.meta_info['eos_token_id']
    return eos
""",
        findings=((2, 11),),
    ),
    Example(
        """\
def turns(item):
    return item.non_tensor_batch.get('__num_turns__', None)
""",
        findings=((2, 12),),
    ),
    Example(
        """\
def score(data: verl.DataProto):
    if 'x' in data.batch.keys():
        return data.batch['x']
""",
        findings=((2, 15), (3, 16)),
    ),
    Example(
        """\
def put(data, scores):
    data.batch['token_level_scores'] = scores
    data.non_tensor_batch['uid'] = 1
""",
        findings=((2, 5), (3, 5)),
    ),
    Example(
        """\
def fresh(rows):
    proto = DataProto.from_dict(rows)
    return proto.meta_info.get('step')
""",
        findings=((3, 12),),
    ),
    Example(
        """\
def step(data):
    prompts = data.batch['prompts']
    return prompts, data.batch['mine'], data.meta_info['step']
""",
        findings=((2, 15), (3, 21), (3, 41)),
    ),
]


@rule("RLX102", "data-proto-access", ERROR, on="python", valid=VALID, invalid=INVALID, fixable="safe")
def data_proto_access(source: PythonSource, project: Project) -> Iterator[Finding]:
    """Every access to a part of a DataProto, with the field of a sample that is meant."""
    if not any(f".{mark}" in source.text or "non_tensor_batch" in source.text for mark in _MARKS):
        return
    known = _KnownProtos(source)
    for node in source.nodes(ast.Attribute):
        if node.attr == "non_tensor_batch":
            yield _non_tensor(source, node)
        elif node.attr == "batch":
            key = _key(source, node)
            if known.holds(node.value) or key in ONLY_VERL_KEYS:
                yield _tensor(source, node, key)
        elif node.attr == "meta_info" and known.holds(node.value):
            message = "a Sample has no meta_info: settings are attributes of args, the rest is in sample.metadata"
            yield Finding(source.place(_whole(source, node)), message, subject="meta_info")


def _whole(source: PythonSource, node: ast.AST) -> ast.AST:
    """The access with the key that it is read by."""
    holder = source.parent(node)
    return holder if isinstance(holder, ast.Subscript) and holder.value is node else node


def _key(source: PythonSource, node: ast.AST) -> str | None:
    """The key that an attribute is read by: a subscript, or a ``get``."""
    holder = source.parent(node)
    if isinstance(holder, ast.Subscript) and holder.value is node:
        return literal_text(holder.slice)
    if isinstance(holder, ast.Attribute) and holder.attr in ("get", "pop"):
        call = source.parent(holder)
        if isinstance(call, ast.Call) and call.func is holder and call.args:
            return literal_text(call.args[0])
    return None


def _tensor(source: PythonSource, node: ast.Attribute, key: str | None) -> Finding:
    whole = _whole(source, node)
    if key is None:
        message = "a Sample has no batch: prompts, responses and scores are attributes of it"
    elif key in TENSOR_FIELDS:
        message = f'a Sample has no batch["{key}"]: use sample.{TENSOR_FIELDS[key]}'
    else:
        message = f'a Sample has no batch["{key}"]: use its own fields'
    return Finding(source.place(whole), message, subject=f"batch.{key}" if key else "batch")


def _non_tensor(source: PythonSource, node: ast.Attribute) -> Finding:
    key = _key(source, node)
    whole = _whole(source, node)
    field = NON_TENSOR_FIELDS.get(key) if key is not None else None
    exact = key in EXACT_FIELDS and whole is not node
    if key == GROUND_TRUTH[0] and whole is not node and _key(source, whole) == GROUND_TRUTH[1]:
        outer = source.parent(whole)
        if isinstance(outer, ast.Subscript):
            whole, key, exact = outer, GROUND_TRUTH[1], True
    if field is not None:
        message = f"a Sample has no non_tensor_batch: {key} is sample.{field}"
    elif key in NON_TENSOR_ADVICE:
        message = f"a Sample has no non_tensor_batch: {NON_TENSOR_ADVICE[key]}"
    else:
        message = "a Sample has no non_tensor_batch: what came with the data is in sample.metadata and sample.label"
    fix = None
    if (
        exact
        and field is not None
        and _is_sample(source, node.value)
        and not isinstance(getattr(whole, "ctx", None), ast.Store)
    ):
        edit = Edit.at(source.place(whole), f"{source.segment(node.value)}.{field}")
        fix = Fix(f"read {source.segment(node.value)}.{field}", lambda: [edit])
    return Finding(
        source.place(whole), message, fix=fix, subject=f"non_tensor_batch.{key}" if key else "non_tensor_batch"
    )


def _is_sample(source: PythonSource, node: ast.expr) -> bool:
    """Whether a name is what Relax hands over: ``sample``, a parameter annotated Sample, an item of ``samples``."""
    if not isinstance(node, ast.Name):
        return False
    for holder in source.ancestors(node):
        generators = getattr(holder, "generators", [holder] if isinstance(holder, (ast.For, ast.AsyncFor)) else [])
        for generator in generators:
            if isinstance(generator.target, ast.Name) and generator.target.id == node.id:
                return isinstance(generator.iter, ast.Name) and generator.iter.id == "samples"
        if isinstance(holder, (ast.FunctionDef, ast.AsyncFunctionDef)):
            parameters = [*holder.args.posonlyargs, *holder.args.args, *holder.args.kwonlyargs]
            found = next((parameter for parameter in parameters if parameter.arg == node.id), None)
            if found is not None:
                if found.annotation is None:
                    return found.arg == "sample"
                return source.segment(found.annotation).strip("'\"").rpartition(".")[2] == "Sample"
    return False


class _KnownProtos:
    """Which names of each function hold a DataProto, or one of its items."""

    def __init__(self, source: PythonSource) -> None:
        self.source = source
        self._by_function: dict[ast.AST | None, set[str]] = {}

    def holds(self, node: ast.expr) -> bool:
        """Whether an expression is a DataProto, an item or a slice of one."""
        while isinstance(node, (ast.Subscript, ast.Call)):
            node = node.value if isinstance(node, ast.Subscript) else node.func
            if isinstance(node, ast.Attribute):
                if node.attr in ("from_dict", "from_single_dict", "concat", "load_from_disk"):
                    return isinstance(node.value, ast.Name) and node.value.id == "DataProto"
                node = node.value
        return isinstance(node, ast.Name) and node.id in self._names_around(node)

    def _names_around(self, node: ast.AST) -> set[str]:
        functions = (ast.FunctionDef, ast.AsyncFunctionDef)
        function = next((holder for holder in self.source.ancestors(node) if isinstance(holder, functions)), None)
        if function not in self._by_function:
            self._by_function[function] = set() if function is None else self._names_in(function)
        return self._by_function[function]

    def _names_in(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
        parameters = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
        names = {
            parameter.arg
            for parameter in parameters
            if parameter.annotation is not None and "DataProto" in self.source.segment(parameter.annotation)
        }
        from relax_lint.flow.scopes import own_nodes

        nodes = list(own_nodes(function))
        for node in nodes:
            if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
                continue
            if node.attr == "non_tensor_batch" or (node.attr == "batch" and _key(self.source, node) in ONLY_VERL_KEYS):
                names.add(node.value.id)
        pairs = list(_passed_on(nodes))
        for _ in range(3):  # an item of an item of a batch is as far as it goes
            names |= {target for target, value in pairs if _root(value) in names or _makes_proto(value)}
        return names


def _passed_on(nodes: list[ast.AST]) -> Iterator[tuple[str, ast.expr]]:
    """Names and the value or iterable that they are bound to."""
    for node in nodes:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    yield target.id, node.value
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)) and isinstance(node.target, ast.Name):
            yield node.target.id, node.iter


def _root(node: ast.expr) -> str | None:
    while isinstance(node, ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _makes_proto(node: ast.expr) -> bool:
    if not isinstance(node, ast.Call):
        return False
    function = node.func.value if isinstance(node.func, ast.Attribute) else node.func
    return isinstance(function, ast.Name) and function.id == "DataProto"
