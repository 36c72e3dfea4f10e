"""The configuration as the analysis sees it."""

from __future__ import annotations

from resilint.config import Configuration
from resilint.link.inputs import Settings


def settings(configuration: Configuration) -> Settings:
    """The part of the configuration that changes what is found, not what is reported."""
    return Settings(
        src=configuration.src,
        long_sleep_threshold=configuration.long_sleep_threshold,
        wait_budget=configuration.wait_budget,
        handler_wait_allowance=configuration.handler_wait_allowance,
        client_deadlines=configuration.client_deadlines,
        outbound_groups=frozenset(configuration.outbound_groups),
        blocking_groups=frozenset(configuration.blocking_groups),
        run_blocking=configuration.run_blocking,
        timeout_expression=configuration.timeout_expression,
        house_client=configuration.house_client,
        worker_deadlines=configuration.worker_deadlines,
        roles=configuration.roles,
        outbound=configuration.outbound,
        blocking=configuration.blocking,
        enqueue=configuration.enqueue,
        rejected=configuration.rejected,
        sql_dialects=configuration.sql_dialects,
    )
