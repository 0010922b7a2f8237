"""The unmodified `leancloud` from PyPI against a built teahouse: what an app's own server does with conversations and messages.

Its requests are signed with the master key; nothing about it is changed but the address, by the variable it reads itself.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys

from house import Checks, House, HouseError, equal, expect

# A script beside this one has the package's name.
sys.path.pop(0)
import leancloud  # noqa: E402

checks = Checks()


class Place:
    house: House
    conversation: str
    service: str


CONFIGURATION = """
[leancloud]
enabled = true
[store]
ballast_bytes = 1048576
"""


def text_of(message: str) -> str:
    return json.dumps({"_lctype": -1, "_lctext": message})


@checks.check("the clock is told")
async def clock() -> None:
    moment = leancloud.client.get_server_time()
    expect(moment.year >= 2026, moment)


@checks.check("a conversation is made, found, renamed, and people come and go")
async def conversations() -> None:
    conversation = leancloud.Conversation("tea", is_unique=False)
    conversation.add_member("ann")
    conversation.add_member("bob")
    conversation.set("colour", "green")
    conversation.save()
    expect(len(conversation.id) == 24, conversation.id)
    Place.conversation = conversation.id
    found = leancloud.Query("_Conversation").get(conversation.id)
    equal((found.get("name"), sorted(found.get("m")), found.get("colour")), ("tea", ["ann", "bob"], "green"))
    found.set("name", "green tea")
    found.add_unique("m", "cai")
    found.save()
    found.remove("m", "bob")
    found.save()
    again = leancloud.Query("_Conversation").equal_to("name", "green tea").first()
    equal(sorted(again.get("m")), ["ann", "cai"])
    equal(leancloud.Query("_Conversation").equal_to("m", "cai").count(), 1)


@checks.check("messages are sent and read, of one conversation, of one person and of all")
async def messages() -> None:
    conversation = leancloud.Query(leancloud.Conversation).get(Place.conversation)
    conversation.send("ann", {"_lctype": -1, "_lctext": "one"})
    conversation.send("cai", text_of("two"), push_data={"alert": "two"})
    conversation.send("ann", text_of("gone"), transient=True)
    found = leancloud.Message.find_by_conversation(Place.conversation)
    equal([json.loads(message.data)["_lctext"] for message in found], ["two", "one"])
    equal([message.from_client for message in found], ["cai", "ann"])
    equal(found[0].conversation_id, Place.conversation)
    older = leancloud.Message.find_by_conversation(
        Place.conversation, before_time=found[0].timestamp, before_message_id=found[0].message_id, limit=10)
    equal([json.loads(message.data)["_lctext"] for message in older], ["one"])
    equal([message.from_client for message in leancloud.Message.find_by_client("ann")], ["ann"])
    equal(len(leancloud.Message.find_all(limit=1)), 1)


@checks.check("a message is changed by the path of version 1.1")
async def patch() -> None:
    first = leancloud.Message.find_by_conversation(Place.conversation, reversed=True, limit=1)[0]
    leancloud.client.put("/rtm/patch/message", {
        "from_peer": first.from_client, "conv_id": Place.conversation, "msg_id": first.message_id,
        "timestamp": round(first.timestamp * 1000), "message": text_of("changed")})
    first = leancloud.Message.find_by_conversation(Place.conversation, reversed=True, limit=1)[0]
    equal(json.loads(first.data)["_lctext"], "changed")


@checks.check("subscribers of a system conversation are written to; a broadcast to everybody is refused in words")
async def services() -> None:
    service = leancloud.Conversation("news", is_system=True)
    service.save()
    leancloud.client.post("/rtm/broadcast/subscriber", {
        "from_peer": "admin", "conv_id": service.id, "message": text_of("news")})
    try:
        service.broadcast("admin", text_of("everybody"))
    except leancloud.LeanCloudError as error:
        expect("subscribers" in error.error, error)
    else:
        raise AssertionError("a broadcast was taken")


@checks.check("several requests go in one, and what is deleted is gone")
async def batch() -> None:
    made = [leancloud.Conversation(f"batch {number}") for number in range(3)]
    leancloud.Object.save_all(made)
    expect(all(one.id for one in made), made)
    leancloud.Object.destroy_all(made)
    equal(leancloud.Query("_Conversation").equal_to("name", "batch 1").count(), 0)


@checks.check("a wrong master key is refused as the SDK knows it")
async def wrong_key() -> None:
    right = leancloud.client.MASTER_KEY
    leancloud.client.MASTER_KEY = "x" * 24
    try:
        leancloud.Query("_Conversation").find()
    except leancloud.LeanCloudError as error:
        equal((error.code, error.error), (401, "Unauthorized."))
    else:
        raise HouseError("a wrong key was taken")
    finally:
        leancloud.client.MASTER_KEY = right


@checks.check("nothing is wrong in the folder afterwards")
async def verified() -> None:
    equal(Place.house.stop(), 0, "exit code")
    equal(Place.house.verify(), None, "verify")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True, help="the teahouse to test")
    parser.add_argument("--only", help="checks whose names have this in them")
    arguments = parser.parse_args()
    Place.house = House(arguments.binary, config=CONFIGURATION)
    Place.house.start()
    keys = json.loads(Place.house.ctl("app", "keys", "--json"))
    os.environ["LC_API_SERVER"] = f"http://{Place.house.host}:{Place.house.port}"
    leancloud.init(keys["appId"], app_key=keys["appKey"], master_key=keys["masterKey"])
    return asyncio.run(checks.run(arguments.only))


if __name__ == "__main__":
    sys.exit(main())
