"""Heddle's command line. The libraries of heddle/native do the work itself."""

__version__ = "0.1.0"
