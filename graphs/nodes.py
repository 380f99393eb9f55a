"""The five nodes: each reads the state, lets its agent work, and returns where to go with what changed.

The four labelled edges out of `coordinate` are the only decisions. One way out is not drawn: a node that a caller's own
small `recursion_limit` leaves no step after it ends the run with the best answer so far.
"""

import asyncio
from collections.abc import Mapping
from typing import Any

from langchain_core.messages import AnyMessage
from langgraph.runtime import Runtime
from langgraph.types import Command, interrupt

from agents.asking import has_model
from agents.coordination.agent import Conclusion, conclude, decide
from agents.coordination.remedies import remedies
from agents.coordination.rules import exhausted, failed_tools
from agents.coordination.wording import say
from agents.execution.agent import execute
from agents.execution.approval import ApprovalReply, ApprovalRequest, read_replies
from agents.language.words import language_of
from agents.planning.agent import Planned, make_plan
from agents.recounting import results_so_far
from agents.scope import RunScope
from agents.tool_selection.agent import select_tools
from agents.tool_selection.ordering import with_references
from agents.verification.agent import verify
from graphs.passage import GOTO, Goto, Passage, early_status
from graphs.state import OrchestratorState
from ledger.context import ContextUpdate, ExecutionContext, merge_context
from ledger.decisions import Assignment, Candidate, Decision
from ledger.limits import LimitName
from ledger.options import RunOptions
from ledger.plan import Plan, signature
from tools.core.errors import SettingsInvalid


class Nodes(Passage):
    """The nodes of one orchestrator."""

    async def plan(self, state: OrchestratorState, runtime: Runtime[RunOptions]) -> Command[Goto]:
        """Turn the question into steps, or into an answer at once."""
        decision = state.get("decision")
        update: dict[str, Any] = {}
        context = state.get("context") or ExecutionContext()
        if decision is None:
            context, update = self._fresh_run(state, runtime)
        scope = await self.scope(state, runtime, context)
        asked = await self._begun(scope, context) if decision is None else await self._asked(scope)
        if not context.task:
            update |= {"plan": None, "answer": say("empty_question", context.language)}
            return await self.goto("coordinate", update, ContextUpdate(), state=state, scope=scope, context=context)
        previous = state.get("plan") if decision is not None else None
        planned, task = await self._planned(scope, context, previous, asked)
        if task != context.task:  # every agent reads what the user added
            context = context.model_copy(update={"task": task})
            update["context"] = context
        update |= {"plan": planned.plan, "answer": planned.answer or ""}
        if decision is None:
            update["assignments"] = {}
        if planned.plan is None and previous is not None and not planned.answer:
            update["plan"] = previous  # no new plan: the answer is made of what the old one gave
        learned = ContextUpdate(original_plan=planned.plan, available_tools=planned.tools, patterns=planned.patterns)
        if planned.plan is not None:
            scope.emit("plan", planned.plan.model_dump(mode="json"))
        to_select = planned.plan is not None and not scope.options.plan_only
        return await self.goto(
            "select_tools" if to_select else "coordinate", update, learned, state=state, scope=scope, context=context
        )

    async def select_tools(self, state: OrchestratorState, runtime: Runtime[RunOptions]) -> Command[Goto]:
        """Give every open step its tools and arguments."""
        context, plan = _context(state), _plan(state)
        scope = await self.scope(state, runtime, context)
        decision, assignments = state.get("decision"), dict(state.get("assignments") or {})
        switch = decision if decision is not None and decision.action == "switch_tool" else None
        wanted = set(switch.steps) if switch else None
        steps = [
            step
            for step in plan.steps
            if _status(context, step.id) not in {"done", "refused"} and (wanted is None or step.id in wanted)
        ]
        found = await select_tools(
            scope,
            context.task,
            steps,
            finished=await results_so_far(scope, context),
            failures=context.failures,
            avoid={step.id: failed_tools(step.id, context) for step in steps} if switch else {},
            ranked_before=await self._left(scope, plan, assignments, context, switch.tools) if switch else {},
        )
        assignments |= {assignment.step_id: assignment for assignment in found}
        scope.emit("assignments", {"assignments": [assignment.model_dump(mode="json") for assignment in found]})
        update: dict[str, Any] = {"plan": with_references(plan, assignments), "assignments": assignments}
        if switch:
            update["decision"] = switch  # the steps it is about are the ones to run
        return await self.goto("execute", update, ContextUpdate(), state=state, scope=scope, context=context)

    async def execute(self, state: OrchestratorState, runtime: Runtime[RunOptions]) -> Command[Goto]:
        """Run the assigned steps along their critical path."""
        context, decision = _context(state), state.get("decision")
        scope = await self.scope(state, runtime, context)
        again = set(decision.steps) if decision is not None and decision.steps else None
        assignments = state.get("assignments") or {}
        learned = await execute(scope, _plan(state), assignments, context, _ask_a_person, again=again)
        return await self.goto("verify", {}, learned, state=state, scope=scope, context=context)

    async def verify(self, state: OrchestratorState, runtime: Runtime[RunOptions]) -> Command[Goto]:
        """Check the results of the round together."""
        context = _context(state)
        scope = await self.scope(state, runtime, context)
        learned = await verify(scope, _plan(state), context)
        return await self.goto("coordinate", {}, learned, state=state, scope=scope, context=context)

    async def coordinate(self, state: OrchestratorState, runtime: Runtime[RunOptions]) -> Command[Goto]:
        """Decide how the run goes on."""
        context, plan = _context(state), state.get("plan")
        scope = await self.scope(state, runtime, context)
        if state.get("answer"):
            return await self.end(Conclusion(state.get("answer", ""), early_status(context)), {}, scope, context)
        if plan is None or scope.options.plan_only:
            return await self.end(_without_execution(plan, context), {}, scope, context)
        assignments = state.get("assignments") or {}
        decision = await decide(scope, plan, assignments, context)
        hit: list[LimitName] = []
        if decision.action == "complete":
            hit = exhausted(plan, context, scope.options.limits, model=has_model(scope, "coordination"))
        elif context.iterations >= scope.options.max_iterations:
            hit = ["iterations"]
            decision = Decision(action="complete", reason="the limit of iterations is reached")
        scope.emit("decision", decision.model_dump(mode="json"))
        learned = ContextUpdate(decisions=[decision], limits_hit=hit)
        if decision.action == "complete":
            context = merge_context(context, learned)
            conclusion = await conclude(scope, plan, context)
            return await self.end(conclusion, {"context": learned}, scope, context, plan=plan)
        update: dict[str, Any] = {"decision": decision}
        if decision.action == "replan":
            open_steps = [step for step in plan.steps if _status(context, step.id) != "done"]
            learned.replans, learned.rejected_plans = 1, [signature(open_steps)]
        if decision.arguments:
            update["assignments"] = {
                step_id: assignment.model_copy(
                    update={"arguments": decision.arguments[step_id], "late": False, "missing": [], "by": decision.by}
                )
                if step_id in decision.arguments
                else assignment
                for step_id, assignment in assignments.items()
            }
        return await self.goto(GOTO[decision.action], update, learned, state=state, scope=scope, context=context)

    async def _left(
        self,
        scope: RunScope,
        plan: Plan,
        assignments: Mapping[str, Assignment],
        context: ExecutionContext,
        chosen: Mapping[str, str],
    ) -> Mapping[str, list[Candidate]]:
        """The tools to switch to, by step, as the decision to switch saw them; the one it chose comes first."""
        found = await remedies(scope, plan, assignments, context, model=has_model(scope, "coordination"))
        return {step: sorted(left, key=lambda one: one.tool != chosen.get(step)) for step, left in found.left.items()}

    def _fresh_run(
        self, state: OrchestratorState, runtime: Runtime[RunOptions]
    ) -> tuple[ExecutionContext, dict[str, Any]]:
        messages = state.get("messages") or []
        given = (state.get("question") or "").strip()
        question = given or _last_human(messages)
        info = runtime.execution_info
        # the task's id is the same when the node runs again after a pause: so is the run's
        run_id = state.get("run_id") or (info.task_id.replace("-", "")[:16] if info else "run")
        context = ExecutionContext(run_id=run_id, task=question, language=language_of(question))
        update: dict[str, Any] = {"context": context, "answer": "", "status": "failed"}
        if given:
            # as plain data: LangGraph streams message objects of a node as if they were answers
            update["messages"] = [{"role": "user", "content": given, "id": f"{run_id}-question"}]
        return context, update

    async def _begun(self, scope: RunScope, context: ExecutionContext) -> str | None:
        """Note that the run began; says what its planner asked before it was paused here."""
        scope.emit("run", {"question": context.task})
        journal = scope.equipment.journal
        journal.begin(scope.run_id)
        refreshed = scope.equipment.library.refresh()  # a tool dropped in a moment ago can be used
        if journal.volatile:  # nothing to wait for, and no earlier try
            await asyncio.gather(refreshed, self.note_run(scope, context, "running"))
            return await self._asked(scope)
        # reading what an earlier try of this run left costs nothing here: the three are one trip to the database
        asked, *_ = await asyncio.gather(
            self._asked(scope), self.note_run(scope, context, "running"), journal.attempts(scope.run_id), refreshed
        )
        return asked

    async def _asked(self, scope: RunScope) -> str | None:
        return await scope.equipment.journal.question(scope.run_id) if has_model(scope, "planning") else None

    async def _planned(
        self, scope: RunScope, context: ExecutionContext, previous: Plan | None, asked: str | None
    ) -> tuple[Planned, str]:
        """A plan and the task it is for, which is longer when the planner had to ask the user."""
        task, known = context.task, context if previous is not None else None
        if asked is None or _answered(asked, task):
            planned = await make_plan(scope, task, context=known, previous=previous)
            if planned.ask_user is None:
                return planned, task
            if _answered(planned.ask_user, task):
                return Planned(answer=planned.ask_user, tools=planned.tools), task
            asked = planned.ask_user
            journal = scope.equipment.journal
            await asyncio.gather(journal.write_question(scope.run_id, asked), journal.write_calls(scope.run_id))
        reply = interrupt({"type": "question", "question": asked})
        task = f"{task}\n({asked} {reply})"
        planned = await make_plan(scope, task, context=known, previous=previous)
        if planned.ask_user is not None:  # once is enough
            planned = Planned(answer=planned.ask_user, tools=planned.tools)
        return planned, task


def _ask_a_person(requests: list[ApprovalRequest]) -> Mapping[str, ApprovalReply]:
    """One interrupt for all requests of the round; a reply that cannot be read is asked for again, with the reason."""
    question: dict[str, Any] = {"type": "approval", "requests": [r.model_dump(mode="json") for r in requests]}
    while True:
        raw = interrupt(question)
        try:
            return read_replies(raw, requests)
        except SettingsInvalid as error:
            question["problem"] = str(error)


def _without_execution(plan: Plan | None, context: ExecutionContext) -> Conclusion:
    if plan is None:
        return Conclusion(say("nothing", context.language), "failed")
    lines = [f"{step.id}. {step.description}" + (f" [{step.tool}]" if step.tool else "") for step in plan.steps]
    return Conclusion("\n".join(lines), "answered")


def _context(state: OrchestratorState) -> ExecutionContext:
    return state.get("context") or ExecutionContext()


def _plan(state: OrchestratorState) -> Plan:
    return state.get("plan") or Plan()


def _status(context: ExecutionContext, step_id: str) -> str:
    record = context.steps.get(step_id)
    return record.status if record else "pending"


def _answered(asked: str, task: str) -> bool:
    return f"\n({asked} " in task


def _last_human(messages: list[AnyMessage]) -> str:
    return next((str(message.text).strip() for message in reversed(messages) if message.type == "human"), "")
