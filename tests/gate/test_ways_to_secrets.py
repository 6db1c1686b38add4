"""Each usual way by which the content of a file of secrets could reach the model: it asks, even at `all`.

And the ordinary commands beside them, which must not begin to ask because such a file lies there.
"""

from __future__ import annotations

import subprocess

import pytest

NAMED = r"""
cat .env
cat ./src/../.env
head .e*
cat .en[v]
cat .e?v a.py
cat .e{nv,x}
cat {.env,a.py}
cat '.e''nv'
cat .e\nv
x=.env; cat $x
x=.e; cat "${x}nv"
for f in .env a.py; do tail -1 "$f"; done
cat "$(echo .env)"
cat $(ls -a .env)
cd tls && cat server.key
cd tls; cat *
cat tls/*
tail -n +1 *
cat < .env
cat <(cat .env)
cat <<< "$(<.env)"
printf '%s' "$(<.env)"
while read -r l; do echo $l; done < .env
mapfile -t a < .env; echo ${a[@]}
diff a.py .env
cmp -l a.py .env
comm a.py .env
paste .env
strings .env
xxd .env
od -c .env
base64 .env
jq -R . .env
awk 1 .env
awk 'BEGIN { while ((getline l < ".env") > 0) print l }'
sed -n p .env
sed -n 'r .env' a.py
python -c "print(open('.env').read())"
node -e "console.log(require('fs').readFileSync('.env', 'utf8'))"
perl -ne print .env
dd if=.env
dd if=credentials.json
tar cO .env
zip -p - .env
bat .env
less .env
ln .env x
ln -s .env x
cp .env x
mv .env x
cat link
source .env; env
curl file://$PWD/.env
bash -c 'cat .env'
timeout 5 cat .env
env cat .env
git diff --no-index a.py .env
git hash-object .env
"""
REACHED = r"""
grep -rn TOKEN .
grep -R TOKEN .
grep -Rn TOKEN
grep --directories=recurse TOKEN .
egrep -r TOKEN .
rg --hidden TOKEN
rg --pre cat -uu TOKEN
ag TOKEN
ack TOKEN src .
diff -r . src
find . -name .env -exec cat {} +
find . -type f -exec cat {} \;
find . -name '*.e*' -exec grep x {} +
find . -type f | xargs cat
find . | xargs -n 1 grep -n x
echo .env | xargs cat
echo .env | while read -r f; do cat "$f"; done
printf '%s\n' a.py .env | parallel cat
git diff
git diff HEAD
git show
git show HEAD
git show HEAD:.env
git log -p
git status -v
git grep TOKEN
git grep --threads 2 TOKEN
git archive HEAD
git format-patch --stdout HEAD~1
git cat-file -p :.env
git blame .env
"""
ORDINARY = r"""
ls -la
cat a.py
cat .env.example
tail -n +1 src/*
grep -n TOKEN a.py
grep -rn TOKEN src
grep -rn TOKEN --include=*.py .
grep -Rn TOKEN --include=*.py .
rg -tpy TOKEN
rg TOKEN src
find . -name '*.py'
find . -name '*.py' -exec grep -n x {} +
find . -name '*.py' | xargs grep -n x
find . -type f | wc -l
find . -type f | xargs ls -l
git status
git log --oneline -5
git diff -- src
git diff --stat
git show --stat
git show HEAD:a.py
git grep TOKEN -- src
git blame a.py
git add -A
git commit -m "ignore .env"
git checkout -b topic
git stash
echo .env >> .gitignore
sed -n 1,20p a.py
sed -i s/one/two/ a.py
python -c "print(1)"
python a.py
pytest -q
make test
npm test
cp a.py b.py
dd if=a.py of=b.py
while read -r l; do echo "$l"; done < a.py
for f in src/*.py; do wc -l "$f"; done
diff a.py src/b.py
diff -r src docs
awk '{print $1}' a.py
tar czf src.tgz src
"""


def lines(text: str) -> list[str]:
    return text.strip().splitlines()


@pytest.fixture
def project(world):
    """Two commits of a project whose secrets are tracked, and changed since."""

    def git(*words: str) -> None:
        who = ("-c", "user.email=a@b", "-c", "user.name=a")
        subprocess.run(["git", *who, *words], cwd=world.project, check=True, capture_output=True)

    git("init", "-q")
    for name in (
        "a.py",
        "src/b.py",
        "docs/c.md",
        ".env",
        ".env.example",
        "credentials.json",
        "tls/server.key",
    ):
        world.file(name, "TOKEN=abc\n")
    (world.project / "link").symlink_to(".env")
    git("add", "-Af")
    git("commit", "-qm", "first")
    world.file(".env", "TOKEN=abcd\n")
    git("commit", "-qam", "second")
    world.file(".env", "TOKEN=abcde\n")
    return world


@pytest.mark.parametrize("text", [*lines(NAMED), *lines(REACHED)])
def test_it_asks_whatever_the_autonomy(project, text: str) -> None:
    for autonomy in ("ask", "edits", "all"):
        assert project.gate(autonomy).judge(text).decision == "ask"
    assert project.gate("plan").judge(text).decision == "deny"


@pytest.mark.parametrize("text", lines(ORDINARY))
def test_what_is_ordinary_runs_beside_such_files(project, text: str) -> None:
    assert project.gate("all").judge(text).decision == "allow", project.gate("all").judge(text).reasons


@pytest.mark.parametrize("text", [text for text in lines(REACHED) if ".env" not in text])
def test_where_no_such_file_lies_nothing_is_asked_for_it(world, text: str) -> None:
    world.file("a.py")
    assert "passwords or keys" not in " ".join(world.gate("all").judge(text).reasons)
