"""The woodpecker toy, built in: run it, look at its impacts, compare with a finer step."""

import stickslip


def main() -> None:
    scene = stickslip.Scene.load("woodpecker", until=1.0)
    run = scene.run()
    strikes = [e for e in run.events if e.kind == "impact" and e.contact == "beak"]
    print(f"{run!r}\nthe beak strikes {len(strikes)} times, the toy falls {-run['y'][-1] * 1e3:.3f} mm")
    fine = scene.run(step=scene.step / 2)
    print(f"with half the step {-fine['y'][-1] * 1e3:.3f} mm")
    assert run.certified and fine.certified
    assert len(strikes) > 3


if __name__ == "__main__":
    main()
