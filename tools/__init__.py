"""Native tools, one file each; `tools.core` is the kit a tool author imports."""
