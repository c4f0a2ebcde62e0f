"""Score an answer to GSM8K: the number behind the last ####."""

import re


def compute_score(data_source, solution_str, ground_truth, extra_info=None):
    if data_source != "openai/gsm8k":
        raise NotImplementedError(f"no score for {data_source}")
    answers = re.findall(r"#### (-?[0-9.,]+)", solution_str)
    if not answers:
        return 0.0
    return 1.0 if answers[-1].replace(",", "") == ground_truth else 0.1
