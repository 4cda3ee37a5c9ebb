// `stickslip view` in a browser: the page comes, its own rules do not stop it, and it follows a run to its end by itself.
import { spawn } from "node:child_process";
import { mkdirSync, rmSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { check, equal, open } from "./harness.mjs";

// How long a busy machine may take, ms.
const LIMIT = 240000;

// A server of a directory, and its address.
async function serve(binary, dir) {
  const server = spawn(binary, ["view", dir], { stdio: ["ignore", "pipe", "ignore"] });
  const url = await new Promise((done, fail) => {
    server.stdout.once("data", (text) => done(String(text).trim()));
    server.once("exit", () => fail(new Error("the server ended")));
  });
  return { url, end: () => server.kill() };
}

async function follows(browser, binary, out) {
  const dir = resolve(out, "followed");
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  const server = await serve(binary, dir);
  let run;
  try {
    const { page, errors, close } = await open(browser, server.url, { offline: false });
    check((await page.textContent(".verdict")).includes("Not done"), "an empty directory");
    const start = performance.now();
    run = spawn(binary, ["run", "woodpecker", "--until", "120", "--set", "output.every=400", "--out", dir], { stdio: "ignore" });
    // the run waits, once its first rows are there, until the page has shown them: however fast the machine is
    const part = resolve(dir, "trajectory.csv.part");
    const rows = () => statSync(part, { throwIfNoEntry: false })?.size ?? 0;
    while (rows() < 1000 && run.exitCode === null && performance.now() - start < LIMIT) await page.waitForTimeout(10);
    run.kill("SIGSTOP");
    const seen = [];
    // nobody touches the page from here on
    while (performance.now() - start < LIMIT) {
      const text = await page.textContent(".verdict").catch(() => "");
      const at = text.match(/at t = (\S+) s/);
      if (at && seen.at(-1) !== +at[1]) seen.push(+at[1]);
      if (at) run.kill("SIGCONT");
      if (text.includes("Certified")) break;
      await page.waitForTimeout(100);
    }
    check((await page.textContent(".verdict")).includes("Certified"), `the end was not shown; seen: ${seen}`);
    check(seen.length >= 1, "nothing was shown while it ran");
    await page.waitForFunction("window.stickslipView !== undefined");
    const [frame, frames] = await page.evaluate("[stickslipView.player.frame, stickslipView.run.times.length]");
    equal(frame, frames - 1, "the last frame is shown");
    equal(errors, [], "console");
    await close();
    return `seen at t = ${seen.join(", ")} s, then certified`;
  } finally {
    run?.kill("SIGKILL");
    server.end();
  }
}

export async function view(runner, browser, binary, out) {
  await runner.test("a page that is served follows a run to its end", () => follows(browser, binary, out));
}
