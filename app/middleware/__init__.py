"""Two-stage tool selection and the failure guard for any agent of `langchain.agents.create_agent` (R9.8).

    create_agent(model, tools, middleware=[SwitchyardToolSelection(topk=10), SwitchyardFailureGuard()])

The agent's tools are registered in a hub of their own: what finds tools, knows a call again and mends it there is what
our own agents use. The agent calls its tools itself.
"""

from importlib.util import find_spec

from switchyard.language.messages import message
from switchyard.tools.core.errors import SettingsInvalid

if find_spec("langchain") is None:
    raise SettingsInvalid(message("package_missing", package="langchain", install="switchyard[middleware]"))
