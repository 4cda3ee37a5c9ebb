//! One chunk of trials as a Parquet file. The bytes depend on the study and the trials only.
//!
//! | column | type |
//! | --- | --- |
//! | `trial` | int64: index of the trial |
//! | each parameter, each quantity | double; NaN where a quantity is not known |
//! | each outcome | boolean |
//! | `certified` | boolean: every step held its tolerances, to the end |
//! | `missed_steps`, `steps` | int64 |
//! | `failure` | text, null when the trial ran to its end |
//!
//! and in a study with stages
//!
//! | column | type |
//! | --- | --- |
//! | `stage` | int64: the stage it ended in, from 0 |
//! | `run` | int64: the last run of that stage, from 0; −1 where it runs nothing |
//! | `passed` | boolean: every stage let it pass |
//! | `audit` | int64: 1 or 0, whether the last stage lets a trial pass that an earlier one refused; −1: not tried |

use crate::error::StudyError;
use crate::study::Study;
use crate::trial::{Passage, Trial};
use parquet::basic::{ConvertedType, Repetition, Type as Physical};
use parquet::column::reader::get_typed_column_reader;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Columns that every shard has: no parameter, quantity or outcome may have such a name.
pub const COLUMNS: [&str; 5] = ["trial", "certified", "missed_steps", "steps", "failure"];
/// Columns of studies with stages.
pub const STAGED: [&str; 4] = ["stage", "run", "passed", "audit"];

/// What the file says of itself under these keys: which sweep it is of, and its first trial.
const DIGEST: &str = "stickslip.digest";
const FIRST: &str = "stickslip.first";

/// The form of the shards of a study.
pub struct Format {
    schema: Arc<Type>,
    digest: String,
    /// Parameters, quantities, outcomes.
    counts: [usize; 3],
    /// Whether there are stages.
    staged: bool,
}

impl Format {
    /// The form that suits a study; `digest` tells its shards from others.
    pub fn new(study: &Study, digest: String) -> Result<Self, ParquetError> {
        let mut fields = vec![field("trial", Physical::INT64)?];
        let names = study.parameters.iter().map(|p| &p.name).chain(&study.quantities.names);
        for name in names {
            fields.push(field(name, Physical::DOUBLE)?);
        }
        for (name, _) in &study.outcomes {
            fields.push(field(name, Physical::BOOLEAN)?);
        }
        fields.push(field("certified", Physical::BOOLEAN)?);
        fields.push(field("missed_steps", Physical::INT64)?);
        fields.push(field("steps", Physical::INT64)?);
        let failure = Type::primitive_type_builder("failure", Physical::BYTE_ARRAY)
            .with_converted_type(ConvertedType::UTF8)
            .with_repetition(Repetition::OPTIONAL);
        fields.push(Arc::new(failure.build()?));
        let staged = !study.stages.is_empty();
        if staged {
            for name in STAGED {
                let physical = if name == "passed" { Physical::BOOLEAN } else { Physical::INT64 };
                fields.push(field(name, physical)?);
            }
        }
        let schema = Type::group_type_builder("trials").with_fields(fields).build()?;
        let counts = [study.parameters.len(), study.quantities.names.len(), study.outcomes.len()];
        Ok(Self { schema: Arc::new(schema), digest, counts, staged })
    }

    /// Fixed but for what tells the shard from others; nothing of the host, the clock or the library's version.
    fn properties(&self, first: u64) -> WriterProperties {
        let about = [(DIGEST, self.digest.clone()), (FIRST, first.to_string())];
        let about = about.into_iter().map(|(key, value)| KeyValue::new(key.to_owned(), value)).collect();
        WriterProperties::builder()
            .set_created_by("stickslip".to_owned())
            .set_writer_version(WriterVersion::PARQUET_1_0)
            .set_key_value_metadata(Some(about))
            .build()
    }

    /// The bytes of a shard whose first trial has this index.
    pub fn write(&self, first: u64, trials: &[Trial]) -> Result<Vec<u8>, ParquetError> {
        let mut bytes = Vec::new();
        let properties = Arc::new(self.properties(first));
        let mut file = SerializedFileWriter::new(&mut bytes, Arc::clone(&self.schema), properties)?;
        let mut group = file.next_row_group()?;
        let [parameters, quantities, outcomes] = self.counts;
        let last = first + trials.len() as u64;
        column::<Int64Type>(&mut group, (first..last).map(|i| i as i64).collect())?;
        for i in 0..parameters {
            column::<DoubleType>(&mut group, trials.iter().map(|t| t.values[i]).collect())?;
        }
        for i in 0..quantities {
            column::<DoubleType>(&mut group, trials.iter().map(|t| t.quantities[i]).collect())?;
        }
        for i in 0..outcomes {
            column::<BoolType>(&mut group, trials.iter().map(|t| t.outcomes[i]).collect())?;
        }
        column::<BoolType>(&mut group, trials.iter().map(Trial::is_certified).collect())?;
        column::<Int64Type>(&mut group, trials.iter().map(|t| t.missed_steps as i64).collect())?;
        column::<Int64Type>(&mut group, trials.iter().map(|t| t.steps as i64).collect())?;
        let failures = || trials.iter().map(|t| t.failure.as_deref());
        let texts: Vec<ByteArray> = failures().flatten().map(ByteArray::from).collect();
        let levels: Vec<i16> = failures().map(|f| i16::from(f.is_some())).collect();
        let mut writer = next(&mut group)?;
        writer.typed::<ByteArrayType>().write_batch(&texts, Some(&levels), None)?;
        writer.close()?;
        if self.staged {
            write_passages(&mut group, trials)?;
        }
        group.close()?;
        file.close()?;
        Ok(bytes)
    }

    /// Why a file is not the whole shard of these trials, if it is not: its footer is looked at, not its rows.
    pub fn check(&self, path: &Path, trials: &Range<u64>) -> io::Result<Option<StudyError>> {
        Ok(self.open(File::open(path)?, trials).err())
    }

    /// The trials of a shard, or what is wrong with it.
    pub fn read(&self, path: &Path, trials: &Range<u64>) -> io::Result<Result<Vec<Trial>, StudyError>> {
        let reader = match self.open(File::open(path)?, trials) {
            Ok(reader) => reader,
            Err(what) => return Ok(Err(what)),
        };
        Ok(self.rows(&reader, trials).map_err(parquet))
    }

    fn open(&self, file: File, trials: &Range<u64>) -> Result<SerializedFileReader<File>, StudyError> {
        let reader = SerializedFileReader::new(file).map_err(parquet)?;
        let about = reader.metadata().file_metadata();
        let said = |key: &str| {
            let pair = about.key_value_metadata()?.iter().find(|kv| kv.key == key)?;
            pair.value.clone()
        };
        if said(DIGEST).as_deref() != Some(&self.digest) || *about.schema() != *self.schema {
            return Err(StudyError::OtherStudy);
        }
        if said(FIRST) != Some(trials.start.to_string()) {
            return Err(StudyError::OtherTrials);
        }
        let expected = trials.end - trials.start;
        if about.num_rows() != expected as i64 || reader.num_row_groups() != 1 {
            return Err(StudyError::Trials { found: about.num_rows(), expected });
        }
        Ok(reader)
    }

    fn rows(
        &self,
        reader: &SerializedFileReader<File>,
        trials: &Range<u64>,
    ) -> Result<Vec<Trial>, ParquetError> {
        let n = (trials.end - trials.start) as usize;
        let group = reader.get_row_group(0)?;
        let mut at = 0;
        let mut here = || {
            at += 1;
            at - 1
        };
        let [parameters, quantities, outcomes] = self.counts;
        let index = values::<Int64Type>(group.as_ref(), here(), n)?;
        if !index.iter().map(|i| *i as u64).eq(trials.clone()) {
            return Err(ParquetError::General("the trials have other indices".to_owned()));
        }
        let mut numbers = Vec::new();
        for _ in 0..parameters + quantities {
            numbers.push(values::<DoubleType>(group.as_ref(), here(), n)?);
        }
        let mut truths = Vec::new();
        for _ in 0..=outcomes {
            truths.push(values::<BoolType>(group.as_ref(), here(), n)?);
        }
        let missed = values::<Int64Type>(group.as_ref(), here(), n)?;
        let steps = values::<Int64Type>(group.as_ref(), here(), n)?;
        let mut failures = texts(group.as_ref(), here(), n)?;
        let passages = if self.staged { read_passages(group.as_ref(), here(), n)? } else { Vec::new() };
        let trial = |i: usize| Trial {
            values: numbers[..parameters].iter().map(|c| c[i]).collect(),
            quantities: numbers[parameters..].iter().map(|c| c[i]).collect(),
            outcomes: truths[..outcomes].iter().map(|c| c[i]).collect(),
            missed_steps: missed[i] as u64,
            steps: steps[i] as u64,
            failure: failures[i].take(),
            passage: passages.get(i).copied(),
        };
        Ok((0..n).map(trial).collect())
    }
}

/// The columns of [`STAGED`].
fn write_passages(
    group: &mut SerializedRowGroupWriter<'_, &mut Vec<u8>>,
    trials: &[Trial],
) -> Result<(), ParquetError> {
    let nowhere = Passage { stage: 0, run: None, passed: false, audit: None };
    let all: Vec<Passage> = trials.iter().map(|t| t.passage.unwrap_or(nowhere)).collect();
    column::<Int64Type>(group, all.iter().map(|p| p.stage as i64).collect())?;
    column::<Int64Type>(group, all.iter().map(|p| p.run.map_or(-1, |r| r as i64)).collect())?;
    column::<BoolType>(group, all.iter().map(|p| p.passed).collect())?;
    column::<Int64Type>(group, all.iter().map(|p| p.audit.map_or(-1, i64::from)).collect())
}

/// The same, read from the column `first` on.
fn read_passages(group: &dyn RowGroupReader, first: usize, n: usize) -> Result<Vec<Passage>, ParquetError> {
    let stages = values::<Int64Type>(group, first, n)?;
    let runs = values::<Int64Type>(group, first + 1, n)?;
    let passed = values::<BoolType>(group, first + 2, n)?;
    let audits = values::<Int64Type>(group, first + 3, n)?;
    let passage = |i: usize| Passage {
        stage: usize::try_from(stages[i]).unwrap_or(0),
        run: u64::try_from(runs[i]).ok(),
        passed: passed[i],
        audit: (audits[i] >= 0).then_some(audits[i] == 1),
    };
    Ok((0..n).map(passage).collect())
}

/// What the reader or writer of the format says.
pub(super) fn parquet(error: ParquetError) -> StudyError {
    StudyError::Parquet(error.to_string())
}

fn field(name: &str, physical: Physical) -> Result<Arc<Type>, ParquetError> {
    let builder = Type::primitive_type_builder(name, physical).with_repetition(Repetition::REQUIRED);
    Ok(Arc::new(builder.build()?))
}

fn next<'a>(
    group: &'a mut SerializedRowGroupWriter<'_, &mut Vec<u8>>,
) -> Result<parquet::file::writer::SerializedColumnWriter<'a>, ParquetError> {
    let missing = || ParquetError::General("a column too many".to_owned());
    group.next_column()?.ok_or_else(missing)
}

fn column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, &mut Vec<u8>>,
    values: Vec<T::T>,
) -> Result<(), ParquetError> {
    let mut writer = next(group)?;
    writer.typed::<T>().write_batch(&values, None, None)?;
    writer.close()
}

fn values<T: DataType>(group: &dyn RowGroupReader, at: usize, n: usize) -> Result<Vec<T::T>, ParquetError> {
    let mut out = Vec::with_capacity(n);
    let mut reader = get_typed_column_reader::<T>(group.get_column_reader(at)?);
    reader.read_records(n, None, None, &mut out)?;
    if out.len() != n {
        return Err(ParquetError::General(format!("a column has {} of {n} values", out.len())));
    }
    Ok(out)
}

fn texts(group: &dyn RowGroupReader, at: usize, n: usize) -> Result<Vec<Option<String>>, ParquetError> {
    let (mut found, mut levels) = (Vec::new(), Vec::new());
    let mut reader = get_typed_column_reader::<ByteArrayType>(group.get_column_reader(at)?);
    reader.read_records(n, Some(&mut levels), None, &mut found)?;
    if levels.len() != n || found.len() != levels.iter().filter(|l| **l > 0).count() {
        return Err(ParquetError::General("the column `failure` is not whole".to_owned()));
    }
    let mut found = found.into_iter();
    let text = |level: i16| {
        let bytes = (level > 0).then(|| found.next()).flatten()?;
        Some(String::from_utf8_lossy(bytes.data()).into_owned())
    };
    Ok(levels.into_iter().map(text).collect())
}
