"""The woodpecker of [Glocker & Studer 2003] as a model in Python; the same motion as the built-in scene."""

import numpy as np
from numpy.typing import ArrayLike

import stickslip
from stickslip.system import Vector

R_O, R_M, H_M, L_M, L_G, H_S, L_S = 0.0025, 0.0031, 0.0058, 0.010, 0.015, 0.02, 0.0201
M_M, M_S, J_M, J_S, C_PHI, G = 0.0003, 0.0045, 5.0e-9, 7.0e-7, 0.0056, 9.81


class Woodpecker(stickslip.System):
    """A sleeve that jams on a pole, a bird on a torsion spring"""

    coordinates = ["y", "phi_M", "phi_S"]

    def initial(self) -> tuple[ArrayLike, ArrayLike]:
        return [0.0, -0.1036, -0.2788], [-0.3411, 0.0, -7.4583]

    def mass_matrix(self, q: Vector) -> ArrayLike:
        return [
            [M_S + M_M, M_S * L_M, M_S * L_G],
            [M_S * L_M, J_M + M_S * L_M**2, M_S * L_M * L_G],
            [M_S * L_G, M_S * L_M * L_G, J_S + M_S * L_G**2],
        ]

    def potential(self, q: Vector) -> float:
        weight = (M_S + M_M) * G * q[0] + M_S * G * (L_M * q[1] + L_G * q[2])
        return float(weight + C_PHI * (q[1] - q[2]) ** 2 / 2)

    def forces(self, q: Vector, u: Vector, t: float) -> ArrayLike:
        twist = C_PHI * (q[1] - q[2])
        return [-(M_S + M_M) * G, -twist - M_S * G * L_M, twist - M_S * G * L_G]

    def contacts(self, q: Vector, t: float) -> list[stickslip.Contact]:
        gap = R_M - R_O
        beak = L_M + L_G - L_S - R_O - H_S * q[2]
        return [
            stickslip.Contact("beak", beak, 0.3, [0.0, 0.0, -H_S], [1.0, L_M, L_G - L_S], restitution=0.5),
            stickslip.Contact("lower", gap + H_M * q[1], 0.3, [0.0, H_M, 0.0], [1.0, R_M, 0.0]),
            stickslip.Contact("upper", gap - H_M * q[1], 0.3, [0.0, -H_M, 0.0], [1.0, R_M, 0.0]),
        ]


def main() -> None:
    built_in = stickslip.Scene.load("woodpecker", until=0.5)
    # Moreau's rule closes a contact once it overlaps: by up to speed times step
    tolerance = {"penetration": 1e-4}
    mine = Woodpecker().run(stepper="moreau", solver="lemke", step=1e-4, until=0.5, tolerance=tolerance)
    theirs = built_in.run()
    apart = max(np.abs(mine[c] - theirs[c]).max() / np.abs(theirs[c]).max() for c in Woodpecker.coordinates)
    print(f"{mine!r}: at most {apart:.1e} of a coordinate's size from the built-in one")
    assert mine.certified and apart < 1e-9


if __name__ == "__main__":
    main()
