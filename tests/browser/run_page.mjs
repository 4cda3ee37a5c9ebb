// The page of a run: it loads offline, plays, scrubs, its plots follow, and what it shows is what the files say.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { check, close, equal, open } from "./harness.mjs";

const VIEW = "#motion-view canvas";

async function opened(browser, page, options) {
  const tab = await open(browser, page.url, options);
  await tab.page.waitForSelector(VIEW);
  await tab.page.waitForFunction("window.stickslipView !== undefined");
  return tab;
}

const time = (page) => page.evaluate("stickslipView.player.time");
const frame = (page) => page.evaluate("stickslipView.player.frame");

async function loadsOffline(browser, target) {
  const { page, errors, requests, close } = await opened(browser, target);
  await page.waitForTimeout(300);
  const outside = requests.filter((u) => !u.startsWith("data:") && !u.startsWith("blob:"));
  equal(outside, [target.url], "requests");
  equal(errors, [], "console");
  // something is drawn: the picture has more than its background
  const colours = await page.evaluate(`(() => {
    const source = document.querySelector("#motion-view canvas"), c = document.createElement("canvas");
    c.width = source.width; c.height = source.height;
    const g = c.getContext("2d"); g.drawImage(source, 0, 0);
    const data = g.getImageData(0, 0, c.width, c.height).data, seen = new Set();
    for (let i = 0; i < data.length; i += 4) seen.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
    return seen.size;
  })()`);
  check(colours > 5, `the picture has ${colours} colours`);
  await close();
  return `1 request, ${colours} colours in the view`;
}

async function plays(browser, target) {
  const { page, errors, close } = await opened(browser, target);
  const before = await time(page);
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction(`stickslipView.player.time > ${before}`, null, { timeout: 10000 });
  await page.getByRole("button", { name: "Pause" }).click();
  const after = await time(page);
  await page.waitForTimeout(200);
  equal(await time(page), after, "time after a pause");
  equal(errors, [], "console");
  await close();
  return `t = ${before} to ${after.toFixed(4)} s `;
}

// The share of the plot's height that is drawn in the colour of the cursor at the column of a time.
const cursorAt = (page, t) => page.evaluate(`(() => {
  const u = stickslipView.plot.plot, x = Math.round(u.valToPos(${t}, "x", true));
  const canvas = u.root.querySelector("canvas"), g = canvas.getContext("2d");
  const probe = document.createElement("canvas").getContext("2d");
  probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--ink").trim();
  probe.fillRect(0, 0, 1, 1);
  const ink = probe.getImageData(0, 0, 1, 1).data;
  let most = 0;
  for (const column of [x - 1, x]) {
    const data = g.getImageData(column, u.bbox.top, 1, u.bbox.height).data;
    let dark = 0;
    for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 60 && [0, 1, 2].every((k) => Math.abs(data[i + k] - ink[k]) < 60)) dark++;
    most = Math.max(most, dark / (data.length / 4));
  }
  return most;
})()`);

async function scrubs(browser, target) {
  const { page, close } = await opened(browser, target);
  const frames = await page.evaluate("stickslipView.run.times.length");
  const seen = [];
  for (const share of [0.25, 0.6]) {
    const to = Math.floor(share * (frames - 1));
    await page.getByLabel("frame", { exact: true }).fill(String(to));
    equal(await frame(page), to, "frame after scrubbing");
    const t = await time(page);
    equal(await page.evaluate("stickslipView.plot.time"), t, "time of the plot's cursor");
    await page.waitForTimeout(100);
    const [here, there] = [await cursorAt(page, t), await cursorAt(page, t * 0.5)];
    check(here > 0.8, `the cursor covers ${here} of the plot's height at t = ${t}`);
    check(there < 0.5, `a cursor at t = ${t * 0.5}, too: ${there}`);
    check((await page.locator("#motion-view output").textContent()).includes(t.toPrecision(5)), "the clock");
    seen.push(t.toFixed(3));
  }
  await close();
  return `cursor seen at t = ${seen.join(", ")} s`;
}

async function clickMoves(browser, target) {
  const { page, close: done } = await opened(browser, target);
  const box = await page.locator("#motion-view .u-over").boundingBox();
  const x = Math.round(0.7 * box.width);
  await page.mouse.click(box.x + x, box.y + 0.5 * box.height);
  const [t, asked, step] = await page.evaluate(`[stickslipView.player.time, stickslipView.plot.plot.posToVal(${x}, "x"),
    stickslipView.run.times[1] - stickslipView.run.times[0]]`);
  const pixel = await page.evaluate(`stickslipView.plot.plot.posToVal(1, "x") - stickslipView.plot.plot.posToVal(0, "x")`);
  check(Math.abs(t - asked) <= 2 * step + pixel, `a click at ${asked} s moved to ${t} s`);
  // the bands below the view as well
  const band = page.locator("#motion-view .bands canvas");
  await band.click({ position: { x: 0.4 * (await band.boundingBox()).width, y: 5 } });
  const moved = await time(page);
  check(moved !== t, "a click in the bands moved nothing");
  await done();
  return `plot: asked ${asked.toFixed(4)} s, shown ${t.toFixed(4)} s; bands: ${moved.toFixed(4)} s`;
}

// [force, drawn length] of each arrow.
const arrows = (page) => page.evaluate(`stickslipView.stage.overlay.children.filter((o) => o.userData.force)
  .map((o) => [o.userData.force, o.line.scale.y + o.cone.scale.y])`);

async function arrowsScale(browser, target) {
  const { page, close: done } = await opened(browser, target);
  const withForce = await page.evaluate(`(() => {
    const v = stickslipView, out = [];
    for (let f = 0; f < v.run.times.length && out.length < 6; f += 37) {
      v.player.seekFrame(f);
      if (v.stage.overlay.children.some((o) => o.userData.force)) out.push(f);
    }
    return out;
  })()`);
  check(withForce.length >= 3, `frames with arrows: ${withForce}`);
  const scale = page.getByLabel("length of arrows");
  const perForce = [];
  for (const f of withForce) {
    await scale.fill("0");
    await page.evaluate(`stickslipView.player.seekFrame(${f})`);
    const plain = await arrows(page);
    plain.forEach(([force, length]) => perForce.push(length / force));
    await scale.fill("-0.5");
    const short = await arrows(page);
    // arrows too short to see are left out
    short.forEach(([force, length]) => {
      const same = plain.find((p) => p[0] === force);
      close(length / same[1], 10 ** -0.5, 0.02, "ratio of lengths");
    });
  }
  const [low, high] = [Math.min(...perForce), Math.max(...perForce)];
  // the longest are cut at three times the scene
  close(high, low, 1e-3, "length per force over frames");
  await page.getByLabel("forces").uncheck();
  equal(await arrows(page), [], "arrows when forces are switched off");
  await done();
  return `${perForce.length} arrows, ${high.toPrecision(4)} m/N`;
}

// Rows of a CSV file as objects.
function table(file) {
  const [head, ...lines] = readFileSync(file, "utf8").trim().split("\n");
  const names = head.split(",");
  return lines.map((line) => Object.fromEntries(line.split(",").map((cell, i) => [names[i], cell])));
}

async function modesMatch(browser, target) {
  const { page, close } = await opened(browser, target);
  const rows = new Map();
  for (const row of table(join(target.dir, "contacts.csv"))) {
    const t = Math.fround(+row.t);
    rows.set(t, [...(rows.get(t) ?? []), row]);
  }
  const times = await page.evaluate("Array.from(stickslipView.run.times)");
  const first = (holds) => times.findIndex((t, i) => i > 0 && holds(rows.get(t) ?? []));
  const earliest = rows.values().next().value[0].label;
  // open, slipping, sticking, another contact than the first, and the end
  const instants = [
    first((r) => r.length === 0), first((r) => r.some((c) => c.mode === "slip")), first((r) => r.some((c) => c.mode === "stick")),
    first((r) => r.some((c) => c.label !== earliest)), times.length - 1,
  ];
  const seen = [];
  for (const f of instants) {
    check(f >= 0, `the run has no such instant: ${instants}`);
    await page.evaluate(`stickslipView.player.seekFrame(${f})`);
    const shown = await page.evaluate(`stickslipView.stage.overlay.children.filter((o) => o.userData.label !== undefined).map((o) => {
      const c = stickslipView.stage.colours, drawn = o.material.color;
      const mode = drawn.equals(c.stick) ? "stick" : drawn.equals(c.slip) ? "slip" : "?";
      return [o.userData.label, mode, o.position.x, o.position.y];
    })`);
    const expected = (rows.get(times[f]) ?? []).map((r) => [r.label, r.mode, Math.fround(+r.point_1), Math.fround(+r.point_2)]);
    equal(shown, expected, `contacts at t = ${times[f]}`);
    seen.push(`${times[f].toFixed(3)}: ${expected.map((e) => e[1]).join("+") || "open"}`);
  }
  await close();
  return seen.join(", ");
}

async function keyboard(browser, target) {
  const { page, close } = await opened(browser, target);
  const last = (await page.evaluate("stickslipView.run.times.length")) - 1;
  await page.locator("#motion-view .stage").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowLeft");
  equal(await frame(page), 1, "frame after →, →, ←");
  await page.keyboard.press("End");
  equal(await frame(page), last, "frame after End");
  await page.keyboard.press("Home");
  equal(await frame(page), 0, "frame after Home");
  await page.keyboard.press("Space");
  // however slowly this machine draws
  await page.waitForFunction("stickslipView.player.frame > 0", null, { timeout: 30000 });
  await page.keyboard.press("Space");
  check(!(await page.evaluate("stickslipView.player.playing")), "space did not pause");
  // every control can be reached with the tab key
  const reached = new Set();
  for (let i = 0; i < 40; i++) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate(`(document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent).trim()`));
  }
  for (const name of ["Play", "one frame back", "one frame on", "frame", "speed", "length of arrows", "reset view"]) {
    check(reached.has(name), `the tab key does not reach “${name}”: ${[...reached].join(" | ")}`);
  }
  await close();
}

// A spring ends on its bodies, whatever the frame, and the legend says what it is.
async function springsFollow(browser, target) {
  const { page, errors, close: done } = await opened(browser, target);
  const rows = new Map(table(join(target.dir, "trajectory.csv")).map((row) => [Math.fround(+row.t), row]));
  const times = await page.evaluate("Array.from(stickslipView.run.times)");
  let worst = 0;
  for (const f of [0, Math.floor(times.length / 3), times.length - 1]) {
    await page.evaluate(`stickslipView.player.seekFrame(${f})`);
    const [first, last] = await page.evaluate(`(() => {
      const p = stickslipView.stage.springs[0].object.geometry.attributes.position;
      return [0, p.count - 1].map((i) => [p.getX(i), p.getY(i)]);
    })()`);
    // the particle B is one end, the lower end of rod A the other, 0.3 m below its middle
    const row = rows.get(times[f]);
    const angle = +row["A.angle"];
    const end = [+row["A.x"] + 0.3 * Math.sin(angle), +row["A.y"] - 0.3 * Math.cos(angle)];
    worst = Math.max(worst, Math.hypot(last[0] - row["B.x"], last[1] - row["B.y"]), Math.hypot(first[0] - end[0], first[1] - end[1]));
  }
  check(worst < 1e-5, `an end of the spring is ${worst} m off`);
  const legend = await page.textContent("#motion-view .legend");
  for (const word of ["sticks", "slips", "driven", "moves freely", "moving surface", "joint", "spring", "rod"]) {
    check(legend.includes(word), `the legend says nothing of “${word}”: ${legend}`);
  }
  check(!legend.includes("damper") && !legend.includes("torsion"), legend);
  equal(errors, [], "console");
  await done();
  return `ends within ${worst.toExponential(1)} m`;
}

export async function runPage(runner, browser, pages) {
  const { woodpecker } = pages;
  const of = (name, body, target = woodpecker) => runner.test(name, () => body(browser, target));
  await of("the woodpecker page loads without network and without a word in the console", loadsOffline);
  await of("it plays and pauses", plays);
  await of("it scrubs, and the plot's cursor and the clock follow", scrubs);
  await of("a click in a plot or in the bands moves the animation", clickMoves);
  await of("arrows are proportional to forces and to the slider", arrowsScale);
  await of("contacts, modes and places are those of contacts.csv at five instants", modesMatch);
  await of("the view is operable by keyboard", keyboard);
  await of("the page of a pile of balls loads the same way", loadsOffline, pages["ball-pile"]);
  await of("it plays", plays, pages["ball-pile"]);
  await of("the page of a rover loads the same way", loadsOffline, pages.rover);
  await of("a spring ends on its bodies, and the legend names what is there", springsFollow, pages.springs);
}
