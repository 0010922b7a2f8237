"""Tokens for schemathesis: one person asks, and whoever is signed out by a request is somebody else each time."""

from __future__ import annotations

import os
from itertools import cycle
from pathlib import Path

import schemathesis

folder = Path(os.environ["TEAHOUSE_TOKENS"])
person = (folder / "token").read_text()
guests = cycle((folder / "guests").read_text().split())
SIGNING_OUT = {"signOut", "signOutOthers", "signOutDevice"}


@schemathesis.auth(refresh_interval=None)
class Token:
    def get(self, case: schemathesis.Case, context: schemathesis.AuthContext) -> str:
        operation = context.operation.definition.raw.get("operationId")
        return next(guests) if operation in SIGNING_OUT else person

    def set(self, case: schemathesis.Case, data: str, context: schemathesis.AuthContext) -> None:
        case.headers = case.headers or {}
        case.headers["Authorization"] = f"Bearer {data}"
