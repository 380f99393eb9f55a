"""How a run gets to its answer when things go wrong, by `python -m benchmarks.convergence`.

scenario.py      what a scenario is, read from the YAML files of `convergence_data/`
world.py         the site, folder, databases and tools of a scenario, with their faults
played_tool.py   what a scenario's own tools do, natively or as an MCP server
prompts_read.py  who asks a model, and what the prompt says
players.py       the models, played by a scenario's script
endpoint.py      where they are asked: OpenAI's protocol over HTTP
trials.py        one question asked of us, or of `create_agent`, and what came of it
measures.py      the figures of all trials
"""
