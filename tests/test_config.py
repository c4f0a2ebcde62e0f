"""Configuration: which file counts, what it may say, and what the command line makes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from relax_lint.config import ConfigError, Configuration, Settings, read_settings, with_options


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_the_nearest_file_decides(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[tool.relax-lint]\nstrict = true\n")
    write(tmp_path / "plain/pyproject.toml", "[project]\nname = 'relax-lint'\n")
    write(tmp_path / "own/relax-lint.toml", "profile = 'runtime'\n")
    write(tmp_path / "own/pyproject.toml", "[tool.relax-lint]\nprofile = 'guide'\nstrict = true\n")
    write(tmp_path / "own/deep/x.py", "")
    configuration = Configuration()
    assert configuration.settings_for(tmp_path / "x.py").strict
    assert configuration.settings_for(tmp_path / "plain/x.py").strict, "a pyproject without our table is passed over"
    own = configuration.settings_for(tmp_path / "own/deep/x.py")
    assert (own.profile, own.strict, own.source) == ("runtime", False, tmp_path / "own/relax-lint.toml")
    assert configuration.settings_for(tmp_path / "own/deep") is own


def test_a_named_file_replaces_the_nearest_and_isolated_reads_none(tmp_path: Path) -> None:
    write(tmp_path / "relax-lint.toml", "strict = true\n")
    other = write(tmp_path / "other/ci.toml", "[tool.relax-lint]\nprofile = 'runtime'\n")
    settings = Configuration(explicit=other).settings_for(tmp_path / "x.py")
    assert (settings.profile, settings.strict) == ("runtime", False)
    assert Configuration(isolated=True).settings_for(tmp_path / "x.py") == Settings()


def test_the_command_line_is_laid_over_every_file(tmp_path: Path) -> None:
    write(tmp_path / "relax-lint.toml", "[env]\nMODEL_DIR = '/m'\nGPUS = '8'\n")
    configuration = Configuration(lambda settings: with_options(settings, strict=True, profile=None))
    settings = configuration.settings_for(tmp_path / "x.py")
    assert settings.strict
    assert settings.profile == "guide"
    assert settings.env == {"MODEL_DIR": "/m", "GPUS": "8"}


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    text = "relax-root = '../Relax'\nbaseline = 'known.json'\nexclude = ['/old/']\n"
    settings = read_settings(write(tmp_path / "conf/relax-lint.toml", text))
    assert settings.relax_root == tmp_path / "conf/../Relax"
    assert settings.baseline == tmp_path / "conf/known.json"
    assert settings.excludes(tmp_path / "conf/old", is_dir=True)
    assert not settings.excludes(tmp_path / "conf/x/old", is_dir=True)
    assert not settings.excludes(tmp_path / "old", is_dir=True)


def test_a_home_that_nobody_has_is_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    settings = read_settings(write(tmp_path / "relax-lint.toml", "baseline = '~nobody-at-all/b'\nrelax-root = '~/R'\n"))
    assert settings.baseline == tmp_path / "~nobody-at-all/b"
    assert settings.relax_root == Path("/home/me/R")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("ignroe = ['RLX1']\n", "unknown key 'ignroe'; did you mean 'ignore'?"),
        ("per_file_ignores = {}\n", "unknown key 'per_file_ignores'; did you mean 'per-file-ignores'?"),
        ("colour = true\n", "unknown key 'colour'"),
        ("select = 'RLX1'\n", "select must be a list of strings"),
        ("select = [1]\n", "select must be a list of strings"),
        *(
            (f"extra-flags = [{flag!r}]\n", "extra-flags must be a list of flags with their dashes, each a whole name")
            for flag in ("team-flag", "--my-flag=3", "--my-flag 3", "--", "-", "--m*", "---x", "–-x", "")
        ),
        ("cache = 1\n", "cache must be true or false"),
        ("strict = 'yes'\n", "strict must be true or false"),
        ("profile = 'all'\n", "profile must be 'guide' or 'runtime'"),
        ("baseline = true\n", "baseline must be a string"),
        ("env = ['A=1']\n", "env must be a table"),
        ("[env]\nA = [1]\n", "env.A must be a string"),
        ("[env]\nA = 3\n", "env.A must be a string, not 3"),
        ("[per-file-ignores]\n'*.py' = 'RLX1'\n", "per-file-ignores.*.py must be a list of strings"),
        ("strict = \n", "not valid TOML"),
        ("strict = true\nstrict = true\n", "not valid TOML"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(tmp_path: Path, text: str, complaint: str) -> None:
    path = write(tmp_path / "relax-lint.toml", text)
    with pytest.raises(ConfigError) as refused:
        Configuration().settings_for(tmp_path / "x.py")
    assert complaint in str(refused.value)
    assert str(path) in str(refused.value)


def test_a_table_that_is_none_and_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is no table"):
        read_settings(write(tmp_path / "pyproject.toml", "[tool]\nrelax-lint = 1\n"))
    (tmp_path / "relax-lint.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="not valid TOML"):
        read_settings(tmp_path / "relax-lint.toml")
    with pytest.raises(ConfigError, match="cannot be read"):
        read_settings(tmp_path / "nothing.toml")


@pytest.mark.parametrize(
    ("pattern", "path", "meant"),
    [
        ("*.sh", "examples/x/run.sh", True),
        ("examples/legacy_*/**", "examples/legacy_a/deep/run.sh", True),
        ("examples/legacy_*/**", "examples/new/run.sh", False),
        ("examples/x", "examples/x/run.sh", True),
        ("/run.sh", "examples/run.sh", False),
        ("examples/*/run.sh", "examples/x/run.sh", True),
    ],
)
def test_patterns_are_relative_to_the_file(tmp_path: Path, pattern: str, path: str, meant: bool) -> None:
    assert Settings(directory=tmp_path).matches(pattern, tmp_path / path) is meant
