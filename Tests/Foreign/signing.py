"""The signing servers of docs/leancloud-signing.md against `teahouse ctl app sign`: what the page shows is what is checked."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from house import House

APP_ID, MASTER_KEY = "teahouse-test-app-gzGzoHsz", "MasterKeyForTeahouseTests01"
CONVERSATION = "551260efe4b01608686c3e0f"
PAGE = Path(__file__).resolve().parents[2] / "docs" / "leancloud-signing.md"

#: What the page signs, and how `ctl` is asked for the same.
CASES: list[tuple[dict[str, Any], list[str]]] = [
    ({}, ["open"]),
    ({"members": ["Jerry", "Tom", "Bob"], "action": "start"}, ["start", "--members", "Jerry,Tom,Bob"]),
    ({"action": "start"}, ["start"]),
    ({"members": ["小明", "é", "z", "Z"], "action": "start"}, ["start", "--members", "小明,é,z,Z"]),
    *(({"members": ["Mary", "Harry"], "conversation": CONVERSATION, "action": signed},
       [word, "--members", "Mary,Harry", "--conversation", CONVERSATION])
      for word, signed in [("invite", "invite"), ("kick", "kick"), ("block", "conversation-block-clients"),
                           ("unblock", "conversation-unblock-clients")]),
    ({"conversation": CONVERSATION, "action": "history"}, ["history", "--conversation", CONVERSATION]),
]
TIMES = [1794873600000, 1794873600]


def sample(language: str) -> str:
    """The only block of the page in this language."""
    (block,) = re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    return str(block)


def main(binary: str) -> int:
    page: dict[str, Any] = {"__name__": "page"}
    exec(sample("python"), page)  # noqa: S102 - our own page
    place = House(binary, config=f'[leancloud]\napp_id = "{APP_ID}"\n[store]\nballast_bytes = 1048576\n')
    place.start()
    subprocess.run([binary, "ctl", "--data", str(place.data), "app", "rotate", "master-key", "--overlap", "0", "--key-stdin"],
                   input=MASTER_KEY + "\n", text=True, check=True, capture_output=True)
    failed = 0
    for wanted, words in CASES:
        for time in TIMES:
            made = page["sign"](APP_ID, MASTER_KEY, "Tom", timestamp=time, nonce="a1b2c3", **wanted)
            told = json.loads(place.ctl("app", "sign", *words, "--client", "Tom", "--timestamp", str(time),
                                        "--nonce", "a1b2c3", "--json"))
            right = all(made[field] == told[field] for field in ("signature", "timestamp", "nonce"))
            failed += not right
            print("ok   " if right else "FAIL ", " ".join(words), time, "" if right else f"{made} is not {told}")
    script = sample("sh") + f"\nAPP_ID={APP_ID} MASTER_KEY={MASTER_KEY}\nsign_open Tom 1794873600 a1b2c3\n"
    shell = json.loads(subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True).stdout)
    right = shell["signature"] == "abfa72ba1864bf3ddda5ccbcb029f4a32da8e9fe"
    failed += not right
    print("ok   " if right else "FAIL ", "the shell", "" if right else shell)
    example = re.search(r"^\$ teahouse ctl (app sign .*)\n((?:[A-Z]+ .*\n)+)", PAGE.read_text(), re.MULTILINE)
    right = example is not None and place.ctl(*example[1].split()) == example[2]
    failed += not right
    print("ok   " if right else "FAIL ", "the page's example of ctl")
    place.stop()
    return 1 if failed else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True, help="teahouse")
    sys.exit(main(parser.parse_args().binary))
