"""Make the games."""

import argparse
import os

import datasets

from verl.utils.hdfs_io import copy, makedirs

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_dir", default="~/data/number_game")
    parser.add_argument("--hdfs_dir", default=None)
    args = parser.parse_args()

    data_source = "somebody/number_game"
    dataset = datasets.load_dataset(data_source)
    train_dataset = dataset["train"]
    test_dataset = dataset["test"]
    instruction = "Guess the number. Ask the tool, then answer with the number alone."

    def make_map_fn(split):
        def process_fn(example, idx):
            return {
                "data_source": data_source,
                "prompt": [{"role": "user", "content": f"{example['text']} {instruction}"}],
                "ability": "games",
                "reward_model": {"style": "rule", "ground_truth": str(example["secret"])},
                "extra_info": {
                    "split": split,
                    "index": idx,
                    "need_tools_kwargs": True,
                    "tools_kwargs": {"compare": {"create_kwargs": {"secret": example["secret"]}}},
                },
            }

        return process_fn

    train_dataset = train_dataset.map(function=make_map_fn("train"), with_indices=True)
    test_dataset = test_dataset.map(function=make_map_fn("test"), with_indices=True)

    train_dataset.to_parquet(os.path.join(args.local_dir, "train.parquet"))
    test_dataset.to_parquet(os.path.join(args.local_dir, "test.parquet"))

    if args.hdfs_dir is not None:
        makedirs(args.hdfs_dir)
        copy(src=args.local_dir, dst=args.hdfs_dir)
