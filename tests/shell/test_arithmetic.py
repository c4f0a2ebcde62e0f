"""Every expression is also computed by real bash, which has the last word."""

from __future__ import annotations

import random
import shlex

import pytest

from relax_lint.shell.arithmetic import ArithmeticFault, DivisionByZero, Index, SyntaxFault, UnknownOperand, evaluate
from tests.shell.real_bash import outputs

START = {
    "x": "5", "y": "-3", "z": "", "e": "x + 1", "deep": "e * 2", "loop": "loop", "bad": "1 +",
    "hex": "0x1F", "s": " 7 ",
}  # fmt: skip
ARRAY = {0: "10", 1: "20", 2: "x", 5: "-1"}
SETUP = (
    "; ".join(f"{name}={shlex.quote(value)}" for name, value in START.items()) + "; a=(10 20 x [5]=-1); "
    "declare -A m=([key]=4 [x]=9)"
)
EXPRESSIONS = [
    "", " ", "1", "1+2*3", "(1+2)*3", "-2**2", "2**3**2", "7/2", "-7/2", "7%-3", "-7%3", "1<<3|1", "6^3&5", "!0+!5",
    "~7", "1,2,3", "x", "x+y", "z", "unset", "e", "deep", "e*2", "x==5", "x!=5&&y<0", "0||0", "0&&(1/0)", "1||1/0",
    "1/0", "5%0", "1?2:3", "0?2:3", "1?2,3:4", "0?1:0?2:3", "x>3?x<9?1:2:3", "x++ + x", "x-- - --x", "++x", "x+++y",
    "x---y", "- -x", "--5", "+-+x", "!x", "!!x", "x=9", "x=y=2", "x+=2", "x-=y", "x*=2", "x/=2", "x%=3", "x<<=2",
    "x>>=1", "x&=4", "x|=8", "x^=1", "(x)=2", "5=x", "x=(y=4)+1", "x+(x=7)", "x+=(x=1)", "0x1f", "010", "09", "2#101",
    "16#fF", "36#z", "64#_", "64#@", "1#1", "65#1", "3#5", "9223372036854775807+1", "9223372036854775808",
    "-9223372036854775808/-1", "-9223372036854775808%-1", "1<<63", "1<<64", "-1>>1", "2**-1", "2**63", "2**64",
    "3**50", "a", "a[0]", "a[1]+a[2]", "a[x-4]", "a[5]", "a[9]", "a[1]=7,a[1]", "a[3]+=4", "a[1]++ + a[1]",
    "a[a[0]/10]", "m[key]", "m[x]", "m[key]=6", "m[new]+=2", "a[i++]+i", "a[i++]=i", "1+", "+", "(1", "1)", "1 2",
    "x y", "1 ? 2", "1 ? : 2", "1 @", "a[", "1 +* 2", "hex+1", "s", "bad", "loop", "x = = 2", "1++2", "1--2", "1 ++x",
    "x ++", "x ++ + 1", "++5", "0x", "0", "00", "1_0", "1 == 1 == 1", "2>1>0", "1<2<3", "x,", "?", "5 - - 3",
    "\n1\n+\t2", "x=1,y=2,x+y", "1?x=3:0", "0?x=3:(x=4)", "0?1:x=5", "1 << 2 + 1", "5&3==3", "4|2^2&6", "\"5\"",
    "x>=5", "x<=4", "!x==0", "~x&15", "y++<0&&y", "1.5", "$x", "x.y", "08#7", "0x10#1", "a[-1]", "1 && x = 3",
]  # fmt: skip


class Store:
    def __init__(self) -> None:
        self.plain = dict(START)
        self.array = dict(ARRAY)
        self.keyed = {"key": "4", "x": "9"}

    def read(self, name: str, index: Index) -> str:
        if name == "m":
            return self.keyed.get(str(index), "")
        if name == "a":
            number = int(index or 0)
            return self.array.get(number if number >= 0 else number + max(self.array) + 1, "")
        return self.plain.get(name, "")

    def write(self, name: str, index: Index, value: int) -> None:
        if name == "m":
            self.keyed[str(index)] = str(value)
        elif name == "a":
            self.array[int(index or 0)] = str(value)
        else:
            self.plain[name] = str(value)

    def compute(self, expression: str) -> str:
        try:
            value = str(evaluate(expression, self.read, self.write, lambda name: name == "m"))
        except ArithmeticFault:
            return "fault"
        state = [self.plain.get(name, "") for name in [*START, "i"]]
        state += [self.array[key] for key in sorted(self.array)]
        state += sorted(self.keyed.values())
        return value + " " + "|".join(state)


def real(expressions: list[str]) -> list[str]:
    names = " ".join(f'"${name}"' for name in [*START, "i"])
    show = 'IFS="|"; mapfile -t k < <(printf "%s\\n" "${m[@]}" | sort); '
    show += f'set -- {names} "${{a[@]}}" "${{k[@]}}"; printf "%s" "$r $*"'
    # The fault ends bash's command, so what follows in the same list is skipped.
    snippets = [f'{{ r=$(( {text} )); ok=1; }}\n[ -n "$ok" ] && {{ {show}; }} || printf fault' for text in expressions]
    return outputs(snippets, prologue=SETUP)


def test_expressions() -> None:
    skipped_by_shell = ("$x", '"5"')
    expressions = [text for text in EXPRESSIONS if text not in skipped_by_shell]
    for expression, expected in zip(expressions, real(expressions), strict=True):
        assert Store().compute(expression) == (expected or "fault"), expression


OPERANDS = ["0", "1", "2", "7", "x", "y", "z", "e", "a[1]", "a[x-4]", "m[key]", "0x1f", "-4", "x++", "--y", "q=3"]
ASSIGNMENTS = ["=", "+=", "-=", "*=", "|=", "<<="]
OPERATORS = ["+", "-", "*", "/", "%", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&", "|", "^", "&&", "||", ","]


def generate(chance: random.Random, depth: int) -> str:
    if depth == 0 or chance.random() < 0.15:
        return chance.choice(OPERANDS)
    left, right = generate(chance, depth - 1), generate(chance, depth - 1)
    shape = chance.random()
    if shape < 0.1:
        return f"({left})"
    if shape < 0.15:
        # Bash refuses a negative exponent even in a branch that is not taken.
        return f"{left} ** {chance.randint(0, 9)}"
    if shape < 0.2:
        return chance.choice("!~-+") + " " + left
    if shape < 0.3:
        return f"{left} ? {right} : {generate(chance, depth - 1)}"
    if shape < 0.4:
        return chance.choice(["x", "y", "a[2]", "m[new]"]) + chance.choice(ASSIGNMENTS) + right
    return f"{left} {chance.choice(OPERATORS)} {right}"


def test_generated_expressions() -> None:
    chance = random.Random(20)
    expressions = [generate(chance, chance.randint(1, 4)) for _ in range(800)]
    for expression, expected in zip(expressions, real(expressions), strict=True):
        assert Store().compute(expression) == (expected or "fault"), expression


def test_faults_say_what_bash_says() -> None:
    store = Store()
    with pytest.raises(DivisionByZero, match="division by 0"):
        evaluate("1/z", store.read, store.write)
    with pytest.raises(SyntaxFault, match="operand expected"):
        evaluate("1 +", store.read, store.write)
    with pytest.raises(SyntaxFault, match="value too great for base"):
        evaluate("09", store.read, store.write)


def test_what_is_unknown_reaches_the_caller_only_if_it_is_needed() -> None:
    def read(name: str, index: Index) -> str:
        raise UnknownOperand(name)

    store = Store()
    with pytest.raises(UnknownOperand):
        evaluate("1 + GPUS", read, store.write)
    assert evaluate("0 && GPUS", read, store.write) == 0
