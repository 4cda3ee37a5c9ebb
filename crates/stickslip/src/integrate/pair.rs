//! Embedded pairs: the coefficients.

/// Coefficients of an embedded pair, see the equations of [`integrate`](super).
#[derive(Debug)]
pub(super) struct Tableau {
    /// Order of the solution that is carried on.
    pub order: u32,
    /// Order of the one it is compared with.
    pub lower: u32,
    /// Where in the step each stage is taken.
    pub c: &'static [f64],
    /// Row i holds the i coefficients of stage i.
    pub a: &'static [&'static [f64]],
    /// Weights of the solution.
    pub b: &'static [f64],
    /// Weights of the solution less those of the other.
    pub e: &'static [f64],
    /// The last stage is the rate at the end of the step.
    pub last_is_next: bool,
}

/// An embedded Runge–Kutta pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pair {
    /// Dormand and Prince 5(4), seven stages of which one is shared [J. Comp. Appl. Math. 6 (1980) 19].
    Five,
    /// Prince and Dormand 8(7), thirteen stages [J. Comp. Appl. Math. 7 (1981) 67].
    Eight,
}

impl Pair {
    /// The pair of that order.
    pub fn of_order(order: usize) -> Option<Self> {
        match order {
            5 => Some(Pair::Five),
            8 => Some(Pair::Eight),
            _ => None,
        }
    }

    /// Order of the solution that is carried on.
    pub fn order(self) -> u32 {
        self.tableau().order
    }

    pub(super) fn tableau(self) -> &'static Tableau {
        match self {
            Pair::Five => &FIVE,
            Pair::Eight => &EIGHT,
        }
    }
}

static FIVE: Tableau = Tableau {
    order: 5,
    lower: 4,
    c: &[0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0],
    a: &[
        &[],
        &[0.2],
        &[3.0 / 40.0, 9.0 / 40.0],
        &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
        &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
        &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
        &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
    ],
    b: &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0, 0.0],
    e: &[71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0],
    last_is_next: true,
};

/// Weights of the fourth-order interpolation of [`Pair::Five`] (Hairer, Nørsett, Wanner, *Solving Ordinary Differential
/// Equations I*, §II.6): the coefficient of theta² (1 − theta)².
pub(super) const INTERPOLATION: [f64; 7] = [
    -12715105075.0 / 11282082432.0,
    0.0,
    87487479700.0 / 32700410799.0,
    -10690763975.0 / 1880347072.0,
    701980252875.0 / 199316789632.0,
    -1453857185.0 / 822651844.0,
    69997945.0 / 29380423.0,
];

static EIGHT: Tableau = Tableau {
    order: 8,
    lower: 7,
    c: &[
        0.0,
        1.0 / 18.0,
        1.0 / 12.0,
        1.0 / 8.0,
        5.0 / 16.0,
        3.0 / 8.0,
        59.0 / 400.0,
        93.0 / 200.0,
        5490023248.0 / 9719169821.0,
        13.0 / 20.0,
        1201146811.0 / 1299019798.0,
        1.0,
        1.0,
    ],
    a: &[
        &[],
        &[1.0 / 18.0],
        &[1.0 / 48.0, 1.0 / 16.0],
        &[1.0 / 32.0, 0.0, 3.0 / 32.0],
        &[5.0 / 16.0, 0.0, -75.0 / 64.0, 75.0 / 64.0],
        &[3.0 / 80.0, 0.0, 0.0, 3.0 / 16.0, 3.0 / 20.0],
        &[
            29443841.0 / 614563906.0,
            0.0,
            0.0,
            77736538.0 / 692538347.0,
            -28693883.0 / 1125000000.0,
            23124283.0 / 1800000000.0,
        ],
        &[
            16016141.0 / 946692911.0,
            0.0,
            0.0,
            61564180.0 / 158732637.0,
            22789713.0 / 633445777.0,
            545815736.0 / 2771057229.0,
            -180193667.0 / 1043307555.0,
        ],
        &[
            39632708.0 / 573591083.0,
            0.0,
            0.0,
            -433636366.0 / 683701615.0,
            -421739975.0 / 2616292301.0,
            100302831.0 / 723423059.0,
            790204164.0 / 839813087.0,
            800635310.0 / 3783071287.0,
        ],
        &[
            246121993.0 / 1340847787.0,
            0.0,
            0.0,
            -37695042795.0 / 15268766246.0,
            -309121744.0 / 1061227803.0,
            -12992083.0 / 490766935.0,
            6005943493.0 / 2108947869.0,
            393006217.0 / 1396673457.0,
            123872331.0 / 1001029789.0,
        ],
        &[
            -1028468189.0 / 846180014.0,
            0.0,
            0.0,
            8478235783.0 / 508512852.0,
            1311729495.0 / 1432422823.0,
            -10304129995.0 / 1701304382.0,
            -48777925059.0 / 3047939560.0,
            15336726248.0 / 1032824649.0,
            -45442868181.0 / 3398467696.0,
            3065993473.0 / 597172653.0,
        ],
        &[
            185892177.0 / 718116043.0,
            0.0,
            0.0,
            -3185094517.0 / 667107341.0,
            -477755414.0 / 1098053517.0,
            -703635378.0 / 230739211.0,
            5731566787.0 / 1027545527.0,
            5232866602.0 / 850066563.0,
            -4093664535.0 / 808688257.0,
            3962137247.0 / 1805957418.0,
            65686358.0 / 487910083.0,
        ],
        &[
            403863854.0 / 491063109.0,
            0.0,
            0.0,
            -5068492393.0 / 434740067.0,
            -411421997.0 / 543043805.0,
            652783627.0 / 914296604.0,
            11173962825.0 / 925320556.0,
            -13158990841.0 / 6184727034.0,
            3936647629.0 / 1978049680.0,
            -160528059.0 / 685178525.0,
            248638103.0 / 1413531060.0,
            0.0,
        ],
    ],
    b: &[
        14005451.0 / 335480064.0,
        0.0,
        0.0,
        0.0,
        0.0,
        -59238493.0 / 1068277825.0,
        181606767.0 / 758867731.0,
        561292985.0 / 797845732.0,
        -1041891430.0 / 1371343529.0,
        760417239.0 / 1151165299.0,
        118820643.0 / 751138087.0,
        -528747749.0 / 2220607170.0,
        0.25,
    ],
    e: &[
        14005451.0 / 335480064.0 - 13451932.0 / 455176623.0,
        0.0,
        0.0,
        0.0,
        0.0,
        -59238493.0 / 1068277825.0 + 808719846.0 / 976000145.0,
        181606767.0 / 758867731.0 - 1757004468.0 / 5645159321.0,
        561292985.0 / 797845732.0 - 656045339.0 / 265891186.0,
        -1041891430.0 / 1371343529.0 + 3867574721.0 / 1518517206.0,
        760417239.0 / 1151165299.0 - 465885868.0 / 322736535.0,
        118820643.0 / 751138087.0 - 53011238.0 / 667516719.0,
        -528747749.0 / 2220607170.0 - 2.0 / 45.0,
        0.25,
    ],
    last_is_next: false,
};

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows add up to where they are taken, weights integrate powers exactly up to the order, and those of the other
    /// solution up to the lower one.
    #[test]
    fn coefficients_satisfy_the_quadrature_conditions_of_their_order() {
        for pair in [Pair::Five, Pair::Eight] {
            let t = pair.tableau();
            for (row, c) in t.a.iter().zip(t.c) {
                assert!((row.iter().sum::<f64>() - c).abs() < 1e-14, "{pair:?} {c}");
            }
            let moment = |w: &[f64], k: u32| -> f64 {
                w.iter().zip(t.c).map(|(b, c)| b * c.powi(k as i32)).sum::<f64>()
            };
            for k in 0..t.order {
                let off = moment(t.b, k) - 1.0 / f64::from(k + 1);
                assert!(off.abs() < 1e-14, "{pair:?} moment {k}: {off:e}");
                // the two solutions agree up to the lower order
                let difference = moment(t.e, k);
                assert_eq!(difference.abs() < 1e-14, k < t.lower, "{pair:?} moment {k}: {difference:e}");
            }
        }
    }
}
