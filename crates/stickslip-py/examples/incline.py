"""A box on an incline: it sticks below the friction angle and slides as Coulomb says above; many slopes at once."""

import numpy as np

import stickslip


def main() -> None:
    scene = stickslip.Scene.load("incline")
    mu, slopes = scene.parameters["friction"], np.linspace(0.1, 0.9, 9)
    batch = stickslip.simulate_batch(scene, {"slope": slopes})
    speed = np.hypot(batch["box.vx"], batch["box.vz"])
    exact = np.maximum(0.0, 9.81 * (np.sin(slopes) - mu * np.cos(slopes))) * scene.until
    for slope, found, expected in zip(slopes, speed, exact):
        print(f"slope {slope:.1f} rad: {found:.9f} m/s, exactly {expected:.9f}")
    assert batch.certified.all() and np.abs(speed - exact).max() < 1e-9


if __name__ == "__main__":
    main()
