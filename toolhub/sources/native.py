"""Native tools: every module of a folder is imported; a broken file is named and the others load (R4.2).

A tool of several files is a package: a folder whose `tool.py` has the tool. What is said to the tools, and by them, may
stand in the folder's `wordings.tsv` instead of `@tool`: the tool, or `tool.action`; which kind of text; the text.
A class may have `needs`, the modules it cannot work without, each with what to install: `{"duckdb": "duckdb>=2"}`.
Functions and classes of a caller's own are run in the same way: schemas come from annotations.
"""

import importlib
import inspect
import json
import os
import sys
import traceback
import typing
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import anyio.to_thread
from pydantic import create_model

from switchyard.language.messages import Message, message, quoted
from switchyard.toolhub.calling.arguments import checked, said
from switchyard.toolhub.calling.request import ToolRequest, no_such_action
from switchyard.toolhub.registry import RegisteredTool
from switchyard.tools.core.context import ToolContext
from switchyard.tools.core.decorator import ToolCall
from switchyard.tools.core.effect import Effect
from switchyard.tools.core.errors import ToolBroken, ToolFailed
from switchyard.tools.core.json_values import is_object
from switchyard.tools.core.network import NetworkPolicy
from switchyard.tools.core.params import BaseToolParams
from switchyard.tools.core.result import ToolResult
from switchyard.tools.core.spec import FunctionToolSpec, ToolCapability, ToolSpec

PACKAGED = "tool.py"
"""The file of a package that has its tool."""
WORDINGS = "wordings.tsv"
Described = TypeVar("Described", ToolSpec, ToolCapability)


Stamp = tuple[int, int, int]
"""When a file or a folder was changed last, its size, and which one it is."""


def stamp(path: str | os.PathLike[str]) -> Stamp | None:
    """What tells that a file or a folder has changed; None where it is not there."""
    try:
        status = os.stat(path)  # noqa: PTH116  before every question: a `Path` takes twice as long
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


@dataclass(frozen=True, slots=True)
class BrokenFile:
    """A tool file that did not load."""

    path: Path
    error: str


@dataclass(slots=True)
class Discovery:
    """What a folder gave."""

    tools: list[RegisteredTool] = field(default_factory=list[RegisteredTool])
    broken: list[BrokenFile] = field(default_factory=list[BrokenFile])


def discover(folder: Path, package: str | None = None, *, packages: bool = True) -> Discovery:
    """Import every module of `folder` and collect its tools.

    Where it is no importable package, files are loaded by path under a private name, so that a user's `tools/` never
    shadows ours. `packages`: whether a folder with a `tool.py` is a tool too; among skills, a folder is a skill.
    """
    found = Discovery()
    is_ours = package is not None
    package = package or _private_package(folder)
    wordings = _wordings(folder / WORDINGS)
    for path in tool_files(folder, packages=packages):
        try:
            module = importlib.import_module(module_name(folder, package, path))
            own = [cls for _, cls in inspect.getmembers(module, inspect.isclass) if cls.__module__ == module.__name__]
            tools = dict.fromkeys(cls for cls in own if "__tool_spec__" in cls.__dict__)  # one may have a second name
            found.tools += [_registered(cls, path.absolute(), wordings) for cls in tools]
            if not is_ours:  # what we bring is tested
                from switchyard.toolhub.sentences import file_beside, problems  # noqa: PLC0415  needed here alone

                found.broken += [BrokenFile(file_beside(path), problem) for problem in problems(path)]
        except (Exception, SystemExit) as error:  # noqa: BLE001  whatever a file raises, it costs that file only
            found.broken.append(BrokenFile(path, _last_line(error, path)))
    return found


def module_name(folder: Path, package: str, file: Path) -> str:
    """What a file of a folder is imported as."""
    return ".".join((package, *file.relative_to(folder).with_suffix("").parts))


def tool_files(folder: Path, *, packages: bool = True) -> list[Path]:
    """The modules of a folder that are imported: its files and the `tool.py` of its packages, but for private ones."""
    files = [file for file in folder.glob("*.py") if not file.name.startswith("_")]
    tools = folder.glob(f"*/{PACKAGED}") if packages else ()
    return sorted(files + [file for file in tools if "." not in file.parent.name and file.parent.name[0] != "_"])


class NativeRunner:
    """Runs a tool object: `async def` in the event loop, `def` in a thread that is abandoned on cancellation."""

    def __init__(
        self, tool: object, calls: Mapping[str, ToolCall], name: str, previews: Mapping[str, ToolCall] | None = None
    ) -> None:
        self.tool = tool
        self._calls = calls
        self._previews = previews or {}
        self._name = name
        needs: object = getattr(tool, "needs", None)
        self._missing = missing_package(needs) if is_object(needs) else None
        self.conditional = self._missing is not None or hasattr(tool, "unusable")

    @classmethod
    def of(cls, described: type) -> "NativeRunner":
        """Runs an object of a class with `@tool`."""
        spec, calls, previews = (described.__dict__[f"__tool_{part}__"] for part in ("spec", "calls", "previews"))
        return cls(described(), calls, spec.tool_id, previews)

    async def __call__(self, request: ToolRequest) -> ToolResult:
        """Check the arguments, run the method of the action, wrap what it returns."""
        if self._missing:
            raise ToolFailed(self._missing, kind="unavailable", lasting=True)
        value = await self._made(self._calls[self._operation(request.action)], request)
        return value if isinstance(value, ToolResult) else ToolResult(result=value)

    async def preview(self, request: ToolRequest) -> list[Effect]:
        """What the tool says the call would do; nothing where it cannot say."""
        call = self._previews.get(self._operation(request.action))
        return [] if call is None else await self._made(call, request)

    async def _made(self, call: ToolCall, request: ToolRequest) -> Any:
        method = getattr(self.tool, call.method)
        inputs: dict[str, Any] = {call.params_name: checked(call.params_model, self._name, request.given)}
        if call.context_name is not None:
            inputs[call.context_name] = request.context
        if call.is_async:
            return await method(**inputs)
        return await anyio.to_thread.run_sync(lambda: method(**inputs), abandon_on_cancel=True)

    def unusable(self, network: NetworkPolicy) -> str | None:
        """What the tool says is missing for it to work here at all; most have nothing to say."""
        asked: Callable[[NetworkPolicy], object] = getattr(self.tool, "unusable", lambda _: None)
        with suppress(Exception):  # whatever it raises, the call itself will say it
            told = self._missing or asked(network)
            return told if isinstance(told, str) else None
        return None

    def read(self, action: str | None, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments as the method gets them."""
        return said(checked(self._calls[self._operation(action)].params_model, self._name, arguments))

    def _operation(self, action: str | None) -> str:
        if len(self._calls) == 1:
            return next(iter(self._calls))  # whatever name a model gives the only one
        if action is not None and action in self._calls:
            return action
        raise no_such_action(self._name, action, list(self._calls))


def missing_package(needs: Mapping[str, Any]) -> Message | None:
    """The first of the modules a tool needs that is not there, with what to install for it."""
    missing = [module for module in needs if find_spec(module) is None]
    return message("package_missing", package=missing[0], install=str(needs[missing[0]])) if missing else None


def class_tool(cls: type) -> RegisteredTool:
    """A class with `@tool` that a caller hands in.

    Raises:
        ToolBroken: when no object can be made of it.
    """
    with _told(lambda why: message("class_raises", name=cls.__name__, why=why)):
        return _registered(cls, None, {})


@contextmanager
def _told(tell: Callable[[Message], Message]) -> Generator[None]:
    """Tell what a caller's code raises, whatever it is, as the reason why it is no tool."""
    try:
        yield
    except Exception as error:
        why = str(error) if isinstance(error, ToolBroken) else f"{type(error).__name__}: {error}"
        raise ToolBroken(tell(quoted(why))) from error


def _registered(cls: type, file: Path | None, wordings: Mapping[str, Sequence[Sequence[str]]]) -> RegisteredTool:
    described: ToolSpec = cls.__dict__["__tool_spec__"]
    spec = _worded(described, wordings.get(described.tool_id, ()))
    actions = tuple(_worded(one, wordings.get(f"{spec.tool_id}.{one.name}", ())) for one in spec.capabilities)
    told = dict.fromkeys([*spec.sentences, *(sentence for one in actions for sentence in one.sentences)])
    spec = spec.model_copy(update={"capabilities": actions, "sentences": tuple(told)})
    return RegisteredTool(spec, NativeRunner.of(cls), file)


def _wordings(file: Path) -> Mapping[str, Sequence[Sequence[str]]]:
    found: dict[str, list[list[str]]] = {}
    for line in file.read_text(encoding="utf-8").splitlines() if file.is_file() else ():
        name, *said = line.split("\t")
        found.setdefault(name, []).append(said)
    return found


def _worded(one: Described, said: Sequence[Sequence[str]]) -> Described:
    """A tool or an action with its wordings: `tags`, what is `asked` of it, what it answers; of an action, a `call`."""
    tags = [tag for kind, text in said if kind == "tags" for tag in text.split("|")]
    asked = [text for kind, text in said if kind == "asked"]
    answers = {kind: text for kind, text in said if kind in {"en", "zh"}}
    calls = tuple(json.loads(text) for kind, text in said if kind == "call")
    more: dict[str, Any] = ({"tags": tuple(tags)} if tags else {}) | ({"examples": calls} if calls else {})
    return one.model_copy(update={**more, "sentences": (*one.sentences, *asked), "answers": {**one.answers, **answers}})


def _private_package(folder: Path) -> str:
    """A package that is the folder under a name of our own, so that its files can import each other: `from ._x`.

    Its `__init__.py`, if it has one, is not run: it was written for another name. What an earlier reading has imported
    is forgotten: files that are imported by others may have changed as well.
    """
    name = f"_switchyard_tools_{abs(hash(folder.resolve())):x}"
    for known in [known for known in sys.modules if known.startswith(f"{name}.")]:
        cached = getattr(sys.modules.pop(known), "__cached__", None)
        if cached:  # bytecode goes by seconds and size: a file changed twice in one second would stay as it was
            with suppress(OSError):
                Path(cached).unlink(missing_ok=True)
    # the import system remembers what a folder has; forgetting all of it fails where two threads do so at once
    for seen in [path for path in list(sys.path_importer_cache) if Path(path).is_relative_to(folder.resolve())]:
        sys.path_importer_cache.pop(seen, None)
    package = ModuleType(name)
    package.__path__ = [str(folder.resolve())]
    sys.modules[name] = package
    return name


def _last_line(error: BaseException, path: Path) -> str:
    """The error with the line of the file it came from; a `SyntaxError` names that itself."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if Path(frame.filename).resolve() == path.resolve()]
    return f"{type(error).__name__}: {error}" + (f" (line {lines[-1]})" if lines else "")


_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_OF_ANY_TOOL = set(ToolSpec.model_fields)


def function_tool(given: FunctionToolSpec) -> RegisteredTool:
    """A function, or the class that is named, with its description, ready to be registered.

    A class is imported and made here: this is for specs that a caller wrote in code, never for what a file says.

    Raises:
        ToolBroken: with what is wrong with it.
    """
    if given.function is not None:
        if given.tool_id == "<lambda>":  # what Python calls a function without a name
            raise ToolBroken(message("function_nameless"))
        names = [one.name for one in given.capabilities] or [given.tool_id]
        return _of_functions(given, dict.fromkeys(names, given.function))
    made = _made(given)
    own: ToolSpec | None = getattr(made, "__tool_spec__", None)
    if own is not None:
        said = given.model_dump(include=_OF_ANY_TOOL, exclude_unset=True, exclude={"capabilities"})
        calls, previews = made.__tool_calls__, made.__tool_previews__
        return RegisteredTool(own.model_copy(update=said), NativeRunner(made, calls, given.tool_id, previews))
    names = {one.name: one.name for one in given.capabilities} or {given.tool_id: "execute"}
    if missing := [name for name in names.values() if not callable(getattr(made, name, None))]:
        told = message("class_no_tool", name=given.class_name, methods=missing)
        raise ToolBroken(told if given.capabilities else message("class_no_execute", name=given.class_name))
    return _of_functions(given, {operation: getattr(made, name) for operation, name in names.items()})


def _made(given: FunctionToolSpec) -> Any:
    """The object that a spec names by module and class."""
    if not given.module_path or not given.class_name:
        raise ToolBroken(message("tool_without_code", tool=given.tool_id))
    with _told(lambda why: message("module_not_usable", module=given.module_path, why=why)):
        module = importlib.import_module(given.module_path)
    cls = getattr(module, given.class_name, None)
    if not inspect.isclass(cls):
        raise ToolBroken(message("no_such_class", module=given.module_path, name=given.class_name))
    with _told(lambda why: message("class_not_made", name=given.class_name, why=why)):
        return cls(**given.init_params)


def _of_functions(given: FunctionToolSpec, functions: Mapping[str, Callable[..., Any]]) -> RegisteredTool:
    """Functions by the operation each carries out, run as the methods of a tool class would be."""
    operations = {one.name: one for one in given.capabilities}
    calls: dict[str, ToolCall] = {}
    capabilities: list[ToolCapability] = []
    runs: dict[str, Any] = {}
    for number, (name, function) in enumerate(functions.items()):
        with _told(lambda why, name=name: message("function_unreadable", name=name, why=why)):
            model, execute = _as_method(given.tool_id, function)
        runs[f"execute_{number}"] = staticmethod(execute)
        is_async = inspect.iscoroutinefunction(function)
        calls[name] = ToolCall(f"execute_{number}", model, "params", "context", is_async)
        own = operations.get(name, ToolCapability(name=name, description=given.summary))
        schema = own.parameters or model.model_json_schema()
        capabilities.append(own.model_copy(update={"parameters": schema}))
    described = given.model_dump(include=_OF_ANY_TOOL) | {"capabilities": tuple(capabilities)}
    runner = NativeRunner(type("Functions", (), runs)(), calls, given.tool_id)
    return RegisteredTool(ToolSpec.model_validate(described), runner)


def _as_method(name: str, function: Callable[..., Any]) -> tuple[type[BaseToolParams], Callable[..., Any]]:
    """A parameter model for the arguments of a function, and a method that takes it."""
    hints = typing.get_type_hints(function, include_extras=True)
    contexts: list[str] = []
    fields: dict[str, Any] = {}
    for parameter in inspect.signature(function).parameters.values():
        annotation = hints.get(parameter.name, Any)
        if annotation is ToolContext:
            contexts.append(parameter.name)
        elif parameter.kind in _NAMED:
            default = ... if parameter.default is inspect.Parameter.empty else parameter.default
            fields[parameter.name] = (annotation, default)
        else:
            raise ToolBroken(message("argument_unnamed", argument=str(parameter)))

    def execute(params: BaseToolParams, context: ToolContext) -> Any:
        return function(**{name: getattr(params, name) for name in fields}, **dict.fromkeys(contexts, context))

    return create_model(name, __base__=BaseToolParams, **fields), execute
