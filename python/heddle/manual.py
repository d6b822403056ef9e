"""Where the pages of docs/ say more of what commands print."""

LAYOUTS = "Layouts such as loop 8 × 64 B { block 8 } are in bytes; docs/layout.md says how to read them."
