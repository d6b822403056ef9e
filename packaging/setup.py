# Properties of the wheel that pyproject.toml cannot express: it has compiled parts, suits any
# Python 3, and brings the program `heddle`. scripts/wheel puts both files beside the package.
import os
import shutil
from glob import glob

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel


class Compiled(Distribution):
    def has_ext_modules(self):
        return True


class Platform(bdist_wheel):
    def get_tag(self):
        return "py3", "none", os.environ.get("WHEEL_PLATFORM") or super().get_tag()[2]

    def write_wheelfile(self, wheelfile_base, *args, **more):
        """Adds the list of others' software that is in the libraries, at the place that PEP 770
        names."""
        super().write_wheelfile(wheelfile_base, *args, **more)
        folder = os.path.join(wheelfile_base, "sboms")
        os.makedirs(folder)
        shutil.copy("heddle.cdx.json", folder)


class Programs(Distribution().get_command_class("build_scripts")):
    """Copies programs. The original reads their first line, as text."""

    def copy_scripts(self):
        self.mkpath(self.build_dir)
        copies = [os.path.join(self.build_dir, os.path.basename(name)) for name in self.scripts]
        for name, copy in zip(self.scripts, copies):
            self.copy_file(name, copy)
        return copies, copies


SHARED = (
    "share/man/man1",
    "share/bash-completion/completions",
    "share/zsh/site-functions",
    "share/fish/vendor_completions.d",
)
setup(
    distclass=Compiled,
    cmdclass={"bdist_wheel": Platform, "build_scripts": Programs},
    scripts=["bin/heddle"],
    package_data={"": ["*.j2"], "heddle": ["native/bin/*", "native/lib/*", "native/include/heddle/*"]},
    data_files=[(folder, glob(f"{folder}/*")) for folder in SHARED],
)
