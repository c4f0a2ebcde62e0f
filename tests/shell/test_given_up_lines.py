"""Commands that bash gives up half-way, and how it counts lines afterwards."""

from __future__ import annotations

from tests.shell.whole_scripts import launched, printed

FAILING = ["a=2", "x=$((1/0))", "echo ${x!}", "readonly a=(3)"]
COMMANDS = [
    "if {}; then\n:\nelse\n:\nfi",
    "for ((c = 0; c < 2; c++)); do\n:\n{}\n:\ndone",
    "for c in 1 2; do\n{}\ndone",
    "{{\n:\n{}\n:\n}}",
    "f() {{\n\n{}\n\n}}\nf",
    "(\n{}\n)",
    "case x in\nx)\n{}\n;;\nesac",
    "{}; :",
]


def test_lines_are_counted_as_bash_counts_them() -> None:
    # The shell of the test reads the first two lines of its own, so both count from there.
    texts = [
        "readonly a=1\n"
        + "\n".join(
            f"{command.format(failing)}\npython3 $LINENO\nu() {{\npython3 $LINENO\n}}\nu" for command in COMMANDS
        )
        for failing in FAILING
    ]
    for text in texts:
        assert launched("\n" + text) == printed(text)
