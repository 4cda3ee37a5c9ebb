// The animated view of a run page: mounts itself in #motion-view from the data in #motion-data.
import uplotStyle from "uplot/dist/uPlot.min.css";
import style from "./style.css";
import { bands } from "./bands.js";
import { decode } from "./decode.js";
import { Player } from "./player.js";
import { PhasePlot, TimePlot } from "./plots.js";
import { Stage } from "./stage.js";

function make(tag, properties = {}, children = []) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

function labelled(text, control) {
  return make("label", {}, [control, document.createTextNode(text)]);
}

function chooser(columns, chosen, label, multiple) {
  const options = columns.map((c, i) => make("option", { value: i, textContent: c.name, selected: chosen.includes(i) }));
  const select = make("select", { multiple, size: multiple ? 5 : 1, className: "choose" }, options);
  select.setAttribute("aria-label", label);
  return select;
}

function controls(player, stage) {
  const play = make("button", { type: "button" });
  const paint = () => { play.textContent = player.playing ? "Pause" : "Play"; };
  player.listeners.push(paint);
  paint();
  play.onclick = () => player.toggle();
  const button = (text, label, action) => {
    const b = make("button", { type: "button", textContent: text, onclick: action });
    b.setAttribute("aria-label", label);
    return b;
  };
  const scrub = make("input", { type: "range", className: "scrub", min: 0, max: player.times.length - 1, step: 1, value: 0 });
  scrub.setAttribute("aria-label", "frame");
  scrub.oninput = () => { player.pause(); player.seekFrame(+scrub.value); };
  const clock = make("output");
  const speeds = [0.01, 0.03, 0.1, 0.25, 0.5, 1, 2, 5, 10];
  const start = speeds.reduce((best, s) => (Math.abs(Math.log((player.end / s) / 8)) < Math.abs(Math.log((player.end / best) / 8)) ? s : best));
  player.speed = start;
  const speed = make("select", {}, speeds.map((s) => make("option", { value: s, textContent: `${s}×`, selected: s === start })));
  speed.onchange = () => { player.speed = +speed.value; };
  speed.setAttribute("aria-label", "speed");
  const box = (text, checked, change) => labelled(text, make("input", { type: "checkbox", checked, onchange: (e) => change(e.target.checked) }));
  const option = (text, key) => box(text, stage.options[key], (on) => { stage.options[key] = on; stage.show(player.frame); });
  const scale = make("input", { type: "range", min: -1.5, max: 1.5, step: 0.05, value: 0 });
  scale.oninput = () => { stage.options.scale = 10 ** +scale.value; stage.show(player.frame); };
  scale.setAttribute("aria-label", "length of arrows");
  const bar = make("div", { className: "bar" }, [
    play, button("◀", "one frame back", () => player.step(-1)), button("▶", "one frame on", () => player.step(1)), scrub, clock, speed,
    box("loop", true, (on) => { player.loop = on; }),
    option("forces", "forces"), labelled("arrows", scale), option("cones", "cones"), option("trails", "trails"), option("joints", "joints"),
    button("Reset view", "reset view", () => stage.reset()),
  ]);
  const show = () => {
    scrub.value = player.frame;
    clock.textContent = `t = ${player.time.toPrecision(5)} s`;
    scrub.setAttribute("aria-valuetext", clock.textContent);
  };
  return { bar, show };
}

// Small pictures of the lines that things are drawn with, in a box of 24 by 12.
const LINES = {
  joint: '<circle cx="12" cy="6" r="4"/>',
  spring: '<path d="M0 6h3l1.5-5 3 10 3-10 3 10 3-10 3 10 1.5-5h3"/>',
  damper: '<path d="M0 6h24"/><path d="M8 6h8" stroke-width="7"/>',
  torsion: '<path d="M12 6a1.5 1.5 0 0 1 3 0a3 3 0 0 1-6 0a4.5 4.5 0 0 1 9 0a5.3 5.3 0 0 1-5 5"/>',
  rod: '<path d="M1 6h22"/>',
  belt: '<path d="M6 2l-4 8M13 2l-4 8M20 2l-4 8"/>',
};

// What each mark in the view means, of those that are there.
function legend(run) {
  const { figures, joints, springs = [] } = run.drawing;
  const dot = (name, text) => [`<i style="background:var(${name})"></i>${text}`];
  const line = (name, text) => [`<svg viewBox="0 0 24 12" aria-hidden="true">${LINES[name]}</svg>${text}`];
  const moves = (motion) => figures.some((f) => f.motion === motion);
  const bare = (body) => body !== null && figures[body].solids.every((s) => s.solid === "point");
  const entries = [
    ...(run.labels.length ? [dot("--stick", "contact that sticks"), dot("--slip", "contact that slips"), ["arrow: its force on the body named first"]] : []),
    ...(moves("driven") ? [dot("--c1", "driven")] : []),
    ...(moves("moving") ? [dot("--c5", "moves freely")] : []),
    ...(figures.some((f) => f.belt) ? [line("belt", "moving surface")] : []),
    ...(joints.length ? [line("joint", "joint")] : []),
    ...(springs.some((s) => s.kind === "linear") ? [line("spring", "spring")] : []),
    ...(springs.some((s) => s.kind === "torsion") ? [line("torsion", "torsion spring")] : []),
    ...(springs.some((s) => s.kind === "damper") ? [line("damper", "damper")] : []),
    ...([...joints, ...springs].some((j) => j.kind === "distance" || j.between.some(bare)) ? [line("rod", "rod: distance joint, or body without a shape")] : []),
  ];
  return make("p", { className: "legend", innerHTML: entries.map((e) => `<span>${e}</span>`).join(" ") });
}

function eventList(run, player) {
  const items = run.events.map((e) => {
    const value = e.value ? `  ${(+e.value).toPrecision(3)}` : "";
    const text = `${e.t.toPrecision(6)} s  ${e.kind}  ${e.contact ?? ""}${value}`;
    const item = make("li", { className: e.kind === "missed" ? "missed" : "" }, [
      make("button", { type: "button", textContent: text, onclick: () => { player.pause(); player.seek(e.t); } }),
    ]);
    return item;
  });
  const list = make("ul", { className: "happened" }, items);
  list.setAttribute("aria-label", "events");
  return list;
}

function keys(view, player) {
  view.addEventListener("keydown", (e) => {
    if (e.target.closest("input, select, button") && e.key !== "Escape") return;
    const actions = {
      " ": () => player.toggle(), ArrowLeft: () => player.step(-1), ArrowRight: () => player.step(1),
      Home: () => player.seekFrame(0), End: () => player.seekFrame(player.times.length - 1),
    };
    if (!actions[e.key]) return;
    e.preventDefault();
    actions[e.key]();
  });
}

function mount() {
  const view = document.getElementById("motion-view");
  const source = document.getElementById("motion-data");
  if (!view || !source) return;
  document.head.append(make("style", { textContent: uplotStyle + style }));
  const run = decode(JSON.parse(source.textContent));
  view.replaceChildren();
  const frameElement = make("div", { className: "stage", tabIndex: 0 });
  frameElement.setAttribute("role", "application");
  frameElement.setAttribute("aria-label", "animated view: space plays, arrow keys step, Home and End jump");
  const left = make("div", {}, [frameElement]);
  const side = make("div", { className: "side" });
  view.append(left, side);
  let stage;
  try {
    stage = new Stage(frameElement, run);
  } catch (error) {
    frameElement.textContent = `The animated view needs WebGL: ${error.message}`;
    return;
  }
  const shown = [];
  const player = new Player(run.times, (frame) => {
    stage.show(frame);
    shown.forEach((f) => f(player.time));
  });
  const { bar, show } = controls(player, stage);
  shown.push(show);
  left.append(bar, legend(run));
  const plotElement = make("div", { className: "plot" });
  const plot = new TimePlot(plotElement, (t) => { player.pause(); player.seek(t); });
  shown.push((t) => plot.at(t));
  const pick = chooser(run.columns, [0], "columns to plot", true);
  pick.onchange = () => { plot.draw([...pick.selectedOptions].slice(0, 8).map((o) => run.columns[o.value])); plot.at(player.time); };
  const canvas = make("canvas");
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", "one column against another");
  const phaseElement = make("div", { className: "plot" }, [canvas]);
  const phase = new PhasePlot(canvas);
  const xs = chooser(run.columns, [0], "horizontal", false);
  const ys = chooser(run.columns, [Math.min(1, run.columns.length - 1)], "vertical", false);
  xs.onchange = ys.onchange = () => { phase.draw(run.columns[xs.value], run.columns[ys.value]); phase.at(player.time); };
  shown.push((t) => phase.at(t));
  side.append(pick, plotElement, make("div", { className: "bar" }, [xs, ys]), phaseElement, eventList(run, player));
  const band = bands(run, player);
  if (band) {
    view.append(band.element);
    shown.push(band.at);
  }
  keys(view, player);
  // plots are painted in the colours of the page
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    plot.draw(plot.columns);
    shown.forEach((f) => f(player.time));
  });
  plot.draw([run.columns[0]]);
  phase.draw(run.columns[xs.value], run.columns[ys.value]);
  player.seekFrame(0);
  // for people's own scripts, and for tests
  window.stickslipView = { run, player, stage, plot };
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", mount);
else mount();
