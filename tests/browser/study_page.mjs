// The page of a sweep: a point of a map leads to its trials.
import { execFileSync } from "node:child_process";
import { check, equal, open } from "./harness.mjs";

async function mapLeadsToTrials(browser, target, binary) {
  // the second point of the grid is trial 1 in its first repeat
  execFileSync(binary, ["sweep", target.dir, "--trial", "1", "--out", target.dir], { stdio: "ignore" });
  const { page, errors, requests, close } = await open(browser, target.url);
  await page.locator(".area.map rect.cell").nth(1).click();
  const link = page.locator("#trials a");
  equal(await link.allTextContents(), ["trial 1"], "trials with pages");
  check((await page.locator("#trials h3").textContent()).includes("95 % interval"), "the interval");
  await page.locator(".area.map").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowUp");
  const code = await page.locator("#trials code").first().textContent();
  // five points a row
  equal(code, "stickslip sweep . --trial 7 --out .", "the command");
  equal(requests, [target.url], "requests");
  await page.locator(".area.map rect.cell").nth(1).click();
  await link.click();
  await page.waitForFunction("window.stickslipView !== undefined");
  check(page.url().endsWith("/trials/1/report.html"), page.url());
  equal(errors, [], "console");
  await close();
}

export async function studyPage(runner, browser, pages, binary) {
  await runner.test("a point of a map leads to the pages of its trials", () => mapLeadsToTrials(browser, pages.sweep, binary));
}
