"""The part of the test framework nose that tests of other projects import. The original does not run on Python 3.10."""
