"""Kills the server again and again while files go up and down, and asks afterwards whether it kept every byte.

Thirty people upload and read (see `file_load.py`) while the server is ended by SIGKILL at random moments. In the end
every file that was acknowledged as complete is there byte for byte, nobody ever read anything else under its name,
no file that was not finished was ever served, and `verify` finds nothing.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Foreign"))

from file_load import FILES, Person, Town  # noqa: E402
from house import PATIENCE, House, HouseError  # noqa: E402


def run(arguments: argparse.Namespace) -> int:
    dice = random.Random(arguments.seed)
    house = House(arguments.binary, config=FILES)
    house.start()
    names = [f"person{number:02}" for number in range(arguments.people)]
    shared = [dice.randbytes(700_000), b"the same again and again " * 40_000]
    town = Town(house, house.add_users(names), 3_000_000, shared)
    people = [Person(name, town, dice.randrange(1 << 32)) for name in names]
    for person in people:
        person.start()
    starts = []
    for _ in range(arguments.kills):
        time.sleep(dice.random() * 2 * arguments.seconds / arguments.kills)  # the moment of the kill is what varies
        house.kill()
        starts.append(house.start())
    town.is_closing = True
    for person in people:
        person.join(8 * PATIENCE)
        if person.failure is not None or person.is_alive():
            town.complain(f"{person.name} did not come to an end: {person.failure!r}")
    for person in people:
        for kept in town.kept:
            if kept.owner == person.name:
                person.read_at_last(kept)
        person.hang_up()
    house.stop()
    complaint = house.verify()
    if complaint:
        town.complain(f"teahouse verify: {complaint}")
    print(f"file kills: {len(starts)} kills, ready again after {max(starts) * 1000:.0f} ms at most; "
          + ", ".join(f"{name} {count}" for name, count in sorted(town.counts.items())))
    for example in town.complaints:
        print(f"file kills: {example}")
    clean = not town.complaints and town.counts["files"] > 0 and town.counts["resumed uploads"] > 0
    print(f"file kills: {'every byte is there' if clean else 'FAILED, repeat with --seed ' + str(arguments.seed)}")
    return 0 if clean else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True, help="teahouse")
    parser.add_argument("--people", type=int, default=30)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=20, help="of load, about, without the restarts")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    arguments = parser.parse_args()
    print(f"file kills: seed {arguments.seed}", flush=True)
    return run(arguments)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except HouseError as error:
        sys.exit(f"file kills: {error}")
