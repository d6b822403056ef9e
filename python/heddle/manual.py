"""Sentences that name the pages of docs/ which explain the output of commands."""

LAYOUTS = "Layouts such as loop 8 × 64 B { block 8 } are in bytes; docs/layout.md says how to read them."
