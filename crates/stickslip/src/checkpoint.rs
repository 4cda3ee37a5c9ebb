//! What a run needs to go on from where it was.

use crate::audit::Exchange;
use crate::certificate::RunCertificate;
use crate::energy::Ledger;
use crate::events::Modes;
use crate::state::State;
use crate::step::Warm;
use serde::{Deserialize, Serialize};

/// Everything a run needs to go on from where it was, bit for bit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The scene as run; a checkpoint continues only the same scene.
    pub scene: String,
    /// Steps done.
    pub index: u64,
    /// The state.
    pub state: State,
    /// Impulses the solver starts from.
    pub warm: Warm,
    /// The energy ledger so far.
    pub ledger: Ledger,
    /// The certificate so far.
    pub certificate: RunCertificate,
    /// What each contact was doing.
    pub modes: Modes,
    /// The energies that growth is compared with; a file without them begins anew.
    #[serde(default)]
    pub exchange: Exchange,
}
