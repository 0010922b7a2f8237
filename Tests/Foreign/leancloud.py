"""LeanCloud apps against a built teahouse: clients that speak as LeanCloud's own SDKs do."""

from __future__ import annotations

import argparse
import asyncio
import sys

import leancloud_place
# Each module adds its checks, in this order: the last one starts the server again.
import leancloud_talk  # noqa: F401
import leancloud_rules  # noqa: F401
from house import equal


async def main(arguments: argparse.Namespace) -> int:
    leancloud_place.start(arguments.binary)
    house = leancloud_place.Place.house
    code = await leancloud_place.checks.run(arguments.only)
    equal(house.stop(), 0, "the exit code of the server")
    complaint = house.verify()
    print("ok    teahouse verify finds nothing" if complaint is None else f"FAIL  teahouse verify: {complaint}")
    return code or (1 if complaint else 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True, help="teahouse")
    parser.add_argument("--only", help="run the checks whose name contains this")
    sys.exit(asyncio.run(main(parser.parse_args())))
