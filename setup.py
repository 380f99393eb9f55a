"""One importable name over the folders of this project: `switchyard.app` is `app/`, and so on.

The links in `switchyard/` say the same to editors and type checkers. The build does not need them: a checkout may have
lost them (an unpacked archive, a system without links).
"""

from setuptools import find_packages, setup

ROOMS = ("app", "graphs", "agents", "toolhub", "ledger", "tools", "language", "skills")

packages = {"switchyard": "switchyard"}
for room in ROOMS:
    packages[f"switchyard.{room}"] = room
    packages |= {f"switchyard.{room}.{name}": f"{room}/{name.replace('.', '/')}" for name in find_packages(room)}

setup(packages=list(packages), package_dir=packages)
