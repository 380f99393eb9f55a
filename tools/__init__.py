"""Native tools, a file or a package each; `switchyard.tools.core` is the kit a tool author imports, as `switchyard`."""

if __name__ != "switchyard.tools":
    raise ImportError("Tools import their kit by another name: `from switchyard import tool, BaseToolParams, …`.")
