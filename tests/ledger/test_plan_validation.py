"""A plan is repaired or rejected, never followed into a circle."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchyard.ledger.plan import MAX_STEPS, Call, ForEach, Plan, Step, signature, validated
from switchyard.tools.core.errors import PlanRejected


def step(step_id: str, *dependencies: str, description: str = "", for_each: str | None = None) -> Step:
    loop = ForEach(step=for_each, path=".rows") if for_each else None
    return Step(id=step_id, description=description or step_id, dependencies=list(dependencies), for_each=loop)


def ids(plan: Plan) -> list[str]:
    return [found.id for found in plan.steps]


def test_an_unknown_dependency_is_left_out() -> None:
    assert validated([step("s1", "nowhere")]).steps[0].dependencies == []


def test_a_step_does_not_wait_for_itself() -> None:
    assert validated([step("s1", "s1")]).steps[0].dependencies == []


def test_a_step_does_not_run_over_its_own_items() -> None:
    assert validated([step("s1", for_each="s1")]).steps[0].for_each is None


def test_running_over_the_items_of_an_unknown_step_is_left_out() -> None:
    assert validated([step("s1", for_each="nowhere")]).steps[0].for_each is None


@pytest.mark.parametrize(("name", "other"), [("s1", "s1_2"), ("查_水位", "查_水位_2")])
def test_a_step_with_another_name_is_still_referred_to(name: str, other: str) -> None:
    content = {"content": f"{{{{{name}.rows[0].n}}}}", "lines": [f"n = {{{{ {name}#number }}}}", "{{name}}"]}
    write = Step(id="w", description="w", dependencies=[name], call=Call(tool="write_to_file", arguments=content))
    kept = step(name, description="another one")
    plan = validated([step(name), write], kept=[kept], taken=[name])
    assert ids(plan) == [name, other, "w"]
    assert plan.steps[2].dependencies == [other]
    assert plan.steps[2].call is not None
    assert plan.steps[2].call.arguments == {
        "content": f"{{{{{other}.rows[0].n}}}}",
        "lines": [f"n = {{{{ {other}#number }}}}", "{{name}}"],
    }


def test_running_over_the_items_of_a_step_is_waiting_for_it() -> None:
    assert validated([step("s1"), step("s2", for_each="s1")]).steps[1].dependencies == ["s1"]


@pytest.mark.parametrize(
    "steps",
    [
        [step("s1", "s2"), step("s2", "s1")],
        [step("s1", "s3"), step("s2", "s1"), step("s3", "s2")],
        [step("s1", for_each="s2"), step("s2", "s1")],
    ],
)
def test_a_circle_is_rejected(steps: list[Step]) -> None:
    with pytest.raises(PlanRejected, match="wait for each other"):
        validated(steps)


def test_a_rejected_circle_names_its_steps_and_no_others() -> None:
    with pytest.raises(PlanRejected, match="The steps s2, s3 wait"):
        validated([step("s1"), step("s2", "s3"), step("s3", "s2")])


def test_a_plan_without_steps_is_rejected() -> None:
    with pytest.raises(PlanRejected, match="no steps"):
        validated([])


def test_a_plan_of_too_many_steps_is_rejected_with_the_number() -> None:
    with pytest.raises(PlanRejected, match=f"{MAX_STEPS + 1} steps; at most {MAX_STEPS}"):
        validated([step(f"s{number}") for number in range(MAX_STEPS + 1)])


def test_the_largest_plan_is_followed() -> None:
    assert len(validated([step(f"s{number}") for number in range(MAX_STEPS)]).steps) == MAX_STEPS


def test_steps_are_put_into_an_order_that_respects_their_dependencies() -> None:
    assert ids(validated([step("s3", "s2"), step("s2", "s1"), step("s1")])) == ["s1", "s2", "s3"]


def test_a_second_step_of_the_same_id_gets_another() -> None:
    assert ids(validated([step("s1"), step("s1")])) == ["s1", "s1_2"]


def test_an_id_no_reference_could_name_is_changed_and_its_references_follow() -> None:
    plan = validated([step("查 水位"), step("s2", "查 水位")])
    assert ids(plan) == ["查_水位", "s2"]
    assert plan.steps[1].dependencies == ["查_水位"]


def test_a_step_called_item_gets_another_name_and_its_references_follow() -> None:
    plan = validated([step("item"), step("s2", for_each="item")])
    assert "item" not in ids(plan)
    assert plan.steps[1].for_each == ForEach(step=plan.steps[0].id, path=".rows")


def test_a_new_step_does_not_take_the_name_of_an_earlier_one() -> None:
    plan = validated([step("s2"), step("s3", "s2")], taken=["s1", "s2"])
    assert ids(plan) == ["s2_2", "s3"]
    assert plan.steps[1].dependencies == ["s2_2"]


def test_a_new_step_may_build_on_a_kept_one() -> None:
    assert validated([step("s2", "s1")], kept=[step("s1")]).steps[1].dependencies == ["s1"]


def test_kept_steps_come_first() -> None:
    assert ids(validated([step("a")], kept=[step("z")])) == ["z", "a"]


def test_a_finished_step_is_not_done_again() -> None:
    plan = validated([step("s1", description="Done!"), step("s2")], kept=[step("s1", description="done")])
    assert [found.description for found in plan.steps] == ["done", "s2"]


def test_a_finished_id_with_other_words_is_another_step() -> None:
    new = [step("s1", description="另一件事"), step("s2", "s1")]
    plan = validated(new, kept=[step("s1", description="done")])
    assert [(found.id, found.dependencies) for found in plan.steps] == [("s1", []), ("s1_2", []), ("s2", ["s1_2"])]


def test_a_new_plan_of_nothing_but_finished_steps_is_rejected() -> None:
    with pytest.raises(PlanRejected, match="no steps"):
        validated([step("s1")], kept=[step("s1")])


def test_dependants_are_found_through_others() -> None:
    plan = validated([step("s1"), step("s2", "s1"), step("s3", "s2"), step("s4")])
    assert plan.dependants(["s1"]) == {"s2", "s3"}


def test_a_step_is_not_its_own_dependant() -> None:
    assert validated([step("s1")]).dependants(["s1"]) == set()


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Read  the file.", "read the file"),
        ("读取 文件。", "读取，文件"),
    ],
)
def test_plans_that_say_the_same_have_one_signature(left: str, right: str) -> None:
    assert signature([step("a", description=left)]) == signature([step("b", description=right)])


def test_the_order_of_steps_does_not_tell_plans_apart() -> None:
    one, two = step("s1", description="one"), step("s2", description="two")
    assert signature([one, two]) == signature([two, one])


@pytest.mark.parametrize(("left", "right"), [("read a", "read b"), ("查水位", "查雨量")])
def test_plans_that_do_something_else_differ(left: str, right: str) -> None:
    assert signature([step("s1", description=left)]) != signature([step("s1", description=right)])


def test_another_tool_is_another_plan() -> None:
    plain = step("s1", description="count")
    assert signature([plain]) != signature([plain.model_copy(update={"tool": "tally"})])


def test_plans_over_other_items_are_others() -> None:
    over = [
        step("s2", for_each="s1").model_copy(update={"for_each": ForEach(step="s1", path=path)})
        for path in ("", ".项", "项", ".b")
    ]
    assert signature([over[1]]) == signature([over[2]])
    assert len({signature([one]) for one in over}) == 3


_IDS = st.sampled_from(["a", "b", "c", "一", "a b", "", "item"])
_STEPS = st.builds(
    Step,
    id=_IDS,
    description=st.text(max_size=5),
    dependencies=st.lists(_IDS, max_size=3),
    for_each=st.none() | st.builds(ForEach, step=_IDS),
)


@given(st.lists(_STEPS, max_size=6), st.lists(_IDS, max_size=3))
def test_whatever_is_proposed_the_plan_is_a_dag_with_unique_ids_or_rejected(
    steps: list[Step], taken: list[str]
) -> None:
    try:
        plan = validated(steps, taken=taken)
    except PlanRejected:
        return
    seen: set[str] = set()
    for found in plan.steps:
        assert seen.issuperset(found.dependencies)
        assert found.for_each is None or found.for_each.step in found.dependencies
        assert found.id not in seen
        seen.add(found.id)
