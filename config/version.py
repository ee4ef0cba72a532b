"""Which version this is; pyproject.toml says the same, and a test holds both together."""

VERSION = "0.1.0"
