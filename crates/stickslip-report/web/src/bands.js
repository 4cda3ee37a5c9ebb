// Bands: what each contact does over time. A click moves the animation.
import { contactsAt } from "./decode.js";

const MOST = 24;

export function bands(run, player) {
  const labels = run.labels.slice(0, MOST);
  if (!labels.length) return null;
  const frames = run.times.length;
  const modes = labels.map(() => new Uint8Array(frames));
  for (let frame = 0; frame < frames; frame++) {
    for (const c of contactsAt(run, frame)) if (c.index < labels.length) modes[c.index][frame] = c.mode === "slip" ? 2 : 1;
  }
  const canvas = document.createElement("canvas");
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `contact modes over time: ${labels.join(", ")}`);
  const element = document.createElement("div");
  element.className = "bands";
  element.append(canvas);
  const row = 18;
  const left = 150;
  let time = 0;
  const [start, end] = [run.times[0], run.times[frames - 1]];
  const paint = () => {
    const ratio = devicePixelRatio || 1;
    const width = Math.max(300, element.clientWidth);
    canvas.width = width * ratio;
    canvas.height = (row * labels.length + 4) * ratio;
    canvas.style.height = `${row * labels.length + 4}px`;
    const g = canvas.getContext("2d");
    g.scale(ratio, ratio);
    const style = getComputedStyle(document.documentElement);
    const colour = ["", style.getPropertyValue("--stick"), style.getPropertyValue("--slip")];
    const x = (t) => left + ((t - start) / (end - start || 1)) * (width - left - 4);
    g.font = "12px system-ui, sans-serif";
    labels.forEach((label, i) => {
      g.fillStyle = style.getPropertyValue("--soft");
      g.fillText(label.length > 22 ? `${label.slice(0, 21)}…` : label, 0, row * i + 13);
      g.fillStyle = style.getPropertyValue("--panel");
      g.fillRect(left, row * i + 2, width - left - 4, row - 4);
      for (let f = 0; f < frames; ) {
        let to = f + 1;
        while (to < frames && modes[i][to] === modes[i][f]) to++;
        if (modes[i][f]) {
          g.fillStyle = colour[modes[i][f]];
          const from = x(run.times[Math.max(0, f - 1)]);
          g.fillRect(from, row * i + 2, Math.max(0.8, x(run.times[to - 1]) - from), row - 4);
        }
        f = to;
      }
    });
    g.fillStyle = style.getPropertyValue("--ink");
    g.fillRect(x(time), 0, 1, row * labels.length + 4);
  };
  canvas.onclick = (e) => {
    const share = (e.offsetX - left) / (element.clientWidth - left - 4);
    if (share >= 0) {
      player.pause();
      player.seek(start + share * (end - start));
    }
  };
  new ResizeObserver(paint).observe(element);
  return { element, at: (t) => { time = t; paint(); } };
}
