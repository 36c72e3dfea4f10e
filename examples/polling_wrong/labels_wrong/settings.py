"""Timeouts of which the inner ones never fire."""

from pydantic_settings import BaseSettings


class Settings(BaseSettings):
    carrier_connect_timeout: float = 5.0
    carrier_read_timeout: float = 5.0  # timeout-hierarchy: connecting may take as long as reading
    carrier_total_timeout: float = 90.0  # timeout-hierarchy: the proxy in front gave up after 60 s

    polls: int = 300
    poll_interval: float = 0.1
