// Plots beside the view: any columns over time, and one against another.
import uPlot from "uplot";
import { valueAt } from "./decode.js";

function colours() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(name).trim();
  return { ink: of("--ink"), soft: of("--soft"), rule: of("--rule"), series: [0, 1, 2, 3, 4, 5, 6, 7].map((i) => of(`--c${i}`)) };
}

// Columns on one axis of time: a point of one is a gap that the line spans for the others.
function joined(columns) {
  return uPlot.join(columns.map((c) => [Array.from(c.t), Array.from(c.y)]));
}

// A plot of columns over time. `seek` is called with the time of a click.
export class TimePlot {
  constructor(element, seek) {
    this.element = element;
    this.seek = seek;
    new ResizeObserver(() => this.plot?.setSize(this.size())).observe(element);
  }

  size() {
    return { width: Math.max(200, this.element.clientWidth), height: 220 };
  }

  draw(columns) {
    this.plot?.destroy();
    this.plot = null;
    this.columns = columns;
    if (!columns.length) return;
    const c = colours();
    const axis = { stroke: c.soft, grid: { stroke: c.rule, width: 1 }, ticks: { stroke: c.rule } };
    const options = {
      ...this.size(),
      scales: { x: { time: false } },
      axes: [{ ...axis, label: "t in s", labelSize: 20 }, { ...axis, size: 64 }],
      series: [{ label: "t" }, ...columns.map((column, i) => ({ label: column.name, stroke: c.series[i % 8], width: 1.5, spanGaps: true }))],
      cursor: { drag: { x: true, y: false } },
      hooks: {
        ready: [(u) => u.over.addEventListener("click", () => {
          if (u.cursor.left >= 0) this.seek(u.posToVal(u.cursor.left, "x"));
        })],
        draw: [(u) => this.drawCursor(u)],
      },
    };
    this.plot = new uPlot(options, joined(columns), this.element);
  }

  // The time of the animation, as a line.
  at(t) {
    this.time = t;
    this.plot?.redraw(false);
  }

  drawCursor(u) {
    if (this.time === undefined) return;
    const x = u.valToPos(this.time, "x", true);
    if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) return;
    u.ctx.save();
    u.ctx.strokeStyle = colours().ink;
    u.ctx.lineWidth = devicePixelRatio;
    u.ctx.beginPath();
    u.ctx.moveTo(x, u.bbox.top);
    u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
    u.ctx.stroke();
    u.ctx.restore();
  }
}

// One column against another, with a dot where the animation is.
export class PhasePlot {
  constructor(canvas) {
    this.canvas = canvas;
    new ResizeObserver(() => this.paint()).observe(canvas.parentElement);
  }

  draw(x, y) {
    this.x = x;
    this.y = y;
    this.points = Array.from(x.t, (t, i) => [x.y[i], valueAt(y, t)]);
    this.paint();
  }

  at(t) {
    this.time = t;
    this.paint();
  }

  paint() {
    if (!this.points) return;
    const { canvas } = this;
    const ratio = devicePixelRatio || 1;
    const w = (canvas.width = Math.max(200, canvas.parentElement.clientWidth) * ratio);
    const h = (canvas.height = 220 * ratio);
    canvas.style.width = `${w / ratio}px`;
    canvas.style.height = "220px";
    const range = (k) => {
      let low = Infinity, high = -Infinity;
      for (const p of this.points) if (Number.isFinite(p[k])) { low = Math.min(low, p[k]); high = Math.max(high, p[k]); }
      const pad = 0.05 * (high - low) || 1e-9;
      return [low - pad, high + pad];
    };
    const [x0, x1] = range(0), [y0, y1] = range(1);
    const left = 70 * ratio, bottom = 34 * ratio;
    const px = (x) => left + ((x - x0) / (x1 - x0)) * (w - left - 8 * ratio);
    const py = (y) => h - bottom - ((y - y0) / (y1 - y0)) * (h - bottom - 8 * ratio);
    const g = canvas.getContext("2d");
    const c = colours();
    g.clearRect(0, 0, w, h);
    g.strokeStyle = c.series[0];
    g.lineWidth = 1.2 * ratio;
    g.beginPath();
    this.points.forEach(([x, y], i) => (i ? g.lineTo(px(x), py(y)) : g.moveTo(px(x), py(y))));
    g.stroke();
    g.fillStyle = c.soft;
    g.font = `${12 * ratio}px system-ui, sans-serif`;
    g.textAlign = "center";
    g.fillText(this.x.name, (left + w) / 2, h - 4 * ratio);
    const show = (v) => String(+v.toPrecision(3));
    [[x0, px(x0) + 16 * ratio], [x1, px(x1) - 16 * ratio]].forEach(([v, at]) => g.fillText(show(v), at, h - 18 * ratio));
    g.textAlign = "right";
    [[y0, py(y0)], [y1, py(y1) + 10 * ratio]].forEach(([v, at]) => g.fillText(show(v), left - 6 * ratio, at));
    g.save();
    g.translate(12 * ratio, (h - bottom) / 2);
    g.rotate(-Math.PI / 2);
    g.textAlign = "center";
    g.fillText(this.y.name, 0, 0);
    g.restore();
    if (this.time !== undefined) {
      g.fillStyle = c.series[1];
      g.beginPath();
      g.arc(px(valueAt(this.x, this.time)), py(valueAt(this.y, this.time)), 4 * ratio, 0, 7);
      g.fill();
    }
  }
}
