"""LeanCloud apps against a built teahouse: clients that speak as LeanCloud's own SDKs do."""

from __future__ import annotations

import argparse

import leancloud_place
# Each module adds its checks, in this order: the last one starts the server again.
import leancloud_talk  # noqa: F401
import leancloud_rules  # noqa: F401
from house import run_checks


async def main(arguments: argparse.Namespace) -> int:
    leancloud_place.start(arguments.binary)
    house = leancloud_place.Place.house
    return await leancloud_place.checks.finish(house, arguments.only)


if __name__ == "__main__":
    run_checks(main, __doc__)
