"""The exception that skips a test."""

from unittest import SkipTest

__all__ = ["SkipTest"]
