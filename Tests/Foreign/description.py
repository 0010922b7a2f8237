#!/usr/bin/env python3
"""The description of the native API against the server that gives it: `/api/v1/openapi.json` is a good OpenAPI document, and what the
server answers is what it says.

openapi-spec-validator reads the document. schemathesis makes requests out of it, good and bad, one after another and in chains, asks a
running server with the token of a person, and looks at each answer with all of its default checks. Seed and number of requests are
fixed, so that two runs ask the same.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

from house import Checks, House, equal, expect, temporary_folder
from openapi_spec_validator import OpenAPIV31SpecValidator, validate

SEED = 20261123
#: Generated requests of an operation and phase; with --long ten times as many, of another seed each time.
EXAMPLES, MANY_EXAMPLES = 12, 120
#: Seconds after which the run counts as hung.
PATIENCE = 900
PEOPLE = ["romeo", "juliet", "tybalt"]
#: People who are signed out: one for each request that does so.
GUESTS = 400

#: Nobody is slowed down, and the ballast is small.
CONFIGURATION = """
[limits]
messages_per_second_per_user = 1000000
message_burst_per_user = 1000000
messages_per_second_per_conversation = 1000000
message_burst_per_conversation = 1000000
[store]
ballast_bytes = 1048576
[wukong]
api_requests_per_second = 1000000
api_request_burst = 1000000
"""

checks = Checks()
house: House
is_long = False


def ask(path: str, token: str, method: str = "GET", body: Any = None) -> Any:
    request = urllib.request.Request(
        f"http://{house.host}:{house.port}/api/v1{path}", method=method,
        headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
        data=None if body is None else json.dumps(body).encode())
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def furnish() -> dict[str, list[str]]:
    """People, a talk and a group with messages: values for requests that need something to be there."""
    tokens = {name: house.token(name, "web") for name in PEOPLE}
    (house.top / "token").write_text(tokens["romeo"])
    guests = house.add_users([f"guest{number}" for number in range(GUESTS)])
    (house.top / "guests").write_text("\n".join(guests.values()))
    talk = ask("/conversations", tokens["romeo"], "POST", {"kind": "direct", "with": "juliet"})["id"]
    group = ask("/conversations", tokens["romeo"], "POST",
                {"kind": "group", "title": "茶友会", "members": ["juliet", "tybalt"]})["id"]
    messages = []
    for number, (name, conversation) in enumerate([("romeo", talk), ("juliet", talk), ("romeo", group), ("tybalt", group)] * 3):
        sent = ask(f"/conversations/{conversation}/messages", tokens[name], "POST",
                   {"clientToken": f"t{number}", "kind": "text", "text": f"Number {number} 你好"})
        messages.append(sent["id"])
    return {"people": PEOPLE[1:], "conversations": [talk, group], "messages": messages}


def configuration(values: dict[str, list[str]]) -> str:
    """schemathesis.toml: half of the names in paths are of things that are there."""
    places = {"person": "people", "conversation": "conversations", "message": "messages"}
    lists = [f"[dictionaries.{name}]\nvalues = {json.dumps(values[name])}\n" for name in places.values()]
    bindings = [f'"path.{place}" = {{ dictionary = "{name}", probability = 0.5 }}\n' for place, name in places.items()]
    return "".join([*lists, "[parameters]\n", *bindings])


@checks.check("the description is a good document of OpenAPI 3.1")
async def document() -> None:
    with urllib.request.urlopen(f"http://{house.host}:{house.port}/api/v1/openapi.json") as answer:
        equal(answer.headers["Content-Type"], "application/json", "the type of the description")
        value = json.load(answer)
    equal(value["openapi"], "3.1.0", "the version")
    validate(value, cls=OpenAPIV31SpecValidator)
    print(f"      {sum(len(path) for path in value['paths'].values())} operations", flush=True)


async def conform() -> None:
    config = house.top / "schemathesis.toml"
    config.write_text(configuration(furnish()))
    here = Path(__file__).parent
    folder = temporary_folder("teahouse-schemathesis-")
    seed = int.from_bytes(os.urandom(4)) if is_long else SEED
    tool = Path(sys.executable).with_name("schemathesis")
    run = subprocess.Popen(
        [str(tool), "--config-file", str(config), "run", "--seed", str(seed), "--max-examples", str(MANY_EXAMPLES if is_long else EXAMPLES),
         "--continue-on-failure", "--no-color", "--warnings", "off", "--workers", "1", f"http://{house.host}:{house.port}/api/v1/openapi.json"],
        cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env={**os.environ, "SCHEMATHESIS_HOOKS": "description_hooks", "PYTHONPATH": str(here), "TEAHOUSE_TOKENS": str(house.top), "COLUMNS": "200"})
    try:
        output, _ = run.communicate(timeout=PATIENCE * (10 if is_long else 1))
    finally:
        if run.poll() is None:
            run.kill()
            run.wait()
    code = run.returncode
    summary = [line for line in output.splitlines() if "generated" in line or line.startswith("Seed")]
    print("      " + ", ".join(line.strip() for line in summary), flush=True)
    if code != 0:
        print(output, flush=True)
    equal(code, 0, "the exit code of schemathesis")
    expect(summary, "schemathesis asked nothing")


async def main(options: argparse.Namespace) -> int:
    global house, is_long
    is_long = options.long
    house = House(options.binary, config=CONFIGURATION)
    house.start()
    house.add_users(PEOPLE)
    # Not through `check`: it has minutes where a check has seconds.
    code = await checks.run()
    try:
        await conform()
        print("ok    each answer to what schemathesis asks is as the description says", flush=True)
    except Exception as error:
        code = 1
        print(f"FAIL  each answer to what schemathesis asks is as the description says: {error}", flush=True)
    return await Checks().finish(house) or code


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True, help="teahouse")
    parser.add_argument("--long", action="store_true", help="ten times as many requests, of a seed of its own")
    sys.exit(asyncio.run(main(parser.parse_args())))
