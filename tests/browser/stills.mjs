// Stills: a browser reads what our own encoder wrote.
import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { equal, open } from "./harness.mjs";

async function isRead(browser, binary, target, file) {
  execFileSync(binary, ["report", target.dir, "--png", file, "--size", "640x480"], { stdio: "ignore" });
  const { page, close } = await open(browser, pathToFileURL(file).href);
  const found = await page.evaluate(`(() => {
    const image = document.images[0], c = document.createElement("canvas");
    c.width = image.naturalWidth; c.height = image.naturalHeight;
    const g = c.getContext("2d"); g.drawImage(image, 0, 0);
    return [image.complete, c.width, c.height];
  })()`);
  equal(found, [true, 640, 480], "the picture");
  await close();
}

export async function stills(runner, browser, pages, binary, out) {
  for (const name of ["woodpecker", "ball-pile"]) {
    await runner.test(`a browser reads the still of ${name}`, () => isRead(browser, binary, pages[name], resolve(out, `${name}-still.png`)));
  }
}
