"""Scenes are read as strictly as by the command, and problems come as typed exceptions."""

from pathlib import Path

import pytest

import stickslip
from stickslip import Scene


def test_parameters_and_choices_are_those_of_the_file() -> None:
    scene = Scene.load("slide-to-roll")
    assert scene.parameters == {"friction": 0.2, "speed": 2.0}
    assert (scene.name, scene.stepper, scene.cone, scene.solver) == ("slide-to-roll", "stewart-trinkle", "exact", "auto")
    assert (scene.step, scene.until) == (0.12, 0.6)
    assert "slide-to-roll" in stickslip.builtin_scenes()


def test_changes_are_edits_of_the_text_and_leave_the_scene_alone() -> None:
    scene = Scene.load("slide-to-roll", set={"speed": 1.5})
    other = scene.changed(set={"friction": 0.3, "body.sphere.mass": 2}, step=0.01, until=1)
    assert scene.parameters == {"friction": 0.2, "speed": 1.5}
    assert other.parameters == {"friction": 0.3, "speed": 1.5}
    assert other.step == 0.01 and other.until == 1.0
    assert Scene.loads(other.text).parameters == other.parameters


def test_problems_name_place_and_remedy() -> None:
    text = Scene.load("slide-to-roll").text.replace("mass = 1.0", "mas = 1.0")
    with pytest.raises(stickslip.SceneError) as caught:
        Scene.loads(text, name="mine.toml")
    error = caught.value
    assert error.file == "mine.toml" and "mine.toml:" in str(error)
    unknown = next(p for p in error.problems if "`mas`" in p["message"])
    assert unknown["line"] == text[: text.index("mas = ")].count("\n") + 1 and unknown["expected"]
    assert isinstance(error, ValueError) and isinstance(error, stickslip.StickslipError)


@pytest.mark.parametrize(
    ("change", "word"),
    [({"set": {"sped": 1.0}}, "speed"), ({"stepper": "euler"}, "moreau"), ({"step": float("nan")}, "step")],
)
def test_bad_changes_are_refused(change: dict[str, object], word: str) -> None:
    with pytest.raises(stickslip.SceneError, match=word):
        Scene.load("slide-to-roll").changed(**change)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Scene.load("slide-to-roll").run(untill=1.0)
    with pytest.raises(stickslip.SceneError, match="slide-to-roll"):
        Scene.load("slide-to-rol")


def test_a_robot_from_urdf_runs(tmp_path: Path) -> None:
    file = tmp_path / "pendulum.urdf"
    file.write_text(
        """<robot name="pendulum"><link name="world"/><link name="rod"><inertial><origin xyz="0 0 -0.5"/><mass value="1"/>
        <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="hinge" type="continuous"><parent link="world"/><child link="rod"/><axis xyz="0 1 0"/></joint></robot>"""
    )
    options = {"gravity": (0, 0, -9.81), "stepper": "stewart-trinkle", "step": 1e-3, "until": 0.1}
    scene = Scene.from_urdf(file, joint={"hinge": 0.5}, **options)  # type: ignore[arg-type]
    run = scene.run()
    assert run.certified and run["hinge.position"][0] == pytest.approx(0.5)
    assert run["hinge.velocity"][-1] < 0.0 and scene.notes
    with pytest.raises(stickslip.SceneError, match="base"):
        Scene.from_urdf(file, base="sideways", **options)  # type: ignore[arg-type]
