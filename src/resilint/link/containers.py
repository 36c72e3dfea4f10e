"""Containers in sets of entities: kept one of a kind and two deep, so that sets stay small and the fixpoint ends."""

from __future__ import annotations

from resilint.link.entities import Entities, Entity, Many, Mapp, Nothing, Plain, Tup

DEPTH = 2
"""A list of tuples is followed, a list of lists of tuples is not."""
MOST_KEYS = 64


def normal(entities: Entities, depth: int = DEPTH) -> Entities:
    """The same set with all lists joined to one, all dicts to one, and tuples of one length to one."""
    for entity in entities:
        if isinstance(entity, (Many, Mapp, Tup)):
            break
    else:
        if depth == DEPTH:
            return entities
        return frozenset(e for e in entities if not isinstance(e, (Plain, Nothing)))
    flat: set[Entity] = set()
    many: set[Entity] | None = None
    values: set[Entity] | None = None
    items: dict[str, set[Entity]] = {}
    tuples: dict[int, list[set[Entity]]] = {}
    for entity in entities:
        if isinstance(entity, Many):
            many = many or set()
            many |= entity.elements
        elif isinstance(entity, Mapp):
            values = values or set()
            values |= entity.values
            for key, types in entity.items:
                items.setdefault(key, set()).update(types)
        elif isinstance(entity, Tup):
            known = tuples.setdefault(len(entity.items), [set() for _ in entity.items])
            for slot, types in zip(known, entity.items, strict=True):
                slot |= types
        elif depth == DEPTH or not isinstance(entity, (Plain, Nothing)):
            flat.add(entity)  # numbers and texts inside containers decide nothing
    if depth > 0:
        if many is not None:
            flat.add(Many(normal(frozenset(many), depth - 1)))
        if values is not None:
            kept = tuple((k, normal(frozenset(items[k]), 0)) for k in sorted(items)[:MOST_KEYS])
            flat.add(Mapp(normal(frozenset(values), 0), kept))
        for slots in tuples.values():
            flat.add(Tup(tuple(normal(frozenset(slot), depth - 1) for slot in slots)))
    return frozenset(flat)
