// The pages that are tested, made by the program.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const HERE = import.meta.dirname;

const COMMANDS = {
  woodpecker: ["run", "woodpecker"],
  "ball-pile": ["run", "ball-pile", "--until", "0.4"],
  rover: ["run", "rover", "--until", "0.5"],
  springs: ["run", "belt-spring-particle", "--until", "1"],
  refine: ["refine", "slide-to-roll"],
  compare: ["compare", "slide-to-roll"],
  explain: ["explain", "painleve-rod", "--set", "mu=2", "--map", "theta=0.05:3.1:20,theta_rate=-6:6:20"],
  sweep: ["sweep", join(HERE, "studies/slides.toml")],
  design: ["design", "needle-push", "--evaluations", "10"],
  fit: ["fit", "friction-from-particle"],
};

// Makes all of them below `out`; returns directory and address of each by name.
export function make(binary, out) {
  const pages = {};
  for (const [name, command] of Object.entries(COMMANDS)) {
    const dir = resolve(out, name);
    rmSync(dir, { recursive: true, force: true });
    mkdirSync(resolve(out), { recursive: true });
    try {
      execFileSync(binary, [...command, "--out", dir], { stdio: ["ignore", "pipe", "pipe"] });
    } catch (error) {
      // 1: done, something missed its tolerance; the page says so, which is no matter here
      if (error.status !== 1) throw new Error(`stickslip ${command.join(" ")}: ${error.stderr}`);
    }
    pages[name] = { dir, url: pathToFileURL(join(dir, "report.html")).href };
  }
  return pages;
}
