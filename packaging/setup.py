# Properties of the wheel that pyproject.toml cannot express: it has compiled parts, and suits any
# Python 3. scripts/wheel puts both files beside the package.
import os
from glob import glob

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel


class Compiled(Distribution):
    def has_ext_modules(self):
        return True


class Platform(bdist_wheel):
    def get_tag(self):
        return "py3", "none", os.environ.get("WHEEL_PLATFORM") or super().get_tag()[2]


SHARED = (
    "share/man/man1",
    "share/bash-completion/completions",
    "share/zsh/site-functions",
    "share/fish/vendor_completions.d",
)
setup(
    distclass=Compiled,
    cmdclass={"bdist_wheel": Platform},
    package_data={"heddle": ["native/bin/*", "native/lib/*", "native/include/heddle/*"]},
    data_files=[(folder, glob(f"{folder}/*")) for folder in SHARED],
)
