"""`tools search`: what stage one of selection finds for a task; with `--explain` why, and what a model would read."""

from typing import Any

from pydantic import BaseModel

from switchyard.agents.planning.agent import shown_tools
from switchyard.app.commands.running import print_json, run_command
from switchyard.app.console import Console
from switchyard.app.hub import open_library
from switchyard.app.settings import NO_MODEL, Settings
from switchyard.app.storage import explained, open_storage
from switchyard.ledger.tokens import estimate_tokens
from switchyard.toolhub.library import UnifiedToolLibrary
from switchyard.toolhub.memory.experience import Experiences
from switchyard.toolhub.recall.bm25 import Scored
from switchyard.toolhub.recall.learned import Experience, Learned

NOTHING = "No tool fits this. 没有合适的工具。"


class TokenAccount(BaseModel):
    """What a model would read about tools for a question of one step, in tokens (R3.8)."""

    planner_lines: int
    ranking_summaries: int
    """Only where the planner names no tool that recall agrees with."""
    definitions: int
    full_catalogue: int

    @property
    def share(self) -> float:
        """Without ranking, against sending the full catalogue."""
        return (self.planner_lines + self.definitions) / max(self.full_catalogue, 1)


def search_tools(query: str, limit: int, *, as_json: bool, explain: bool, user: str, **given: Any) -> int:
    """The tools stage one of selection recalls for a task."""

    async def work(settings: Settings) -> int:
        strategy = "lexical" if settings.embeddings == NO_MODEL else "fused"
        with explained(settings.database_path):
            async with (
                open_storage(settings.database_path, wait=settings.database_wait) as storage,
                open_library(settings) as library,
            ):
                learned = await Experiences(storage.store, library.memory).learned(user or settings.user)
                depth = max(limit, settings.recall_topk)
                found = await library.recall(query, depth, strategy=strategy, learned=learned)
                by_words = [] if found else await library.recall(query, limit, learned=learned)
        rows = [_row(library, scored, learned) for scored in found[:limit]]
        account = _account(library, found)
        if as_json:
            answer: dict[str, Any] = {"query": query, "tools": rows}
            if explain:
                answer |= {"tokens": account.model_dump(), "by_words_alone": [scored.name for scored in by_words]}
            print_json(answer)
        elif explain:
            _explain(query, rows, account, by_words)
        elif not rows:
            Console().say(NOTHING)
        else:
            table = [(row["name"], f"{row['score']:.2f}", ", ".join(row["terms"])) for row in rows]
            Console().show_table(("name", "score", "found by"), table)
        return 0

    return run_command(work, **given)


def _row(library: UnifiedToolLibrary, scored: Scored, learned: Learned) -> dict[str, Any]:
    spec = library.get_tool_by_id(scored.name)
    known = learned.tools.get(scored.name, Experience())
    return {
        "name": scored.name,
        "score": round(scored.score, 3),
        "terms": list(scored.terms),
        "parts": {name: round(score, 3) for name, score in scored.parts.items()},
        "served": [wording.text for wording in known.served],
        "failed_on": [wording.text for wording in known.failed],
        "requires": list(spec.requires) if spec else [],
        "produces": list(spec.produces) if spec else [],
    }


def _account(library: UnifiedToolLibrary, found: list[Scored]) -> TokenAccount:
    names = [scored.name for scored in found]
    return TokenAccount(
        planner_lines=estimate_tokens(library.get_tools_summary(shown_tools(library, names))),
        ranking_summaries=estimate_tokens(library.get_tools_summary(names)),
        definitions=estimate_tokens(library.get_tools_description_by_names(names[:1])),
        full_catalogue=library.full_catalogue_tokens(),
    )


def _explain(query: str, rows: list[dict[str, Any]], account: TokenAccount, by_words: list[Scored]) -> None:
    console = Console()
    console.say(f"Question: {query}\n")
    if rows:
        strategies = list(dict.fromkeys(name for row in rows for name in row["parts"]))
        heads = ("", "tool", "fused", *strategies, "why")
        table = [
            (
                str(number),
                row["name"],
                f"{row['score']:.2f}",
                *(f"{row['parts'][name]:.2f}" if name in row["parts"] else "" for name in strategies),
                _why(row, rows),
            )
            for number, row in enumerate(rows, start=1)
        ]
        console.show_table(heads, table)
    else:
        console.say(NOTHING)
        if by_words:
            names = ", ".join(scored.name for scored in by_words)
            console.say(f"Words alone would have found, too weakly to count: {names}")
    console.say(
        f"\nA model would read {account.planner_lines} tokens of tool lines to plan, and {account.definitions} of the "
        f"first tool's definition: {account.share:.1%} of the full catalogue's {account.full_catalogue}.\n"
        f"Where it names no tool that recall agrees with, {account.ranking_summaries} more to rank."
    )


def _why(row: dict[str, Any], rows: list[dict[str, Any]]) -> str:
    """In a few words, why a tool stands where it does."""
    said: list[str] = []
    if row["terms"]:
        said.append("shares " + ", ".join(row["terms"]))
    if served := row["served"]:
        more = f" and {len(served) - 1} more" if len(served) > 1 else ""
        said.append(f"served before: “{served[-1]}”{more}")
    if row["failed_on"]:
        said.append(f"failed before on “{row['failed_on'][-1]}”")
    needed = {value for other in rows for value in other["requires"]}
    if made := [value for value in row["produces"] if value in needed]:
        said.append(f"gives the {', '.join(made)} that others need")
    return "; ".join(said) or "close in meaning"
