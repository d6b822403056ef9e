"""Pictures: from the scikit-image package to the programs' files, and from those to PNG."""

import importlib.util
from pathlib import Path

import numpy as np
from PIL import Image, UnidentifiedImageError

from heddle.problem import Problem


def load(name: str, largest: int) -> np.ndarray:
    """Grey levels, rows x columns, 8 bits each. A picture with a side longer than `largest` is made
    smaller.

    @param name  a picture of scikit-image, or the path of another
    """
    package = importlib.util.find_spec("skimage")
    bundled = Path(package.origin).parent / "data" if package and package.origin else Path()
    path = bundled / name if (bundled / name).is_file() else Path(name)
    try:
        with Image.open(path) as image:
            grey = image.convert("L")
            grey.thumbnail((largest, largest))
            return np.asarray(grey)
    except FileNotFoundError:
        known = sorted(file.name for file in bundled.iterdir() if file.suffix in (".jpg", ".png")) if package else []
        raise Problem(
            f"there is no picture {name}. scikit-image has {', '.join(known) or 'none (run `make build`)'}."
        ) from None
    except (UnidentifiedImageError, OSError) as error:
        raise Problem(f"{path} cannot be read as a picture ({error}).") from None


def save(picture: np.ndarray, path: Path) -> Path:
    """Writes PNG or PGM, by the suffix of the name."""
    Image.fromarray(np.clip(np.rint(picture), 0, 255).astype(np.uint8)).save(path)
    return path


def corner(path: Path, height: int, width: int) -> np.ndarray:
    """The upper left tile of a program's output (.pgm or .npy)."""
    if path.suffix == ".npy":
        return np.load(path, mmap_mode="r")[:height, :width]
    with Image.open(path) as image:
        return np.asarray(image.crop((0, 0, min(width, image.width), min(height, image.height))))
