"""The five nodes: each reads the state, lets its agent work, and returns what changed and where to go.

The four labelled edges out of `coordinate` are the only decisions.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from langchain_core.messages import AnyMessage
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from switchyard.agents.asking import has_model
from switchyard.agents.asks import states_of
from switchyard.agents.coordination.agent import Conclusion, conclude, decide
from switchyard.agents.coordination.ways import exhausted, failed_tools, over_limit, status_of
from switchyard.agents.execution.agent import execute
from switchyard.agents.execution.approval import Approval, asked_for, hidden, read_replies, shown_requests
from switchyard.agents.planning.agent import Planned, make_plan, repeats, whole_reading
from switchyard.agents.protocols import Agents
from switchyard.agents.tool_selection.agent import select_tools
from switchyard.agents.verification.agent import verify
from switchyard.agents.workspace_view import look_around
from switchyard.graphs.channels import Channels
from switchyard.graphs.node_run import EquipmentSource, NodeRun, Update, early_status, open_run
from switchyard.graphs.state import OrchestratorState
from switchyard.language.messages import message, quoted
from switchyard.language.words import language_of
from switchyard.ledger.attempts import Attempt
from switchyard.ledger.context import AskState, Clarification, ContextUpdate, ExecutionContext, merge, read
from switchyard.ledger.decisions import Assignment, Decision
from switchyard.ledger.guard import repeated
from switchyard.ledger.limits import LimitName
from switchyard.ledger.options import RunOptions, options_of
from switchyard.ledger.plan import Plan, signature, with_references
from switchyard.ledger.secrets import RunSecrets, unmasked
from switchyard.ledger.stored import Versioned
from switchyard.tools.core.errors import SettingsInvalid
from switchyard.tools.core.json_values import is_object


class Nodes:
    """The nodes of one orchestrator."""

    def __init__(self, equipment: EquipmentSource) -> None:
        self._equipment = equipment

    async def plan(self, state: OrchestratorState, runtime: Runtime[RunOptions]) -> Update:
        """Turn the question into steps, or into an answer at once; ask the user where it cannot be understood."""
        update: dict[str, Any] = {}
        if state.get("decision") or state.get("leads"):
            run = await self._opened(state, runtime)
        else:  # a run begins: nothing of the one before is read
            fresh, update = _fresh_run(state, runtime)
            run = await self._opened(state, runtime, Channels(context=fresh))
            chosen = options_of(runtime.context)
            await run.scope.equipment.hub.check(chosen.named_tools if chosen else [])
            await _note_beginning(run)
        decision, context = run.seen.decision, run.context
        again = {"leads": "question"} | ({} if decision is None else {"decision": decision})
        if context.clarification is not None and context.clarification.reply is None:
            return await run.go_on(again | _replied(context, context.clarification.question))
        if not context.task:
            answer = message("question_empty").text(context.language)
            return await run.go_on(update | {"plan": None, "answer": answer})
        previous = run.seen.plan if decision is not None else None
        planned = await _own(run).get("plan", make_plan)(
            run.scope,
            context.task,
            context=context if previous else None,
            previous=previous,
            by_rules=decision is not None and decision.way == "last_resort",
        )
        if planned.ask_user is not None and context.clarification is None:
            asks = context.model_copy(update={"clarification": Clarification(question=planned.ask_user)})
            await run.scope.equipment.journal.write_calls(run.scope.run_id)
            return await run.go_on(update | again | {"context": asks, "status": "waiting"})
        if decision is None:
            update["assignments"] = {}
        return await _planned(run, planned, previous, update)

    async def select_tools(self, state: OrchestratorState, runtime: Runtime[RunOptions]) -> Update:
        """Give every open step its tools and arguments."""
        run = await self._opened(state, runtime)
        scope, context, plan, decision = run.scope, run.context, run.seen.plan or Plan(), run.seen.decision
        switch = decision if decision is not None and decision.action == "switch_tool" else None
        open_steps = [step for step in plan.steps if context.status(step.id) not in {"done", "refused"}]
        steps = [step for step in open_steps if switch is None or step.id in switch.steps]
        found = await _own(run).get("select_tools", select_tools)(
            scope,
            context.task,
            steps,
            finished=await scope.results_so_far(context) if has_model(scope, "tool_selection") else {},
            failures=context.failures,
            patterns=context.patterns,
            avoid={step.id: failed_tools(step.id, context) for step in steps} if switch else {},
            ranked_before=switch.candidates if switch else {},
        )
        found = [one.model_copy(update={"arguments": scope.secrets.hide(one.arguments)}) for one in found]
        assignments = {**run.seen.assignments, **{assignment.step_id: assignment for assignment in found}}
        scope.emit("assignments", {"assignments": found})
        update: dict[str, Any] = {"plan": with_references(plan, assignments), "assignments": assignments}
        if switch:
            update["decision"] = switch  # the steps it is about are the ones to run
        return await run.go_on(update)

    async def execute(self, state: OrchestratorState, runtime: Runtime[RunOptions]) -> Update:
        """Run the assigned steps along their critical path; ask a person, once, for those that need it.

        Asking is a pass of its own, and so is running what was approved: the reply is kept before anything is done
        with it. So a process that is killed over a call finds that call begun, and not an old question to answer anew.
        """
        run = await self._opened(state, runtime)
        seen, approvals = run.seen, run.seen.approvals
        again = seen.decision.steps if seen.decision is not None else []
        if any(approval.reply is None for approval in approvals.values()):
            answered = _ask_a_person(approvals, run.scope.secrets)
            return await run.go_on({"approvals": answered, "decision": _on_with(again), "status": "running"})
        only = set(again) if again else None
        done = await _own(run).get("execute", execute)(
            run.scope, seen.plan or Plan(), seen.assignments, seen.context, approvals=approvals, again=only
        )
        if done.asked:
            await run.scope.equipment.journal.write_calls(run.scope.run_id)
            run.scope.emit("approval", {"requests": shown_requests(done.asked)})
            # what was replied before holds for the rest of the round
            waits = {"approvals": {**approvals, **done.asked}, "decision": _on_with(done.left), "status": "waiting"}
            return await run.go_on(waits, done.learned)
        return await run.go_on({"approvals": {}}, done.learned)

    async def verify(self, state: OrchestratorState, runtime: Runtime[RunOptions]) -> Update:
        """Check the results of the round together."""
        run = await self._opened(state, runtime)
        checked = await _own(run).get("verify", verify)(run.scope, run.seen.plan or Plan(), run.context)
        return await run.go_on({}, checked)

    async def coordinate(self, state: OrchestratorState, runtime: Runtime[RunOptions]) -> Update:
        """Decide how the run goes on."""
        run = await self._opened(state, runtime)
        context, plan, assignments = run.context, run.seen.plan, run.seen.assignments
        if run.seen.answer:
            return await run.end(Conclusion(run.seen.answer, early_status(context)))
        if plan is None or run.scope.options.plan_only:
            return await run.end(_without_execution(plan, context))
        attempts = await run.scope.equipment.journal.attempts(run.scope.run_id)
        asks = states_of(plan, context, attempts)
        decision, hit = await _decided(run, plan, asks, attempts)
        run.scope.emit("decision", decision)
        learned = ContextUpdate(decisions=[decision], limits_hit=hit)
        if decision.action == "complete":
            context = merge(context, learned)
            conclusion = await conclude(run.scope, plan, context, states=asks)
            return await run.end(conclusion, learned=learned, plan=plan, context=context)
        update: dict[str, Any] = {"decision": decision}
        if decision.action == "replan":
            open_steps = [step for step in plan.steps if context.status(step.id) != "done"]
            learned.replans, learned.rejected_plans = 1, [signature(open_steps)]
        if decision.arguments:
            update["assignments"] = _with_arguments(assignments, decision)
        return await run.go_on(update, learned)

    async def _opened(
        self, state: OrchestratorState, runtime: Runtime[RunOptions], seen: Channels | None = None
    ) -> NodeRun:
        equipment = await self._equipment()
        if seen is None:  # a run that goes on, maybe in a new process; one that begins looks for tools anyway
            await equipment.hub.supply.load()
        return await open_run(equipment, state, runtime, seen)


def _own(run: NodeRun) -> Agents:
    """The agents that the caller of this orchestrator has replaced."""
    return run.scope.equipment.custom.agents


def _fresh_run(state: OrchestratorState, runtime: Runtime[RunOptions]) -> tuple[ExecutionContext, dict[str, Any]]:
    if is_object(held := state.get("context")):
        read(Versioned, held, "context")  # what a newer program has written is not overwritten
    given = _given_question(state).strip()
    question = given or _last_human(state.get("messages") or [])
    info = runtime.execution_info
    # the task's id is the same when the node runs again after a pause: so is the run's
    run_id = info.task_id.replace("-", "")[:16] if info else "run"
    context = ExecutionContext(run_id=run_id, task=question, language=language_of(question))
    update: dict[str, Any] = {"context": context, "approvals": {}, "answer": "", "status": "running"}
    if given:
        # as plain data: LangGraph streams message objects of a node as if they were answers
        update["messages"] = [{"role": "user", "content": given, "id": f"{run_id}-question"}]
    return context, update


async def _note_beginning(run: NodeRun) -> None:
    run.scope.emit("run", {"question": run.context.task})
    journal = run.scope.equipment.journal
    journal.begin(run.scope.run_id)
    # reading what an earlier try of this run left costs nothing here: one trip to the database
    looking = look_around(run.scope, run.context.task)
    await journal.together(run.note("running"), journal.attempts(run.scope.run_id), looking)


async def _planned(run: NodeRun, planned: Planned, previous: Plan | None, update: dict[str, Any]) -> Update:
    """On with a plan, or to the end with an answer, or with what an earlier plan gave."""
    answer = planned.answer or planned.ask_user or ""  # once is enough: a second question is told as the answer
    plan = planned.plan and _hidden(planned.plan, run.scope.secrets)
    kept = previous if plan is None and not answer else plan  # no new plan: the answer is made of what the old one gave
    update |= {"plan": kept, "answer": answer}
    learned = ContextUpdate(
        original_plan=plan,
        available_tools=planned.tools,
        patterns=planned.patterns,
        unplanned=planned.reason,
        basis=planned.basis,
    )
    if plan is not None:
        run.scope.emit("plan", plan)
    if plan is None or run.scope.options.plan_only:
        update["leads"] = "answered at once"
    return await run.go_on(update, learned)


def _hidden(plan: Plan, secrets: RunSecrets) -> Plan:
    """A plan as it is stored: without the secrets among the arguments that came with it."""
    hidden = {step.id: secrets.hide(step.arguments) for step in plan.steps if step.arguments}
    if all(step.arguments == hidden.get(step.id, step.arguments) for step in plan.steps):
        return plan
    steps = [step.model_copy(update={"arguments": hidden.get(step.id, step.arguments)}) for step in plan.steps]
    return plan.model_copy(update={"steps": steps})


async def _decided(
    run: NodeRun, plan: Plan, asks: list[AskState], attempts: Sequence[Attempt]
) -> tuple[Decision, list[LimitName]]:
    """The decision without its secrets, and the limits that led to it."""
    context, options, assignments = run.context, run.scope.options, run.seen.assignments
    decision = await _own(run).get("coordinate", decide)(run.scope, plan, assignments, context)
    hit: list[LimitName] = []
    if decision.action == "complete" and await _rules_are_left(run, plan, asks, attempts):
        decision = Decision(action="replan", way="last_resort", reason="the rules read the question whole")
    elif decision.action == "complete":
        hit = exhausted(plan, context, options, model=has_model(run.scope, "coordination"))
    elif context.iterations >= options.max_iterations:
        hit = ["iterations"]
        decision = over_limit("iterations")
    return _without_secrets(decision, assignments, run.scope.secrets), hit


async def _rules_are_left(run: NodeRun, plan: Plan, asks: list[AskState], attempts: Sequence[Attempt]) -> bool:
    """Whether what a model could not answer is left to the rules: once, where nothing was written or refused yet."""
    context, options = run.context, run.scope.options
    tried = plan.by == "rules" or any(one.way == "last_resort" for one in context.decisions)
    if tried or context.iterations >= options.max_iterations or context.limits_hit:
        return False
    if any(record.status == "refused" for record in context.steps.values()):
        return False
    if status_of(plan, context, asks) == "answered" or any(one.writes for one in attempts):
        return False
    read = await whole_reading(run.scope, context.task)
    if read is None or repeats(read.steps, context.failures) or not _leads_on(run, read, attempts):
        return False
    wanted = [(one.tool, one.action) for one in run.seen.assignments.values()]
    # what should have been written is not done by reading it
    return _writes(run, wanted) == _writes(run, [(one.call.tool, one.call.action) for one in read.steps if one.call])


def _leads_on(run: NodeRun, read: Plan, attempts: Sequence[Attempt]) -> bool:
    """Whether a plan has a call that was not made yet, as it would be made now, and none that may not be made again."""
    hub, options, workspace = run.scope.equipment.hub, run.scope.options, run.scope.equipment.workspace
    made = {one.signature for one in attempts if one.state == "finished"}
    new = False
    for call in (step.call for step in read.steps if step.call is not None):
        better = hub.learned_adjustment(call.tool, call.action, call.arguments, workspace, options.user)
        arguments = better.arguments if better else call.arguments
        same = hub.identify(call.tool, call.action, arguments, workspace).signature
        if repeated(same, run.context.failures, attempts, most=options.max_attempts):
            return False
        new = new or same not in made
    return new


def _writes(run: NodeRun, calls: Iterable[tuple[str | None, str | None]]) -> bool:
    hub = run.scope.equipment.hub
    specs = [(hub.registry.get(tool or ""), action) for tool, action in calls]
    return any(spec is not None and spec.for_action(action).writes for spec, action in specs)


def _on_with(steps: list[str]) -> Decision:
    """What leads `execute` to itself: the steps that are left when a person has replied."""
    return Decision(action="execute_tool", reason="approval", steps=steps)


def _with_arguments(assignments: Mapping[str, Assignment], decision: Decision) -> dict[str, Assignment]:
    """The assignments with the arguments that were decided on."""
    written = {
        step_id: assignments[step_id].model_copy(
            update={"arguments": arguments, "late": False, "missing": [], "by": decision.by}
        )
        for step_id, arguments in decision.arguments.items()
    }
    return {**assignments, **written}


def _given_question(state: Mapping[str, Any]) -> str:
    """The question as a caller gave it; nothing where they gave messages instead."""
    value = state.get("question")
    if value is None:
        return ""
    if not isinstance(value, str):
        raise SettingsInvalid(message("question_no_text", value=repr(value)[:80]))
    return value


def _replied(context: ExecutionContext, asked: str) -> dict[str, Any]:
    """Wait for the user's reply. It is kept before anything is done with it."""
    reply = str(interrupt({"type": "question", "question": asked}))
    replied = Clarification(question=asked, reply=reply)
    # every agent reads what the user added
    task = f"{context.task}\n({asked} {reply})"
    context = context.model_copy(update={"clarification": replied, "task": task})
    return {"context": context, "status": "running"}


def _ask_a_person(approvals: Mapping[str, Approval], secrets: RunSecrets) -> dict[str, Approval]:
    """One interrupt for all requests of the round; a reply that cannot be read is asked for again, with the reason."""
    waiting = {key: approval for key, approval in approvals.items() if approval.reply is None}
    question: dict[str, Any] = {"type": "approval", **asked_for(waiting)}
    requests = [approval.request for approval in waiting.values()]
    while True:
        raw = interrupt(question)
        try:
            replies = read_replies(raw, requests)
        except SettingsInvalid as error:
            question["problem"] = str(error)
        else:
            kept = {key: hidden(reply, secrets) for key, reply in replies.items()}
            answered = {key: one.model_copy(update={"reply": kept[key]}) for key, one in waiting.items()}
            return {**approvals, **answered}


def _without_secrets(decision: Decision, assignments: Mapping[str, Assignment], secrets: RunSecrets) -> Decision:
    """The decision with its secrets hidden; a mask that a model was shown and repeats means what was there."""
    given = {
        step: secrets.hide(unmasked(arguments, assignments[step].arguments))
        for step, arguments in decision.arguments.items()
        if step in assignments
    }
    return decision.model_copy(update={"arguments": given})


def _without_execution(plan: Plan | None, context: ExecutionContext) -> Conclusion:
    if plan is None:
        reason = context.unplanned
        told = message("nothing_planned", reason=quoted(reason)) if reason else message("nothing_to_do")
        return Conclusion(told.text(context.language), "failed")
    lines = [f"{step.id}. {step.description}" + (f" [{step.tool}]" if step.tool else "") for step in plan.steps]
    return Conclusion("\n".join(lines), "answered")


def _last_human(messages: list[AnyMessage]) -> str:
    return next((str(one.text).strip() for one in reversed(messages) if one.type == "human"), "")
