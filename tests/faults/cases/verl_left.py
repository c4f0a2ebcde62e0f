"""RLX101 to RLX103: imports of verl, its DataProto, Hydra."""

from __future__ import annotations

from tests.faults.cases.places import ENTRY, ENV, REWARD, answer, code
from tests.faults.trees import Edit, Fault, Maker, append, swap, write

MAIN = "examples/arith/main_arith.py"
TABLES = "examples/arith/tables.py"


def above(line: str) -> Edit:
    """An import beside the others."""
    return swap(REWARD, "import re\n", f"import re\n{line}\n")


def first(*lines: str) -> Edit:
    """Lines at the top of the entry point's body."""
    return swap(REWARD, ENTRY, ENTRY + "".join(f"    {line}\n" for line in lines))


def _imports() -> list[Fault]:
    made = Maker("RLX101", "text", REWARD)
    made("plain", "import verl", above("import verl"))
    made("from", "import gsm8k", above("from verl.utils.reward_score import gsm8k"))
    made("from-alias", "as score_it", above("from verl.utils.reward_score.gsm8k import compute_score as score_it"))
    made("module-alias", "as gsm", above("import verl.utils.reward_score.gsm8k as gsm"))
    made("among-others", "import os, verl.utils", above("import os, verl.utils"))
    made(
        "several-lines",
        "from verl.utils.reward_score import (",
        above("from verl.utils.reward_score import (\n    gsm8k,\n    math_dapo,\n)"),
    )
    made("in-entry", "from verl.utils", first("from verl.utils.reward_score import gsm8k"))
    made(
        "in-helper",
        "import verl.protocol",
        append(REWARD, "\n\ndef load():\n    import verl.protocol\n\n    return verl.protocol\n"),
    )
    made(
        "in-class",
        "from verl",
        append(REWARD, "\n\nclass Scorer:\n    from verl.utils.reward_score import math_dapo\n"),
    )
    made(
        "in-try",
        "from verl",
        above("\ntry:\n    from verl.utils.reward_score import gsm8k\nexcept ImportError:\n    gsm8k = None"),
    )
    made("in-if", "import verl", above("import os\n\nif os.environ.get('OLD'):\n    import verl"))
    made(
        "importlib",
        "import_module(",
        append(REWARD, "\n\nimport importlib\n\nOLD = importlib.import_module('verl.utils.reward_score')\n"),
    )
    made(
        "importlib-alias",
        "il.import_module(",
        above("import importlib as il"),
        first("scorer = il.import_module(name='verl.utils.reward_score.gsm8k')"),
    )
    made(
        "import-module-alias",
        "load('verl",
        above("from importlib import import_module as load"),
        first("old = load('verl.tools')"),
    )
    made("dunder", "__import__", first("old = __import__('verl')"))
    made(
        "dunder-submodule",
        "__import__",
        append(REWARD, "\n\nOLD = __import__('verl.utils.reward_score', fromlist=['gsm8k'])\n"),
    )
    made("after-semicolon", "import verl", above("import os; import verl"))
    made(
        "type-checking",
        "from verl import DataProto",
        above("from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from verl import DataProto"),
        severity="warning",
    )
    made(
        "typing-type-checking",
        "import verl",
        above("import typing as t\n\nif t.TYPE_CHECKING:\n    import verl"),
        severity="warning",
    )
    made("recipe-package", "from recipe.", above("from recipe.dapo.dapo_ray_trainer import RayDAPOTrainer"))
    made(
        "recipe-in-function",
        "import recipe.",
        append(REWARD, "\n\ndef load():\n    import recipe.dapo as dapo\n\n    return dapo\n"),
    )
    made(
        "helper-file",
        "from verl",
        write(TABLES, "from verl.utils.reward_score import gsm8k\n\nTABLE = gsm8k\n"),
        path=TABLES,
    )
    made(
        "nested-folder",
        "import verl",
        write("examples/arith/more/__init__.py", "import verl\n"),
        path="examples/arith/more/__init__.py",
    )
    turns = Maker("RLX101", "turns", ENV)
    turns(
        "environment",
        "from verl",
        swap(ENV, "import re\n", "import re\n\nfrom verl.tools.utils import tool_registry\n"),
    )
    turns(
        "star",
        "import *",
        write("examples/desk/helpers.py", "from verl.utils.reward_score.gsm8k import *\n"),
        path="examples/desk/helpers.py",
    )
    return [*made.made, *turns.made]


def _data_proto() -> list[Fault]:
    made = Maker("RLX102", "text", REWARD, may=("RLX212", "RLX205"))
    made("subscript", "data.batch[", append(REWARD, "\n\ndef ids(data):\n    return data.batch['responses']\n"))
    made(
        "non-tensor",
        "non_tensor_batch",
        append(REWARD, "\n\ndef sources(data):\n    return data.non_tensor_batch['data_source']\n"),
    )
    made(
        "non-tensor-get",
        "non_tensor_batch",
        append(REWARD, "\n\ndef sources(data):\n    return data.non_tensor_batch.get('extra_info', {})\n"),
    )
    made(
        "meta-info",
        "meta_info",
        append(
            REWARD,
            "\n\ndef steps(data):\n    truth = data.non_tensor_batch\n    return data.meta_info['steps'], truth\n",
        ),
        may=("RLX102",),
    )
    made(
        "in-entry",
        "non_tensor_batch",
        answer(
            "truth = sample.non_tensor_batch['reward_model']['ground_truth']\n"
            "return compute_score(sample.response, truth)\n"
        ),
    )
    made(
        "loop",
        "item.batch[",
        append(REWARD, "\n\ndef lengths(data):\n    for item in data:\n        yield len(item.batch['responses'])\n"),
    )
    made(
        "comprehension",
        "non_tensor_batch",
        append(REWARD, "\n\ndef truths(data):\n    return [item.non_tensor_batch['reward_model'] for item in data]\n"),
    )
    made(
        "method",
        "self.data.batch[",
        append(
            REWARD,
            "\n\nclass Old:\n    def __init__(self, data):\n        self.data = data\n\n"
            "    def prompts(self):\n        return self.data.batch['prompts']\n",
        ),
    )
    made(
        "annotated",
        "data.meta_info",
        append(REWARD, "\n\ndef step(data: 'DataProto'):\n    return data.meta_info['global_steps']\n"),
    )
    made(
        "imported",
        "data.batch[",
        above("from verl import DataProto"),
        append(REWARD, "\n\ndef ids(data: DataProto):\n    return data.batch['attention_mask']\n"),
        also=("RLX101",),
    )
    made(
        "nested-function",
        "non_tensor_batch",
        append(
            REWARD,
            "\n\ndef outer(data):\n    def inner(key):\n"
            "        return data.non_tensor_batch[key]\n\n    return inner\n",
        ),
    )
    made(
        "alias",
        "non_tensor_batch",
        append(
            REWARD, "\n\ndef truth(data):\n    columns = data.non_tensor_batch\n    return columns['reward_model']\n"
        ),
    )
    made(
        "store",
        "data.batch['token_level_scores']",
        append(REWARD, "\n\ndef keep(data, scores):\n    data.batch['token_level_scores'] = scores\n"),
    )
    return made.made


def _hydra() -> list[Fault]:
    made = Maker("RLX103", "text", MAIN, may=("RLX103",))
    made(
        "decorator",
        ("@hydra.main", "import hydra"),
        write(
            MAIN,
            code(
                """
        import hydra


        @hydra.main(config_path="config", config_name="arith", version_base=None)
        def main(config):
            print(config)
        """
            ),
        ),
    )
    made(
        "decorator-alias",
        ("@h.main", "import hydra"),
        write(MAIN, "import hydra as h\n\n\n@h.main()\ndef main(config):\n    print(config)\n"),
    )
    made(
        "decorator-from",
        ("@entry(", "from hydra"),
        write(
            MAIN, "from hydra import main as entry\n\n\n@entry(config_name='a')\ndef run(config):\n    print(config)\n"
        ),
    )
    made(
        "compose-from",
        ("compose(", "from hydra"),
        write(
            MAIN,
            code(
                """
        from hydra import compose, initialize


        def settings():
            with initialize(config_path="config"):
                return compose(config_name="arith")
        """
            ),
        ),
        also=(),
    )
    made(
        "compose-attribute",
        ("hydra.compose(", "import hydra"),
        write(MAIN, "import hydra\n\n\ndef settings():\n    return hydra.compose(config_name='a')\n"),
    )
    made(
        "in-function",
        ("compose(", "from hydra"),
        write(MAIN, "def settings():\n    from hydra import compose\n\n    return compose('a')\n"),
    )
    made(
        "called-decorator",
        ("hydra.main(", "import hydra"),
        write(
            MAIN, "import hydra\n\n\ndef run(config):\n    print(config)\n\n\nmain = hydra.main(config_name='a')(run)\n"
        ),
    )
    soft = Maker("RLX103", "text", REWARD, "warning", may=("RLX103",))
    soft("omegaconf-from", "from omegaconf", above("from omegaconf import OmegaConf"))
    soft("omegaconf", "import omegaconf", above("import omegaconf"))
    soft("dict-config", "import DictConfig", above("from omegaconf import DictConfig"))
    soft(
        "dict-config-type",
        ("from omegaconf", "isinstance("),
        above("from omegaconf import DictConfig as Conf"),
        first("assert not isinstance(kwargs, Conf)"),
    )
    soft(
        "omegaconf-in-function",
        "from omegaconf",
        first("from omegaconf import OmegaConf", "limits = OmegaConf.create({})"),
    )
    soft(
        "omegaconf-guarded",
        "from omegaconf",
        above("\ntry:\n    from omegaconf import OmegaConf\nexcept ImportError:\n    OmegaConf = None"),
    )
    return [*made.made, *soft.made]


FAULTS = [*_imports(), *_data_proto(), *_hydra()]
