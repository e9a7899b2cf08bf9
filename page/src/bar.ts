// The bar below: play, step, speed, the slider of time with marks where something happened.
import type { Numbers } from "./data";
import { make } from "./dom";
import { SPEEDS, type Playback } from "./playback";

/** Digits after the point that tell most neighbouring frames apart. */
export function digitsOf(playback: Playback): number {
  const step = usualStep(playback.times);
  return step > 0 ? Math.min(Math.max(Math.ceil(-Math.log10(step)), 0), 6) : 3;
}

const known = new WeakMap<Numbers, number>();

/** The step than which a tenth of all are shorter: near contacts they are dense. */
function usualStep(times: Numbers): number {
  let out = known.get(times);
  if (out === undefined) {
    const steps = new Float64Array(Math.max(times.length - 1, 0)).map((_, i) => times[i + 1] - times[i]).filter((step) => step > 0).sort();
    out = steps[Math.floor(0.1 * steps.length)] ?? 0;
    known.set(times, out);
  }
  return out;
}

export class Bar {
  readonly element = make("footer", { id: "bar" });
  private play = make("button", { id: "play", title: "Play or pause (space)" });
  private speed = make("select", { id: "speed", title: "Speed ([ and ])", ariaLabel: "Speed of the replay" });
  private slider = make("input", { id: "slider", type: "range", step: "any", ariaLabel: "Time" });
  private marks = make("canvas", { id: "marks" });
  private readout = make("output", { id: "time" });
  private usual: number;

  constructor(private playback: Playback) {
    const button = (id: string, text: string, title: string, act: () => void) => {
      const out = make("button", { id, textContent: text, title });
      out.onclick = act;
      return out;
    };
    this.usual = playback.speed;
    this.play.onclick = () => playback.toggle();
    this.speed.append(...SPEEDS.map((speed) => make("option", { value: String(speed), textContent: `${speed}×` })));
    this.speed.onchange = () => {
      this.usual = playback.speed = Number(this.speed.value);
      playback.changed();
    };
    this.slider.oninput = () => playback.seek(Number(this.slider.value));
    this.element.append(
      button("first", "|◂", "To the start (Home)", () => playback.seek(playback.start)),
      button("previous-contact", "◂●", "Previous contact (P)", () => playback.toContact(-1)),
      button("back", "◂", "One frame back (left arrow)", () => playback.step(-1)),
      this.play,
      button("forward", "▸", "One frame on (right arrow)", () => playback.step(1)),
      button("next-contact", "●▸", "Next contact (N)", () => playback.toContact(1)),
      button("fast", "▸▸", "Fast forward: ten times as fast, and back", () => this.fastForward()),
      this.speed,
      make("div", { className: "track" }, this.slider, this.marks),
      this.readout,
    );
    playback.onChange(() => this.update());
    this.update();
  }

  /** Plays ten times as fast; pressed again, as before. */
  private fastForward(): void {
    const { playback } = this;
    const isFast = playback.speed > this.usual;
    playback.speed = isFast ? this.usual : Math.min(10 * this.usual, SPEEDS[SPEEDS.length - 1]);
    if (!isFast && !playback.playing) playback.toggle();
    else playback.changed();
  }

  update(): void {
    const { playback } = this;
    const digits = digitsOf(playback);
    this.play.textContent = playback.playing ? "❚❚" : "▶";
    this.play.ariaLabel = playback.playing ? "Pause" : "Play";
    this.speed.value = String(playback.speed);
    this.slider.min = String(playback.start);
    this.slider.max = String(playback.end);
    this.slider.value = String(playback.time);
    this.readout.textContent = `${playback.time.toFixed(digits)} / ${playback.end.toFixed(digits)} s`;
  }

  /** Marks of the touchdowns under the slider. */
  resize(): void {
    const { clientWidth: width, clientHeight: height } = this.marks;
    this.marks.width = width * devicePixelRatio;
    this.marks.height = height * devicePixelRatio;
    const pen = this.marks.getContext("2d")!;
    pen.scale(devicePixelRatio, devicePixelRatio);
    pen.fillStyle = "#D55E00";
    const { start, end, contacts } = this.playback;
    const thumb = 8; // half the width of the slider's thumb, which its ends keep free
    for (const time of contacts) {
      pen.fillRect(thumb + ((width - 2 * thumb) * (time - start)) / (end - start || 1) - 0.5, 0, 1, height);
    }
  }
}
