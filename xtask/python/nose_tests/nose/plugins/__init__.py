"""Plugins of nose."""
