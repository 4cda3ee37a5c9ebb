//! Which trials there are, in which chunks, and which of them to run.
//!
//! ```text
//! chunk k: the trials [k c, min((k + 1) c, n)),   file trials-FIRST-END.parquet        (1)
//! ```

use super::SweepError;
use crate::study::{Study, Task, Trials};
use std::ops::Range;

/// The trials of a sweep, chunk by chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// All trials of the study.
    pub trials: u64,
    /// Trials of a chunk, but for the last one.
    pub chunk: u64,
    /// The chunks to run.
    pub run: Range<u64>,
}

impl Plan {
    /// The plan of a study; `range` names the trials to run, whole chunks of them.
    pub fn new(study: &Study, range: Option<Range<u64>>) -> Result<Self, SweepError> {
        let Task::Sweep(Trials { repeats, chunk, .. }) = study.task else {
            return Err(SweepError::NotASweep { study: study.name.clone() });
        };
        let trials = study.cells().saturating_mul(repeats);
        let run = match range {
            None => 0..trials.div_ceil(chunk),
            Some(Range { start, end }) => {
                let fits = start.is_multiple_of(chunk) && (end.is_multiple_of(chunk) || end == trials);
                if !(fits && start < end && end <= trials) {
                    return Err(SweepError::Range { start, end, chunk, trials });
                }
                start / chunk..end.div_ceil(chunk)
            }
        };
        Ok(Self { trials, chunk, run })
    }

    /// How many chunks the whole study has.
    pub fn chunks(&self) -> u64 {
        self.trials.div_ceil(self.chunk)
    }

    /// The trials of a chunk.
    pub fn trials_of(&self, chunk: u64) -> Range<u64> {
        let first = chunk * self.chunk;
        first..first.saturating_add(self.chunk).min(self.trials)
    }

    /// How many trials a chunk has.
    pub fn length_of(&self, chunk: u64) -> u64 {
        let trials = self.trials_of(chunk);
        trials.end - trials.start
    }

    /// The name of a chunk's file.
    pub fn file_name(&self, chunk: u64) -> String {
        let Range { start, end } = self.trials_of(chunk);
        format!("trials-{start:012}-{end:012}.parquet")
    }

    /// The name of the file with a chunk's times.
    pub fn timing_name(&self, chunk: u64) -> String {
        let Range { start, end } = self.trials_of(chunk);
        format!("timing-{start:012}-{end:012}.json")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STUDY: &str = "[study]\nname = \"s\"\ndescription = \"d\"\nkind = \"sweep\"\nscene = \"incline\"\n\
                         [parameters]\nslope = { grid = { from = 0, to = 1, count = 5 } }\n[trials]\nrepeats = 5\nchunk = 10\n";

    #[test]
    fn chunks_cover_every_trial_once() {
        let study = Study::parse("s.toml", STUDY, None).unwrap();
        let plan = Plan::new(&study, None).unwrap();
        assert_eq!((plan.trials, plan.chunks()), (25, 3));
        let all: Vec<u64> = plan.run.clone().flat_map(|k| plan.trials_of(k)).collect();
        assert_eq!(all, (0..25).collect::<Vec<_>>());
        assert_eq!(plan.file_name(2), "trials-000000000020-000000000025.parquet");
        assert_eq!(plan.length_of(2), 5);
    }

    #[test]
    fn a_range_is_whole_chunks() {
        let study = Study::parse("s.toml", STUDY, None).unwrap();
        for (range, run) in [(0..25, 0..3), (10..20, 1..2), (20..25, 2..3)] {
            assert_eq!(Plan::new(&study, Some(range)).unwrap().run, run);
        }
        for range in [0..5, 5..10, 10..10, 20..30, 30..40] {
            let error = Plan::new(&study, Some(range)).unwrap_err().to_string();
            assert!(error.contains("multiples of 10") && error.contains("25"), "{error}");
        }
    }
}
