// Browser tests: node main.mjs BINARY FOLDER. Pages and pictures are left in FOLDER.
import { launch, Runner } from "./harness.mjs";
import { looks } from "./looks.mjs";
import { make } from "./pages.mjs";
import { runPage } from "./run_page.mjs";
import { stills } from "./stills.mjs";
import { studyPage } from "./study_page.mjs";
import { view } from "./view.mjs";

const [binary, out] = process.argv.slice(2);
const runner = new Runner();
const pages = make(binary, out);
const browser = await launch();
try {
  await runPage(runner, browser, pages);
  await studyPage(runner, browser, pages, binary);
  await stills(runner, browser, pages, binary, out);
  await view(runner, browser, binary, out);
  await looks(runner, browser, pages, out);
} finally {
  await browser.close();
}
process.exitCode = runner.close();
