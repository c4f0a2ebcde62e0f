"""Parts of ``migrate_check``."""
