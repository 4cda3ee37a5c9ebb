// Time: play, pause, step, scrub, speed, loop. Frames are those of the run; nothing is invented between them.
import { frameAt } from "./decode.js";

export class Player {
  constructor(times, onFrame) {
    this.times = times;
    this.onFrame = onFrame;
    this.frame = 0;
    this.speed = 1;
    this.loop = true;
    this.playing = false;
    this.listeners = [];
  }

  get time() {
    return this.times[this.frame];
  }

  get end() {
    return this.times[this.times.length - 1];
  }

  seekFrame(frame) {
    this.frame = Math.max(0, Math.min(this.times.length - 1, frame));
    this.clock = this.time;
    this.onFrame(this.frame);
  }

  seek(t) {
    this.seekFrame(frameAt(this.times, t));
  }

  step(by) {
    this.pause();
    this.seekFrame(this.frame + by);
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  play() {
    if (this.playing) return;
    if (this.frame === this.times.length - 1) this.seekFrame(0);
    this.playing = true;
    this.clock = this.time;
    this.last = undefined;
    this.changed();
    requestAnimationFrame((now) => this.tick(now));
  }

  pause() {
    this.playing = false;
    this.changed();
  }

  changed() {
    this.listeners.forEach((f) => f());
  }

  tick(now) {
    if (!this.playing) return;
    if (this.last !== undefined) {
      this.clock += ((now - this.last) / 1000) * this.speed;
      if (this.clock > this.end) {
        if (this.loop) this.clock = this.times[0];
        else {
          this.seekFrame(this.times.length - 1);
          this.pause();
          return;
        }
      }
      const frame = frameAt(this.times, this.clock);
      if (frame !== this.frame) {
        this.frame = frame;
        this.onFrame(frame);
      }
    }
    this.last = now;
    requestAnimationFrame((next) => this.tick(next));
  }
}
