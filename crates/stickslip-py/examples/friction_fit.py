"""Friction from measured positions: the built-in fit, and the same by hand with a batch."""

import numpy as np

import stickslip


def main() -> None:
    scene = stickslip.Scene.load("slide-to-roll", until=0.2, step=0.01)
    measured = scene.run(set={"friction": 0.17})["sphere.x"]
    guesses = np.linspace(0.05, 0.3, 26)
    batch = stickslip.simulate_batch(scene, {"friction": guesses}, trajectories=True)
    assert batch.trajectories is not None
    at = batch.columns.index("sphere.x")
    misfit = np.array([np.square(t[:, at] - measured).sum() for t in batch.trajectories])
    print(f"by a grid: friction {guesses[misfit.argmin()]:.2f}, misfit {misfit.min():.1e} m²")
    assert abs(guesses[misfit.argmin()] - 0.17) < 1e-9 and batch.certified.all()
    study = stickslip.Study.load("friction-from-particle")
    print(f"{study!r}: `study.run()` finds it with confidence intervals")
    assert study.kind == "fit"


if __name__ == "__main__":
    main()
