"""The code reads verl's DataProto, where Relax gives it a Sample.

## What

`.non_tensor_batch`, and `.batch["…"]` and `.meta_info` of what is a DataProto: a value annotated so, an item or a slice
of one, or one whose `non_tensor_batch` the same code reads. Keys that only verl has (`responses`, `token_level_scores`
…) give a `.batch[…]` away wherever they are read. Other objects with a `batch` or `meta_info` of their own are left
alone.

## Why

Relax hands a reward one `Sample`, or a list of them, with plain attributes. It has no `batch`, so the first sample ends
the rollout with an AttributeError.

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
from relax_lint.flow.scopes import own_nodes
from relax_lint.project import Project
from relax_lint.rules import ERROR, Example, rule
from relax_lint.sources.python import PythonSource

_MARKS = ("batch", "meta_info")

VALID = [
    "async def reward_func(args, sample, **kwargs):\n    return float(sample.response == sample.label)\n",
    "def update(sample, output):\n    sample.update_from_meta_info({}, output['meta_info'])\n",
    "class Loader:\n    def first(self):\n        return self.batch['images']\n",
    "def tokens(engine):\n    return engine.batch['input_ids'].shape\n",
    "def reason(output):\n    return output.meta_info['finish_reason']\n",
    "def write(rows):\n    for batch in rows:\n        print(batch['responses'])\n",
    "# data.non_tensor_batch['reward_model'] was verl's\nfield = 'non_tensor_batch'\n",
    "def collate(batch):\n    return {'responses': [item['response'] for item in batch]}\n",
    "class Env:\n    def __init__(self, meta_info):\n        self.meta_info = meta_info\n",
    "def rows(file):\n    for batch in file.iter_batches():\n        yield batch.to_pylist()\n",
    "def pick(request):\n    return request.batch.get('input_ids'), request.batch[0]\n",
    "def label(sample):\n    return sample.metadata['extra_info']['reward_model']['ground_truth']\n",
]

INVALID = [
    Example(
        "def compute(data):\n    return data.non_tensor_batch['reward_model']['ground_truth']\n",
        findings=((2, 12),),
    ),
    Example(
        "async def reward_func(args, sample, **kwargs):\n"
        '    truth = sample.non_tensor_batch["reward_model"]["ground_truth"]\n'
        "    return float(sample.response == truth)\n",
        findings=((2, 13),),
        fixed="async def reward_func(args, sample, **kwargs):\n    truth = sample.label\n"
        "    return float(sample.response == truth)\n",
    ),
    Example(
        "async def reward_func(args, samples):\n    sources = [s.non_tensor_batch['data_source'] for s in samples]\n"
        "    for one in samples:\n        print(one.non_tensor_batch['extra_info']['split'])\n    return sources\n",
        findings=((2, 16), (4, 15)),
        fixed='async def reward_func(args, samples):\n    sources = [s.metadata["data_source"] for s in samples]\n'
        "    for one in samples:\n        print(one.metadata['split'])\n    return sources\n",
    ),
    Example(
        "from relax.utils.types import Sample\n\n\nasync def score(args, item: Sample, **kwargs):\n"
        "    images = item.non_tensor_batch['multi_modal_data']\n    return float(bool(images))\n",
        findings=((5, 14),),
        fixed="from relax.utils.types import Sample\n\n\nasync def score(args, item: Sample, **kwargs):\n"
        "    images = item.multimodal_inputs\n    return float(bool(images))\n",
    ),
    Example(
        "def decode(tokenizer, item):\n    return tokenizer.decode(item.batch['responses'])\n", findings=((2, 29),)
    ),
    Example(
        "def decode(data: 'DataProto'):\n    ids = data[0].batch['input_ids']\n    return ids.tolist()\n",
        findings=((2, 11),),
    ),
    Example(
        "class Manager:\n    def __call__(self, data, return_dict=False):\n        for i in range(len(data)):\n"
        "            item = data[i]\n            mask = item.batch['attention_mask']\n"
        "            source = item.non_tensor_batch[self.reward_fn_key]\n            print(mask, source)\n",
        findings=((5, 20), (6, 22)),
    ),
    Example(
        "def norm(data: DataProto):\n    eos = data.meta_info['eos_token_id']\n    return eos\n", findings=((2, 11),)
    ),
    Example("def turns(item):\n    return item.non_tensor_batch.get('__num_turns__', None)\n", findings=((2, 12),)),
    Example(
        "def score(data: verl.DataProto):\n    if 'x' in data.batch.keys():\n        return data.batch['x']\n",
        findings=((2, 15), (3, 16)),
    ),
    Example(
        "def put(data, scores):\n    data.batch['token_level_scores'] = scores\n    data.non_tensor_batch['uid'] = 1\n",
        findings=((2, 5), (3, 5)),
    ),
    Example(
        "def fresh(rows):\n    proto = DataProto.from_dict(rows)\n    return proto.meta_info.get('step')\n",
        findings=((3, 12),),
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
        return _text(holder.slice)
    if isinstance(holder, ast.Attribute) and holder.attr in ("get", "pop"):
        call = source.parent(holder)
        if isinstance(call, ast.Call) and call.func is holder and call.args:
            return _text(call.args[0])
    return None


def _text(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


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
                annotated = ast.unparse(found.annotation).strip("'\"") if found.annotation is not None else ""
                return annotated.rpartition(".")[2] == "Sample" or (found.arg == "sample" and not annotated)
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
            if parameter.annotation is not None and "DataProto" in ast.unparse(parameter.annotation)
        }
        nodes = list(own_nodes(function))
        for node in nodes:
            if isinstance(node, ast.Attribute) and node.attr == "non_tensor_batch" and isinstance(node.value, ast.Name):
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
