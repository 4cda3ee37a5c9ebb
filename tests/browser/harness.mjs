// A browser, offline pages that note what goes wrong in them, and a runner that counts.
import { chromium } from "playwright-core";

const ARGUMENTS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];

export async function launch() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ARGUMENTS });
}

// Opens a page without network. `errors` and `requests` fill while it is used.
export async function open(browser, url, options = {}) {
  const context = await browser.newContext({ offline: true, viewport: { width: 1300, height: 1000 }, ...options });
  const page = await context.newPage();
  const [errors, requests] = [[], []];
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && !ours(m.text()) && errors.push(m.text()));
  page.on("pageerror", (e) => errors.push(e.stack));
  page.on("request", (r) => requests.push(r.url()));
  await page.goto(url);
  return { page, errors, requests, close: () => context.close() };
}

// what headless Chromium says of its own software rendering when a picture is read back
function ours(text) {
  return text.includes("GPU stall due to ReadPixels") || text.includes("swiftshader");
}

export function check(holds, what) {
  if (!holds) throw new Error(what);
}

export function equal(found, expected, what) {
  const [f, e] = [JSON.stringify(found), JSON.stringify(expected)];
  check(f === e, `${what}: ${f}, expected ${e}`);
}

export function close(found, expected, relative, what) {
  check(Math.abs(found - expected) <= relative * Math.abs(expected), `${what}: ${found}, expected ${expected}`);
}

// Tests run one after the other; one that fails does not stop the others.
export class Runner {
  passed = 0;
  failed = 0;

  async test(name, body) {
    const start = performance.now();
    const seconds = () => `${((performance.now() - start) / 1000).toFixed(1)} s`;
    try {
      const measured = await body();
      this.passed += 1;
      console.log(`ok    ${name} (${seconds()})${measured ? `: ${measured}` : ""}`);
    } catch (error) {
      this.failed += 1;
      console.log(`FAIL  ${name} (${seconds()})\n      ${String(error.message).split("\n").slice(0, 12).join("\n      ")}`);
    }
  }

  close() {
    console.log(`${this.passed} passed, ${this.failed} failed`);
    return this.failed ? 1 : 0;
  }
}
