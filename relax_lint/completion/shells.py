"""What each shell is told once: to ask this program at every TAB."""

from __future__ import annotations

from collections.abc import Mapping

from relax_lint.completion import Answer

_BASH = """\
# bash completion for relax-lint: eval "$(relax-lint completion bash)"
_relax_lint() {
    local answer files word rest current=${COMP_WORDS[COMP_CWORD]}
    COMPREPLY=()
    answer=$("${COMP_WORDS[0]/#\\~\\//$HOME/}" completion bash --answer -- \\
        "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null) || return
    files=${answer%%$'\\n'*}
    if [[ $answer == *$'\\n'* ]]; then
        while IFS=$'\\t' read -r word rest; do
            COMPREPLY+=("$word")
        done <<<"${answer#*$'\\n'}"
    fi
    [[ $files != none ]] || return 0
    if ((${#COMPREPLY[@]} == 0)) && compopt -o "${files/#files/default}" 2>/dev/null; then
        return 0
    fi
    compopt -o filenames 2>/dev/null
    [[ $files == files ]] && files=-f || files=-d
    while IFS= read -r word; do
        COMPREPLY+=("$word")
    done < <(compgen "$files" -- "${current#=}")
}
complete -F _relax_lint relax-lint
"""

_ZSH = """\
#compdef relax-lint
# zsh completion for relax-lint: eval "$(relax-lint completion zsh)", behind compinit; or as _relax-lint in $fpath
_relax_lint() {
    local answer line
    local -a lines words_found
    answer=$("${words[1]/#\\~\\//$HOME/}" completion zsh --answer -- "${(@)words[2,CURRENT]}" 2>/dev/null) || return 1
    lines=("${(@f)answer}")
    for line in "${(@)lines[2,-1]}"; do
        words_found+=("${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}")
    done
    (( $#words_found )) && _describe -t values relax-lint words_found
    [[ $lines[1] == none ]] && return 0
    compset -P '--*='
    if [[ $lines[1] == directories ]]; then _files -/; else _files; fi
}
if [[ $funcstack[1] == _relax-lint ]]; then
    _relax_lint "$@"
else
    compdef _relax_lint relax-lint
fi
"""

_FISH = """\
# fish completion for relax-lint: relax-lint completion fish | source
function __relax_lint_answer
    set -l current (commandline -ct)
    set -l typed (commandline -opc)
    set -l program (string replace -r '^~/' "$HOME/" -- $typed[1])
    set -l answer ($program completion fish --answer -- $typed[2..-1] "$current" 2>/dev/null)
    or return
    printf '%s\\n' $answer[2..-1]
    test "$answer[1]" = none
    and return
    set -l option (string match -r -- '^--[^=]*=' "$current")
    set -l path (string replace -r -- '^--[^=]*=' '' "$current")
    if test "$answer[1]" = directories
        printf "$option%s\\n" (__fish_complete_directories "$path")
    else
        printf "$option%s\\n" (__fish_complete_path "$path")
    end
end
complete -c relax-lint -f -a '(__relax_lint_answer)'
"""

SCRIPTS: Mapping[str, str] = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


def told(shell: str, found: Answer) -> str:
    """An answer as the scripts read it: whether paths fit, then a line for each word and what it means."""
    words = found.words
    if shell == "bash":  # to which the value behind `=` is a word of its own
        words = tuple(
            (word.partition("=")[2] if word.startswith("--") and "=" in word else word, "") for word, _ in words
        )
    return "\n".join([found.files, *(f"{word}\t{what}" for word, what in words)]) + "\n"
