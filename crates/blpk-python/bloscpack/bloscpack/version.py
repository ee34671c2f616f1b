"""Version of the programming interface that this package provides."""

__version__ = "0.16.0"
