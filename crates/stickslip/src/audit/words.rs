//! What to say of an entry of the certificate that missed, and what to do about it: one place for the command, the
//! report and Python.

/// What an entry says when it misses, as a sentence; none for names that are no entries.
pub fn meaning(entry: &str) -> Option<&'static str> {
    Some(match entry {
        "complementarity" => "a contact pushed while it opened, or was approached further",
        "cone" => "a friction force was greater than its cone allows",
        "dissipation" => "friction did not oppose slip as Coulomb's law says",
        "penetration" => "bodies overlapped at the end of a step",
        "joint" => "a joint was not where it holds its bodies",
        "touch" => "parts pushed each other across a gap, or a force acted beside its body",
        "passivity" => {
            "energy came from nothing: contacts, joints or the discretisation of smooth forces put it in"
        }
        "passage" => "parts went through each other within a step",
        "limits" => "a joint passed its limit, or a motor was stronger than its bound",
        "balance" => "forces were left over that nothing balances",
        "uniqueness" => "the motion is not determined",
        _ => return None,
    })
}

/// What to do about it; none for names that are no entries.
pub fn advice(entry: &str) -> Option<&'static str> {
    Some(match entry {
        "complementarity" | "cone" | "dissipation" => {
            "another --solver, or for heaps of many bodies --stepper convex"
        }
        "penetration" => {
            "a smaller --step, --stepper implicit, or `tolerance.penetration` in the scene, if so much overlap may be"
        }
        "joint" => "a smaller --step, or `tolerance.joint` in the scene, if so much error may be",
        "touch" => {
            "a smaller --step, or `tolerance.penetration` in the scene, if forces may act across so much"
        }
        "passivity" => {
            "a smaller --step: it is too long for the stiffest spring, the fastest spin or the impact; for springs \
             --stepper implicit"
        }
        "passage" => {
            "a smaller --step, so that nothing moves farther than it is thick, or --stepper stewart-trinkle"
        }
        "limits" => {
            "a smaller --step, --stepper stewart-trinkle, or `tolerance.joint` in the scene, if so much may be"
        }
        "balance" => "a smaller --step, or another --solver",
        "uniqueness" => "a body that nothing holds or drives, fixed or supported in the scene",
        _ => return None,
    })
}
