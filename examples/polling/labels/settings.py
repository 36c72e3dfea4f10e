"""What can be set. For each system connect < read < total < 60 s: an inner timeout that is longer never fires."""

from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="LABELS_")

    database_url: str = "postgresql+asyncpg://localhost/labels"
    database_pool: int = 10
    database_connect_timeout: float = 2.0
    database_total_timeout: float = 10.0

    carrier_url: str = "https://carrier.example"
    carrier_connect_timeout: float = 1.0
    carrier_read_timeout: float = 4.0
    carrier_total_timeout: float = 6.0
    carrier_slots: int = 10

    pager_url: str = "https://pager.example"
    pager_connect_timeout: float = 1.0
    pager_read_timeout: float = 2.0
    pager_total_timeout: float = 4.0
    pager_slots: int = 2

    breaker_threshold: int = 5
    breaker_pause: float = 30.0

    poll_interval: float = 1.0
    lease: float = 60.0
    """Seconds until a claimed task is due again: more than the totals of all that one attempt calls."""
    max_attempts: int = 20
    backoff_first: float = 2.0
    backoff_cap: float = 300.0

    manifest_time: float = 30.0
    manifests_at_once: int = 20
    render_workers: int = 2
    shutdown_grace: float = 5.0
