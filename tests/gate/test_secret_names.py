"""Files that by their names hold passwords or keys: they may lie in the project, and are asked about."""

from __future__ import annotations

import shlex

import pytest

from chatcli.errors import Denied
from chatcli.gate.questions import Answer
from chatcli.gate.secretnames import holds_secrets

SECRET = """
    .env .env.local .env.production .ENV prod.env .envrc .netrc _netrc .npmrc .pypirc .pgpass .htpasswd
    .git-credentials .vault-token kubeconfig prod.kubeconfig credentials credentials.json aws-credentials.yml
    client_secret.json client_secret_123.json service-account.json gcp-service-account-key.json secrets.yaml
    app.secrets.toml terraform.tfstate terraform.tfstate.backup prod.tfvars server.key server.pem key.pem
    cert-key.pem ca.private.pem id_rsa id_ed25519.old my.p12 release.keystore putty.ppk
"""
FREE = """
    .env.example .env.sample .env.template example.env credentials.example.json id_rsa.pub cert.pem
    fullchain.pem cacert.pem ca-bundle.pem public.pem secrets.py credentials.py test_secrets.json.py
    environment.yml env.py keys.py README.md terraform.tf secretary.txt package.json .env.dist
"""


@pytest.fixture
def project(world):
    for name in ("a.py", ".env", ".env.example", "credentials.json", "tls/server.key", "src/b.py"):
        world.file(name, "TOKEN=abc\n")
    return world


@pytest.mark.parametrize("name", SECRET.split())
def test_names_of_secrets(name: str) -> None:
    assert holds_secrets(name)


@pytest.mark.parametrize("name", FREE.split())
def test_names_of_examples_public_halves_and_code(name: str) -> None:
    assert not holds_secrets(name)


@pytest.mark.parametrize("autonomy", ["ask", "edits", "all"])
async def test_reading_one_asks_under_every_autonomy(project, person, autonomy: str) -> None:
    asked = person(Answer("once"))
    gate = project.gate(autonomy, person=asked)
    assert await gate.read(".env") == project.project / ".env"
    assert [(str(q.rule), q.title) for q in asked.asked] == [
        ("read:.env", "Read a file that may hold passwords or keys")
    ]
    with pytest.raises(Denied, match="The user denied"):
        await gate.read("tls/server.key")
    assert await gate.read(".env.example")
    assert await gate.read("src")


async def test_plan_mode_and_nobody_deny_it_and_a_rule_that_names_it_allows_it(project, person) -> None:
    with pytest.raises(Denied, match=r"Plan mode.*passwords or keys"):
        await project.gate("plan", person=person()).read(".env")
    with pytest.raises(Denied, match=r"nobody is here.*--allow read:\.env"):
        await project.gate("all").read(".env")
    for rule in ("read:.", "read:tls"):
        with pytest.raises(Denied):
            await project.gate(allow=[rule]).read("tls/server.key")
    for rule in ("read:tls/server.key", "read:tls/*.key", "read:**/server.key"):
        assert await project.gate("plan", allow=[rule]).read("tls/server.key")


async def test_a_link_to_one_is_one(project) -> None:
    (project.project / "notes.txt").symlink_to(".env")
    with pytest.raises(Denied, match="passwords or keys"):
        await project.gate().read("notes.txt")


@pytest.mark.parametrize(
    "text",
    [
        "cat .env",
        "cat .e*",
        "head -3 a.py .env",
        "cat < .env",
        "sort *.json",
        "for f in .env; do cat $f; done",
        "grep TOKEN .env",
        "grep -rn TOKEN .",
        "grep -r TOKEN --include=.env .",
        "cd tls && grep -r x",
        "rg TOKEN",
        "rg --hidden TOKEN",
        "rg -g .env TOKEN",
        "rg -ng '.e*' TOKEN",
        "rg -g '{a.py,.env}' TOKEN",
        "git diff .env",
        "cp .env a.txt",
        "mv .env a.txt",
        "base64 .env",
        "source .env",
        "python a.py --env-file=.env",
        "git add .env",
    ],
)
def test_commands_that_read_one_ask_under_every_autonomy(project, text: str) -> None:
    for autonomy in ("ask", "all"):
        verdict = project.gate(autonomy).judge(text)
        assert verdict.decision == "ask"
        assert "passwords or keys" in " ".join(verdict.reasons)
    assert project.gate("plan").judge(text).decision == "deny"


@pytest.mark.parametrize(
    "text",
    [
        "ls -la .env",
        "test -f .env && echo yes",
        "stat .env; wc -l *",
        "find . -name .env",
        "git status .env; git check-ignore .env",
        "cat .env.example",
        "grep -n .env a.py",
        "grep -rn TOKEN src",
        "grep -rn TOKEN --include=*.py .",
        "grep -rn TOKEN --exclude=.env* --exclude=*.json --exclude=*.key .",
        "rg TOKEN src",
        "rg -g '*.{py,md}' TOKEN",
        "rg TOKEN -g '!credentials.json' --glob '!*.key'",
    ],
)
def test_names_and_what_leaves_them_out_only_read(project, text: str) -> None:
    assert project.gate("plan").judge(text).read_only


def test_a_rule_that_names_it_covers_commands_too(project) -> None:
    gate = project.gate(allow=["read:.env"])
    assert gate.judge("cat .env").read_only
    assert not gate.judge("cat tls/server.key").read_only


def test_keys_of_installed_packages_hold_up_no_search(project) -> None:
    for name in (".env", "credentials.json", "tls/server.key"):
        (project.project / name).unlink()
    project.file("node_modules/x/test/server.key")
    project.file(".venv/lib/site-packages/x/server.key")
    assert project.gate().judge("grep -rn x .").read_only


def test_what_is_found_below_a_folder_is_shown_without_them(project) -> None:
    gate = project.gate()
    assert gate.may_show(project.project / "a.py")
    assert not gate.may_show(project.project / ".env")
    assert project.gate(allow=["read:.env"]).may_show(project.project / ".env")


OPENED = """
    grep -r --exclude=* --include=*.env TOKEN .
    grep -r --exclude=x --include=*.py TOKEN .
    grep -r --exclude=.ENV TOKEN .
    grep -r --exclude=nowhere/.env TOKEN .
    grep -r --exclude={.env,x} TOKEN .
    grep -r --exclude=[.]env TOKEN .
    grep -r --include=[^x]env TOKEN .
    grep -r --exclude=.e --include=.e?? TOKEN .
    grep -r --exclude-from=a.py TOKEN .
    rg -g !* -g *.env TOKEN
    rg -g *.py -g .env TOKEN
    rg -ng .env -g *.py TOKEN
    rg -g *.py --iglob .ENV TOKEN
    rg --iglob .ENV -g !.env TOKEN
    rg -g !nowhere/.env -. TOKEN
    rg -g !.ENV -. TOKEN
    rg -g \\\\.env TOKEN
    rg -g #*.py -uu TOKEN
    rg --type-add x:.env -tx TOKEN
    rg --type-add py:.env -tpy TOKEN
    rg -tpy -g .env TOKEN
    rg -tpy -g * TOKEN
    rg --ignore-file a.py TOKEN
    grep -r -f a.py
    rg -uf a.py
"""
LEFT_OUT = """
    grep -r TOKEN --include=*.py .
    grep -r TOKEN --include=*.py --exclude=test* .
    grep -r TOKEN --include=* --exclude=.env .
    grep -rn TOKEN --exclude=.env .
    rg TOKEN
    rg -tpy --type md TOKEN
    rg -g !.env -. TOKEN
    rg -g !**/.env --hidden TOKEN
    rg -g * -g !.e* TOKEN
    rg -ng *.{py,md} TOKEN
    rg --files --hidden
"""


@pytest.mark.parametrize("text", [line for line in OPENED.splitlines() if line.strip()])
def test_a_search_whose_globs_do_not_surely_keep_it_off_asks(world, text: str) -> None:
    world.file("a.py")
    world.file(".env")
    quoted = shlex.join(text.replace("\\\\", "\\").split())
    assert "passwords or keys" in " ".join(world.gate().judge(quoted).reasons)


@pytest.mark.parametrize("text", [line for line in LEFT_OUT.splitlines() if line.strip()])
def test_a_search_that_leaves_it_out_only_reads(world, text: str) -> None:
    world.file("src/a.py")
    world.file(".env")
    assert world.gate().judge(shlex.join(text.split())).read_only


def test_an_ignore_file_that_names_it_lets_ripgrep_in(world) -> None:
    world.file("sub/.env")
    assert world.gate().judge("rg TOKEN").read_only
    world.file(".gitignore", "*\n!.env*\n")
    assert not world.gate().judge("rg TOKEN").read_only
    assert world.gate().judge("rg -g '!.env' TOKEN").read_only


def test_a_glob_that_is_only_known_when_it_runs_keeps_nothing_out(world) -> None:
    world.file(".env")
    assert not world.gate().judge("x=y; x=.env; grep -r --exclude=$x TOKEN .").read_only
    assert not world.gate().judge("x=y; x=.env; grep -r --include=$x TOKEN .").read_only
