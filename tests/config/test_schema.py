"""The schema that editors read says what the reader accepts."""

from __future__ import annotations

import json
from pathlib import Path

import resilint.config
from resilint.config.keys import KEYS
from resilint.config.schema import schema

SHIPPED = Path(resilint.config.__file__).with_name("schema.json")


def test_the_shipped_copy_is_current() -> None:
    assert json.loads(SHIPPED.read_text(encoding="utf-8")) == json.loads(json.dumps(schema()))


def test_all_keys_and_no_others() -> None:
    shipped = json.loads(SHIPPED.read_text(encoding="utf-8"))
    assert list(shipped["properties"]) == [key.name for key in KEYS]
    assert shipped["additionalProperties"] is False
    assert all(entry["description"].endswith(".") for entry in shipped["properties"].values())
