// Every page in light, dark, on a phone and printed: no serious finding of the accessibility check, nothing wider than the
// screen. The pictures stay for people to look at.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { check, equal, open } from "./harness.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const DESK = { width: 1300, height: 1000 };
const LOOKS = {
  light: { colorScheme: "light", viewport: DESK },
  dark: { colorScheme: "dark", viewport: DESK },
  phone: { colorScheme: "light", viewport: { width: 390, height: 844 } },
};

// Findings that count, as lines.
async function findings(page) {
  await page.evaluate(`window.axe ?? eval(${JSON.stringify(AXE)})`);
  const { violations } = await page.evaluate("axe.run(document, { resultTypes: ['violations'] })");
  return violations
    .filter((v) => v.impact === "serious" || v.impact === "critical")
    .map((v) => `${v.id} (${v.impact}, ${v.nodes.length}×): ${v.nodes[0].html.slice(0, 120)} | ${v.nodes[0].failureSummary?.split("\n")[1]?.trim() ?? ""}`);
}

// One page in all looks asked for.
async function look(browser, name, target, styles, out) {
  const { page, errors, close } = await open(browser, target.url, LOOKS.light);
  // a moving picture says more in its middle
  await page.evaluate("window.stickslipView?.player.seek(0.4 * stickslipView.player.end)");
  for (const style of styles) {
    const { colorScheme, viewport } = LOOKS[style];
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(viewport);
    await page.waitForTimeout(150);
    await page.screenshot({ path: join(out, `${name}-${style}.png`), fullPage: true });
    const found = await findings(page);
    check(found.length === 0, `${style}: ${found.join("\n")}`);
    const width = await page.evaluate("document.documentElement.scrollWidth");
    check(width <= viewport.width, `${style}: the page is ${width} px wide on a screen of ${viewport.width}`);
  }
  equal(errors, [], "console");
  await close();
}

async function print(browser, name, target, out) {
  const { page, close } = await open(browser, target.url, { viewport: { width: 794, height: 1123 } });
  await page.evaluate("window.stickslipView?.player.seek(0.4 * stickslipView.player.end)");
  await page.emulateMedia({ media: "print" });
  await page.waitForTimeout(150);
  const width = await page.evaluate("document.documentElement.scrollWidth");
  await page.screenshot({ path: join(out, `${name}-print.png`), fullPage: true });
  const pdf = await page.pdf({ format: "A4", path: join(out, `${name}.pdf`), printBackground: true });
  check(width <= 794, `the printed page is ${width} px wide, a sheet 794`);
  const sheets = pdf.toString("latin1").match(/\/Type\s*\/Page\b(?!s)/g)?.length ?? 0;
  check(sheets >= 1, "no sheet");
  await close();
  return `${sheets} sheets`;
}

export async function looks(runner, browser, pages, out) {
  // the page of a pile is that of another run with more in it, and slow to look at with software rendering
  const looked = Object.entries(pages).filter(([name]) => name !== "ball-pile");
  for (const [name, target] of looked) {
    const styles = ["rover", "springs"].includes(name) ? ["light"] : Object.keys(LOOKS);
    await runner.test(`${name} is accessible: ${styles.join(", ")}`, () => look(browser, name, target, styles, out));
  }
  for (const name of ["woodpecker", "sweep"]) {
    await runner.test(`${name}, printed: fits a sheet`, () => print(browser, name, pages[name], out));
  }
}
