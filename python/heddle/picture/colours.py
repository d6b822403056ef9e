"""From first packed (blue) by way of green to last packed (yellow): even for most eyes, and in grey
as well."""

_STOPS = ((68, 86, 168), (49, 130, 160), (53, 167, 136), (132, 196, 86), (244, 214, 52))


def at(position: float) -> tuple[int, int, int]:
    """Red, green and blue of a position between 0 and 1."""
    place = min(max(position, 0.0), 1.0) * (len(_STOPS) - 1)
    low = min(int(place), len(_STOPS) - 2)
    part = place - low
    return tuple(round(a + (b - a) * part) for a, b in zip(_STOPS[low], _STOPS[low + 1]))


def hexadecimal(position: float) -> str:
    return "#{:02x}{:02x}{:02x}".format(*at(position))


def ink(position: float) -> str:
    """Black or white: the better readable colour on that background."""
    red, green, blue = at(position)
    return "#000000" if 0.299 * red + 0.587 * green + 0.114 * blue > 140 else "#ffffff"
