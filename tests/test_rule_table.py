"""The rules are those of the contract: codes, names, severities, kinds of fix, and where they apply."""

from __future__ import annotations

import subprocess
import sys

import pytest

from relax_lint.cli import main
from relax_lint.rules import load_rules
from tests.cases import for_each

CONTRACT = """
RLX001 unreadable-file E - -
RLX002 unused-suppression W safe -
RLX003 launch-too-complex A - -
RLX101 verl-import E safe -
RLX102 data-proto-access E safe -
RLX103 hydra-in-recipe E - -
RLX104 reward-manager E - -
RLX105 verl-tool E - -
RLX106 core-touched W - -
RLX107 cross-example-import W unsafe -
RLX201 reward-missing E - -
RLX202 reward-not-async E safe -
RLX203 reward-signature E safe -
RLX204 reward-batch-mismatch E safe -
RLX205 reward-return E unsafe -
RLX206 reward-key-missing E safe -
RLX207 reward-key-mismatch E safe -
RLX208 score-key W - -
RLX209 data-source-dispatch W - -
RLX210 blocking-call W safe -
RLX211 client-per-call W unsafe -
RLX212 sample-field E safe -
RLX213 custom-args E - -
RLX214 data-not-wired E safe -
RLX301 env-incomplete E - -
RLX302 env-signature E unsafe -
RLX303 env-return E - -
RLX304 build-env E safe -
RLX305 foreign-default-env W safe -
RLX306 generate E - -
RLX307 multi-turn-incomplete E safe -
RLX308 unguarded-tool-call W - -
RLX401 verl-entry-point E - everywhere
RLX402 hydra-override E safe everywhere
RLX403 entry-point W safe everywhere
RLX404 runtime-env-json W safe everywhere
RLX405 dual-mode W safe -
RLX406 optimizer-flags W safe -
RLX407 on-policy-batch E safe everywhere
RLX408 reward-unregistered E - everywhere
RLX409 data-conversion W - -
RLX410 multimodal-keys E safe everywhere
RLX411 ref-actor-config W safe everywhere
RLX412 resource E safe everywhere
RLX413 mode-flags E safe everywhere
RLX414 staleness W unsafe everywhere
RLX415 async-iters W unsafe everywhere
RLX416 parallelism E - everywhere
RLX417 kl E safe everywhere
RLX418 model-config W - -
RLX419 local-entrypoint W safe -
RLX420 fail-fast W safe everywhere
RLX421 unused-args E safe everywhere
RLX422 broken-continuation E safe everywhere
RLX423 unset-variable W - everywhere
RLX501 unknown-flag E unsafe everywhere
RLX502 flag-value E safe everywhere
RLX503 duplicate-flag W - everywhere
RLX504 abbreviated-flag W safe everywhere
RLX505 launch-rejected E - everywhere
RLX506 deprecated-flag W safe everywhere
RLX507 custom-path E safe everywhere
RLX508 no-effect W - everywhere
RLX601 verl-tool-config E - -
RLX602 verl-trainer-config E - -
RLX603 shadowed-argument W - -
RLX604 config-missing E - -
RLX605 env-path E safe -
RLX606 eval-config E - -
RLX701 verl-parquet W - everywhere
RLX702 data-column E - everywhere
RLX703 label-type E - everywhere
RLX704 prompt-shape E - everywhere
RLX705 media-mismatch E - everywhere
RLX706 image-lost E - everywhere
RLX707 metadata-type E - everywhere
RLX708 prompt-too-long A - everywhere
RLX801 missing-init W safe -
RLX802 recipe-files W - -
RLX803 naming A - -
"""
"""Code, name, severity, the safest fix that ``--fix`` has, and whether launchers outside recipes are judged too."""

ROWS = [line.split() for line in CONTRACT.split("\n") if line]
SEVERITIES = {"E": "error", "W": "warning", "A": "advice"}


def test_every_rule_of_the_contract_is_there_and_no_other() -> None:
    assert list(load_rules()) == [code for code, *_ in ROWS]


@for_each(("code", "name", "severity", "fix", "where"), ROWS, ids=[row[0] for row in ROWS])
def test_a_rule_is_as_the_contract_has_it(code: str, name: str, severity: str, fix: str, where: str) -> None:
    rule = load_rules()[code]
    assert (rule.name, rule.severity.value) == (name, SEVERITIES[severity])
    assert (rule.fixable or "-") == fix
    if rule.on in ("launch", "launcher"):
        assert rule.everywhere is (where == "everywhere")


def test_the_table_that_is_printed_has_them_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "--all"]) == 0
    printed = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("RLX")]
    assert [line[:2] for line in printed] == [row[:2] for row in ROWS]


def test_a_rule_is_imported_when_it_has_something_to_check() -> None:
    asked = (
        "import sys; from relax_lint.rules import load_rules; rules = load_rules();"
        "print([name for name in sys.modules if name.startswith('relax_lint.rules.')]);"
        "rules['RLX406'].check; print([name for name in sys.modules if name.startswith('relax_lint.rules.')])"
    )
    done = subprocess.run([sys.executable, "-c", asked], stdout=subprocess.PIPE, text=True, check=True)
    before, after = done.stdout.splitlines()
    assert before == "['relax_lint.rules.index']"
    assert "'relax_lint.rules.launcher.optimizer_flags'" in after
    assert "relax_lint.rules.reward" not in after
