"""Kinds of project: what their manifest is called, and how their tests are run."""

from __future__ import annotations

from collections.abc import Collection
from fnmatch import fnmatch

from msgspec import Struct


class Kind(Struct, frozen=True):
    """`manifest` is the name of the file by which the kind was recognised."""

    language: str
    manifest: str
    test_command: str


_KINDS = (
    Kind("Python", "pyproject.toml", "python -m pytest -q"),
    Kind("Python", "setup.py", "python -m pytest -q"),
    Kind("Python", "requirements.txt", "python -m pytest -q"),
    Kind("Rust", "Cargo.toml", "cargo test"),
    Kind("Go", "go.mod", "go test ./..."),
    Kind("JavaScript", "package.json", "npm test"),
    Kind("Java", "pom.xml", "mvn -q test"),
    Kind("Java", "build.gradle*", "gradle test"),
    Kind("Ruby", "Gemfile", "bundle exec rake test"),
    Kind("PHP", "composer.json", "composer test"),
    Kind("Elixir", "mix.exs", "mix test"),
    Kind("C#", "*.csproj", "dotnet test"),
    Kind("C/C++", "CMakeLists.txt", "ctest --test-dir build"),
)


def kind_of(names: Collection[str]) -> Kind | None:
    """The first kind whose manifest is among the names of a folder."""
    for kind in _KINDS:
        for name in sorted(names):
            if fnmatch(name, kind.manifest):
                return Kind(kind.language, name, kind.test_command)
    return None
