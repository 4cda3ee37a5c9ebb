//! Whether two scene files describe the same motion.

/// True when two scene texts agree in everything but how long to run and what to write.
pub fn same_but_until(a: &str, b: &str) -> bool {
    let strip = |text: &str| -> Option<toml::Table> {
        let mut table: toml::Table = text.parse().ok()?;
        table.remove("output");
        table.get_mut("simulation")?.as_table_mut()?.remove("until");
        Some(table)
    };
    matches!((strip(a), strip(b)), (Some(a), Some(b)) if a == b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_and_the_output_may_differ() {
        let a = "[simulation]\nstep = 1\nuntil = 2\n";
        assert!(same_but_until(a, "[simulation]\nuntil = 3\nstep = 1\n[output]\nevery = 2\n"));
        assert!(!same_but_until(a, "[simulation]\nstep = 2\nuntil = 2\n"));
        assert!(!same_but_until(a, "not toml"));
    }
}
