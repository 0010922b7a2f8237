"""Breaks chosen lines of the product one by one and runs the tests that guard them: each of them has to go red.

    deploy/test.sh --mutants [NAME]...
    Tests/Mutants/mutants.py --check        only that every text stands once and every test is there; builds nothing

Works on a copy of the tree below `.build`, so that nothing here is changed and an interrupted run leaves nothing behind.
A mutant is a line of `mutants.json`: the file, a text that occurs in it once, what stands in its place, and the tests that
must notice. One that does not compile, or whose text is not found, is a fault of the table and counts as one.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
TREE = ROOT / ".build" / "mutants" / "tree"
#: Seconds for one build, and for the tests of one mutant: one that hangs the tests is noticed, too.
BUILD_SECONDS, TEST_SECONDS = 1800, 300
COPIED = ["Package.swift", ".swift-format", "Sources", "Tests", "assets", "deploy", "docs", "README.md", "CHANGELOG.md"]


def copy_tree() -> None:
    """The tree as it is now; times are kept, so that a second run builds only what changed."""
    TREE.mkdir(parents=True, exist_ok=True)
    for name in COPIED:
        source, target = ROOT / name, TREE / name
        if source.is_dir():
            subprocess.run(["cp", "-a", "--update", "--no-target-directory", source, target], check=True)
            for path in sorted(target.rglob("*"), reverse=True):
                if not (ROOT / path.relative_to(TREE)).exists():
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
        else:
            shutil.copy2(source, target)


def run(words: list[str], seconds: int) -> tuple[int, str]:
    """Exit code and output; 124 when the time was over."""
    environment = {**os.environ, "TEAHOUSE_WAIT_SECONDS": "60"}
    child = subprocess.Popen(words, cwd=TREE, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             text=True, errors="replace", start_new_session=True)
    try:
        output, _ = child.communicate(timeout=seconds)
        return child.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, 9)
        output, _ = child.communicate()
        return 124, output


def build() -> str | None:
    """What was wrong; `None` when it built."""
    code, output = run(["swift", "build", "--build-tests"], BUILD_SECONDS)
    return None if code == 0 else "\n".join(line for line in output.splitlines() if "error:" in line)[:1000] or output[-1000:]


def tests(filter: str) -> tuple[bool, str]:
    """Whether they passed, and the first line that says what failed."""
    code, output = run(["swift", "test", "--skip-build", "--parallel", "--filter", filter], TEST_SECONDS)
    if code == 0 and "Test run with 0 tests" in output:
        return False, "no test has this name"
    failures = [line for line in output.splitlines() if "recorded an issue" in line or "Fatal error" in line]
    return code == 0, failures[0].strip()[:160] if failures else f"exit code {code}"


def try_mutant(mutant: dict[str, Any]) -> tuple[bool, str]:
    path = TREE / mutant["file"]
    before = path.read_text()
    if before.count(mutant["find"]) != 1:
        return False, f"{mutant['file']} has the text {before.count(mutant['find'])} times"
    path.write_text(before.replace(mutant["find"], mutant["replace"]))
    try:
        broken = build()
        if broken:
            return False, f"does not compile: {broken}"
        passed, reason = tests(mutant["tests"])
        return (False, "every test passed") if passed else (reason != "no test has this name", reason)
    finally:
        path.write_text(before)
        # Newer than the mutant's objects, so that the next build makes them again.
        os.utime(path, (time.time(), time.time()))


def faults_of(mutant: dict[str, Any]) -> list[str]:
    """Why a line of the table cannot be tried on the tree as it is now."""
    path = ROOT / mutant["file"]
    count = path.read_text().count(mutant["find"]) if path.is_file() else 0
    faults = [] if count == 1 else [f"{mutant['file']} has the text {count} times"]
    for name in mutant["tests"].split("|"):
        module, _, suite = name.partition(".")
        suite = suite.split("/")[0]
        declared = re.compile(rf"\b(struct|class|extension)\s+{re.escape(suite)}\b")
        folder = ROOT / "Tests" / module
        if not any(declared.search(source.read_text()) for source in folder.rglob("*.swift")):
            faults.append(f"there are no tests {name}")
    return faults


def check(mutants: list[dict[str, Any]]) -> int:
    faults = [f"{mutant['name']}: {fault}" for mutant in mutants for fault in faults_of(mutant)]
    print("\n".join(faults) or f"mutants: all {len(mutants)} can be tried")
    return 1 if faults else 0


def main(names: list[str]) -> int:
    mutants = json.loads((Path(__file__).parent / "mutants.json").read_text())
    if names == ["--check"]:
        return check(mutants)
    chosen = [mutant for mutant in mutants if not names or mutant["name"] in names]
    if not chosen:
        print(f"no mutant has this name; there are: {', '.join(mutant['name'] for mutant in mutants)}")
        return 64
    copy_tree()
    broken = build()
    if broken:
        print(f"the tree itself does not build:\n{broken}")
        return 1
    filters = sorted({mutant["tests"] for mutant in chosen})
    green, reason = tests("|".join(filters))
    if not green:
        print(f"the tests fail without any mutant: {reason}")
        return 1
    missed = 0
    for mutant in chosen:
        noticed, reason = try_mutant(mutant)
        missed += not noticed
        print(f"{'red   ' if noticed else 'MISSED'}  {mutant['name']}: {reason}", flush=True)
    build()
    print(f"mutants: {len(chosen) - missed} of {len(chosen)} noticed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
