"""``$?`` in and after ``case``, as real bash has it."""

from __future__ import annotations

from tests.cases import for_each
from tests.shell.whole_scripts import launched, printed


@for_each(
    "text",
    [
        'false; case a in a) python3 "in $?" ;; esac',
        "false; case a in a) A=$? ;; esac; python3 $A",
        'false; case a in a) ;; esac; python3 "empty $?"',
        'false; case a in b) ;; esac; python3 "none $?"',
        "false; case $(exit 3) in '') python3 \"substituted $?\" ;; esac",
        "false; case $(true) in '') python3 \"substituted $?\" ;; esac",
        'case a in a) false ;;& b) : ;; esac; python3 "again $?"',
        'case a in a) false ;;& a) python3 "second $?" ;; esac',
        'case a in a) false ;;& a) ;; esac; python3 "second, empty $?"',
        'case a in a) false ;& b) python3 "fallen $?" ;; esac',
        'case a in a) false ;& b) ;; esac; python3 "fallen, empty $?"',
        'false; case a in $(exit 4)) : ;; *) python3 "pattern $?" ;; esac',
        'false; case $UNSET in x) : ;; *) python3 "other $?" ;; esac',
    ],
)
def test_what_a_case_leaves_in_the_status(text: str) -> None:
    assert launched(text) == printed(text)
