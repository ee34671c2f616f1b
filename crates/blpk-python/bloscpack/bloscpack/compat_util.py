"""Names that older programs import from here."""

from collections import OrderedDict
from io import BytesIO as StringIO

__all__ = ["OrderedDict", "StringIO"]
