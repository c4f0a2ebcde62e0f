"""Files that are made to cost: deep, long, many, doubling, endless. By name, with what is to be said of them."""

from __future__ import annotations

LAUNCH = "python3 relax/entrypoints/train.py --lr 1e-6\n"


def launch_of(reward: str) -> str:
    """A launch that names a reward."""
    return f"{LAUNCH[:-1]} --custom-rm-path {reward}\n"


DEEP = 10_000
LONG = 1_500_000
"""Characters; above 8 MB a file is not read at all."""


def launchers() -> dict[str, str]:
    """Scripts for bash."""
    ifs = "".join(f'if [ "$A{n}" = x ]; then B{n}=1; else B{n}=2; fi\n' for n in range(40))
    cases = "".join(f"case $A{n} in a) X{n}=1 ;; b) X{n}=2 ;; *) X{n}=3 ;; esac\n" for n in range(30))
    nested_case = "case $A in a) " * 200 + ":" + " ;; esac" * 200
    return {
        "parens": "( " * DEEP + ":" + " )" * DEEP,
        "parens_open": "( " * DEEP,
        "braces": "{ " * DEEP + ":" + " ; }" * DEEP,
        "substitutions": "X=" + "$(echo " * DEEP + "a" + ")" * DEEP,
        "substitutions_quoted": "X=" + '"$(echo ' * DEEP + "a" + ')"' * DEEP,
        "backquotes": "X=`" * DEEP,
        "backslashed_backquotes": "X=" + "`echo \\" * 20 + "`" * 20,
        "parameters": "X=" + "${A:-" * DEEP + "a" + "}" * DEEP,
        "parameters_open": "X=" + "${A:-" * DEEP,
        "patterns": "X=${A/" + "@(a|" * DEEP + "b" + ")" * DEEP + "/c}",
        "braces_nested": "echo " + "{a," * DEEP + "b" + "}" * DEEP,
        "ifs_deep": "if :; then " * DEEP + ":" + "; fi" * DEEP,
        "fors_deep": "for x in a; do " * 5_000 + ":" + "; done" * 2_000,
        "cases_deep": nested_case,
        "functions_deep": "f() { " * 5_000 + ":" + "; }" * 2_000,
        "arithmetic": "X=$((" + "(" * DEEP + "1" + ")" * DEEP + "))",
        "arithmetic_signs": "X=$((" + "-" * DEEP + "1))",
        "arithmetic_long": "X=$((" + "1+" * 20_000 + "1))",
        "arithmetic_power": "X=$((9**9**9**9)); Y=$((1<<999999999999)); Z=$((2**63/-1))",
        "heredocs": "cat " + " ".join(f"<<E{n}" for n in range(2_000)) + "\n",
        "heredoc_open": "cat <<EOF\n" + "x\n" * 20_000,
        "quotes_open": "X='" + "a\n" * 2_000,
        "tests_deep": "[[ " + "( " * DEEP + "a" + " )" * DEEP + " ]]",
        "tests_not": "[[ " + "! " * DEEP + "a ]]",
        "and_or": "true " + "&& true " * 20_000,
        "pipes": "true " + "| true " * 2_000,
        "pipes_open": "|" * 20_000,
        "ifs": ifs,
        "cases": cases,
        "range": "for i in {1..1000000}; do X=$i; done",
        "range_huge": "echo {1..999999999999} {a..z}{a..z}{a..z}{a..z}{a..z}",
        "alternatives": "echo " + "{a,b}" * 30,
        "globs": "ls " + "*/" * 200 + "; case " + "a" * 500 + " in " + "*a" * 100 + "b) ;; esac",
        "loop": "for ((i=0; i<1000000000; i++)); do X=$i; done",
        "loop_endless": "while :; do :; done",
        "recursion": "f() { f; }\nf",
        "recursion_double": "f() { f; f; }\nf",
        "recursion_mutual": 'f() { g "$@" x; }\ng() { f "$@" y; }\nf',
        "evals": 'X=\'eval "$X"\'\neval "$X"',
        "evals_deep": "eval " * 5_000 + ":",
        "doubling": "X=ab\nwhile :; do X=$X$X; done",
        "doubling_array": 'A=(a)\nfor i in {1..60}; do A+=("${A[@]}"); done',
        "doubling_replace": "X=aaaa\nfor i in {1..40}; do X=${X//a/aa}; done",
        "doubling_printf": 'X=a\nfor i in {1..40}; do printf -v X \'%s%s\' "$X" "$X"; done',
        "doubling_element": 'A[0]=a; for i in {1..40}; do A[0]="${A[0]}${A[0]}"; done',
        "doubling_key": 'declare -A A; A[x]=a; for i in {1..40}; do A[x]+="${A[x]}"; done',
        "doubling_read": 'X=a; for i in {1..40}; do read -r X <<< "$X$X"; done',
        "output_long": "X=$(printf '%099999d' 1); Y=$(for i in {1..900}; do for j in {1..900}; do echo \"$X\"; done; "
        "done)",
        "doubling_derived": "for ((i=0; i<64; i++)); do X+=${X^^}; done; Y=${X:-a}; [ $Y = b ] && Z=${Y,,}",
        "wide_printf": "printf -v X '%999999999s' a; printf -v Y '%.999999999f' 1",
        "long_line": "X=" + "a" * LONG,
        "long_words": "echo " + "a " * 50_000,
        "long_comment": "#" + "#" * LONG,
        "long_continued": "echo a \\\n" + "a \\\n" * 20_000 + "b",
        "array": "A=(" + "1 " * 100_000 + ")",
        "array_index": "A[999999999999]=1; A[-5]=2; A=([4000000000]=x)",
        "many_lines": ":\n" * 61_000,
        "many_functions": "".join(f"f{n}() {{ f{n + 1}; }}\n" for n in range(1_000)) + "f0",
        "many_commands": "X=1\n" * 61_000,
        "many_launches": LAUNCH * 210,
        "noqa": "X=1 # noqa: " + "A1" * 20_000,
        "suppressions": "# relax-lint: ignore[RLX501] x\n" * 2_000,
        "regex": 'X=$(echo "' + "a" * 2_000 + "\" | grep -E '(a+)+b')\n[[ " + "a" * 2_000 + " =~ (a|aa)+b ]]",
        "sed": "X=$(echo " + "a" * 500 + " | sed -E 's/(a|a)*b/c/; s/(x*)*y/z/')",
        "seq": "X=$(seq 1 999999999)\nY=$(yes | head -n 99999999)\nZ=$(printf 'a%.0s' {1..999999})",
        "tr": "X=$(head -c 99999999999 /dev/zero | tr '\\0' a)",
        "nul": "X=a\0b",
        "returns": "\r\n" * 10_000,
    }


def python() -> dict[str, str]:
    """Modules."""
    reward = "async def reward_func(args, sample, **kwargs):\n"
    branches = "".join(f"    if sample.a{n}:\n        x{n} = {n}\n    else:\n        x{n} = None\n" for n in range(40))
    return {
        "parens": "x = " + "(" * DEEP + "1" + ")" * DEEP,
        "parens_90": "x = " + "(" * 90 + "1" + ")" * 90,
        "lists": "x = " + "[" * DEEP + "]" * DEEP,
        "attributes": "x = a" + ".a" * DEEP,
        "calls": "x = f" + "()" * 900,
        "sums": "x = " + "1 + " * DEEP + "1",
        "nots": "x = " + "not " * DEEP + "1",
        "minus": "x = " + "-" * DEEP + "1",
        "lambdas": "x = " + "lambda: " * DEEP + "1",
        "ternaries": "x = " + "1 if a else " * DEEP + "1",
        "subscripts": "x = a" + "[0]" * 900,
        "strings": "x = " + "'a' " * 20_000,
        "ifs": "".join(" " * n + "if x:\n" for n in range(99)) + " " * 99 + "x\n",
        "ifs_deep": "".join(" " * n + "if x:\n" for n in range(2_000)) + " " * 2_000 + "x\n",
        "elifs": reward
        + "    if sample.a:\n        return 1\n"
        + "".join(f"    elif sample.a{n}:\n        return {n}\n" for n in range(150)),
        "branches": reward + branches + "    return x0\n",
        "functions": "".join(" " * n + "def f():\n" for n in range(90)) + " " * 90 + "pass\n",
        "recursion": "def helper(x):\n    return helper(helper(x))\n\n\n" + reward + "    return helper(sample)\n",
        "chain": "".join(f"def f{n}(x):\n    return f{n + 1}(x)\n\n\n" for n in range(500))
        + reward
        + "    return f0(sample)\n",
        "doubling": "x0 = [1, 1]\n"
        + "".join(f"x{n + 1} = [x{n}, x{n}]\n" for n in range(60))
        + reward
        + "    return x60\n",
        "doubling_text": "x = 'ab'\n" + "x = x + x\n" * 60 + reward + "    return x\n",
        "power": "x = 9 ** 9 ** 9 ** 9\ny = 'a' * 10 ** 12\nz = [0] * 10 ** 12\nw = 1 << 10 ** 12\n"
        + reward
        + "    return x\n",
        "number": "x = " + "9" * 5_000,
        "number_long": "x = 0x" + "f" * 1_000_000,
        "long_line": "x = '" + "a" * LONG + "'",
        "list": "x = [" + "1, " * 50_000 + "]",
        "dict": "x = {" + ", ".join(f"'a{n}': {n}" for n in range(2_000)) + "}",
        "many_lines": "x = 1\n" * 10_000,
        "many_defs": "".join(f"def f{n}(a):\n    return f{n - 1}(a)\n" for n in range(3_000)),
        "comments": "# noqa: RLX202\n" * 5_000 + "x = 1\n",
        "comments_own": "x = 1  # relax-lint: ignore[RLX202] a\n" * 2_000,
        "loops": reward + "    x = 0\n    while True:\n        x = [x, x]\n    return x\n",
        "comprehensions": "x = " + "[" * 60 + "1" + " for a in b]" * 60,
        "imports": "import verl." + "a." * 5_000 + "b",
        "regex": reward
        + "    import re\n    return 1.0 if re.match(r'"
        + "(a+)+" * 20
        + "b', '"
        + "a" * 500
        + "') else 0.0\n",
        "form_feeds": "\f" * 10_000 + "x = 1",
        "tabs": "if x:\n" + "\t" * 10_000 + "y\n",
        "nul": "x = 1\0",
        "cookie": "# -*- coding: utf-7 -*-\nx = 1\n",
        "cookie_of_bytes": "# -*- coding: rot13 -*-\nx = 1\n",
        "cookie_zip": "# -*- coding: zlib -*-\nx = 1\n",
    }


def yaml() -> dict[str, str]:
    """Configs."""
    laughs = "a0: &a0 [x, x]\n" + "".join(
        f"a{n + 1}: &a{n + 1} [*a{n}, *a{n}, *a{n}, *a{n}, *a{n}, *a{n}, *a{n}, *a{n}, *a{n}]\n" for n in range(30)
    )
    merges = "a0: &a0 {k0: 1}\n" + "".join(
        f"a{n + 1}: &a{n + 1}\n  <<: [*a{n}, *a{n}]\n  k{n + 1}: 1\n" for n in range(3_000)
    )
    tools = "tools:\n" + "".join(
        f"  - &t{n} {{class_name: a.b.C, config: {{x: [{', '.join([f'*t{n - 1}'] * 9 if n else ['1'])}]}}}}\n"
        for n in range(25)
    )
    return {
        "flow": "a: " + "[" * DEEP + "]" * DEEP,
        "flow_open": "a: " + "[" * DEEP,
        "flow_maps": "a: " + "{a: " * DEEP + "1" + "}" * DEEP,
        "block": "".join(" " * n + "a:\n" for n in range(3_000)),
        "sequences": "- " * DEEP + "a",
        "keys": "? " * DEEP + "a",
        "laughs": laughs,
        "merges": merges,
        "tools": tools,
        "eval_laughs": laughs + "eval:\n  datasets: *a30\n",
        "itself": "a: &a [*a, *a]\n",
        "itself_merged": "a: &a\n  <<: *a\n",
        "long": "a: " + "x" * LONG,
        "long_quoted": 'a: "' + "x" * LONG,
        "many": "".join(f"a{n}: 1\n" for n in range(2_000)),
        "same": "a: 1\n" * 2_000,
        "numbers": "a: " + "9" * 100_000 + "\nb: 1e999999999\nc: 0b" + "1" * 5_000 + "\nd: " + "1:" * 3_000 + "1\n",
        "times": "a: 9999-99-99\nb: 2026-02-30 25:61:61\nc: 0000-00-00\n",
        "binary": "a: !!binary " + "A" * 100_001,
        "tags": "a: !!python/object/apply:os.system [x]\nb: !!python/name:os.system\n",
        "anchors": "".join(f"a{n}: &x{n} 1\n" for n in range(1_000)),
        "documents": "---\na: 1\n" * 5_000,
        "comments": "# relax-lint: ignore[RLX601] x\n" * 5_000 + "a: 1\n",
        "nul": "a: b\0c\n",
        "directive": "%YAML 9.9\n---\na: 1\n",
        "block_text": "a: |" + "\n  x" * 20_000 + "\n",
        "template": "a: {{ x }}\n" * 1_000,
    }
