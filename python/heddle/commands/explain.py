"""heddle explain: what a datatype looks like."""


def explain(spec: str) -> None:
    """Explain a datatype."""
