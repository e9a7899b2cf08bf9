// Buttons over the scene, the keyboard, and the card that explains it.
import { PRESETS, type Preset } from "./cameras";
import { make } from "./dom";
import type { Replay } from "./replay";
import { LAYERS, type Layer, type View } from "./view";

const LAYER_KEYS: Record<string, Layer> = { v: "forces", c: "contacts", t: "trail", b: "vehicle", x: "frames", s: "shadow" };
const HELP: [string, string][] = [
  ["space", "play, pause"],
  ["← →", "one frame back, on"],
  ["N, P", "next, previous contact"],
  ["Home, End", "start, end"],
  ["[ ]", "slower, faster"],
  ["1 ... 7", "overview, close (again: the next vehicle), side, above, whole ground, aboard a sensor, descent (nearer as it comes down)"],
  ["F", "follow the vehicle"],
  ["V C T B X S", "show or hide forces, contact points, trail, vehicle, frames, shadow"],
  ["+ -", "longer, shorter force arrows"],
  ["G", "save the picture as PNG"],
  ["mouse", "drag to turn, wheel to zoom, right button to move; in a plot: click to seek, drag to zoom, double click for all"],
  ["H or ?", "this card"],
];

const LIVE_HELP: [string, string][] = [["U, R", "undo, redo a change of the rover"]];

export class Tools {
  readonly element = make("div", { id: "tools" });
  readonly help = make("dialog", { id: "help" });
  /** Aborted when the page goes, so that keys do not reach it any more. */
  readonly closing = new AbortController();
  private layers = new Map<Layer, HTMLButtonElement>();
  private camera = make("select", { id: "camera", title: "Where to look from (1 to 6)", ariaLabel: "Camera" });
  private followButton = make("button", { id: "follow", textContent: "follow", title: "Keep the vehicle in place (F)" });

  constructor(
    private replay: Replay,
    private view: View,
  ) {
    this.camera.append(...view.cameras.presets.map((preset) => make("option", { value: preset, textContent: preset })));
    this.camera.onchange = () => view.cameras.go(this.camera.value as Preset);
    view.cameras.onGo = (preset) => {
      this.camera.value = preset;
      this.showFollowing();
    };
    this.followButton.onclick = () => this.follow();
    const save = make("button", { id: "png", textContent: "PNG", title: "Save the picture (G)" });
    save.onclick = () => this.save();
    const about = make("button", { id: "help-button", textContent: "?", title: "Keys (H)" });
    about.onclick = () => this.card();
    this.element.append(this.camera, this.followButton, ...LAYERS.filter((layer) => this.isUseful(layer)).map((layer) => this.layer(layer)), save, about);
    this.fillHelp();
    addEventListener("keydown", (event) => this.key(event), { signal: this.closing.signal });
  }

  toggle(layer: Layer): void {
    this.view.shown[layer] = !this.view.shown[layer];
    this.layers.get(layer)?.classList.toggle("on", this.view.shown[layer]);
    this.view.isDirty = true;
  }

  private isUseful(layer: Layer): boolean {
    return layer !== "beams" || Boolean(this.replay.header.sensors?.some((sensor) => sensor.beams.length));
  }

  private layer(layer: Layer): HTMLButtonElement {
    const out = make("button", { textContent: layer, title: `Show or hide ${layer}` });
    out.classList.toggle("on", this.view.shown[layer]);
    out.onclick = () => this.toggle(layer);
    this.layers.set(layer, out);
    return out;
  }

  follow(): void {
    this.view.cameras.setFollowing(!this.view.cameras.isFollowing);
    this.showFollowing();
    this.view.isDirty = true;
  }

  showFollowing(): void {
    this.followButton.classList.toggle("on", this.view.cameras.isFollowing);
  }

  private save(): void {
    const name = `${this.replay.header.name}-${this.replay.playback.time.toFixed(3)}s.png`;
    make("a", { href: this.view.png(), download: name }).click();
  }

  private card(): void {
    if (this.help.open) this.help.close();
    else this.help.showModal();
  }

  private fillHelp(): void {
    const rows = [...HELP, ...(this.replay.header.session ? LIVE_HELP : [])].map(([key, text]) => make("tr", {}, make("th", { textContent: key }), make("td", { textContent: text })));
    const close = make("button", { textContent: "close" });
    close.onclick = () => this.help.close();
    const { header } = this.replay;
    const kept = this.replay.arrays.time.length;
    const note = `${kept} of ${header.n_frames_recorded} recorded frames, every peak of a force among them; poses are interpolated between frames, forces and modes held. ${header.n_facets} triangles of ground, exact where the vehicle touched. Planetfall ${header.planetfall}.`;
    this.help.append(make("h2", { textContent: "Keys" }), make("table", {}, ...rows), make("p", { textContent: note }), close);
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    const isMoved = target.tagName === "INPUT" && target.id !== "slider" && /^(Arrow|Home|End|Page)/.test(event.key);
    if (event.ctrlKey || event.altKey || event.metaKey || target.tagName === "SELECT" || isMoved) return;
    const { playback } = this.replay;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const acts: Record<string, () => void> = {
      " ": () => playback.toggle(),
      ArrowLeft: () => playback.step(-1),
      ArrowRight: () => playback.step(1),
      Home: () => playback.seek(playback.start),
      End: () => playback.seek(playback.end),
      n: () => playback.toContact(1),
      p: () => playback.toContact(-1),
      "[": () => playback.faster(-1),
      "]": () => playback.faster(1),
      f: () => this.follow(),
      g: () => this.save(),
      h: () => this.card(),
      "?": () => this.card(),
      "+": () => this.stretch(1.5),
      "=": () => this.stretch(1.5),
      "-": () => this.stretch(1 / 1.5),
    };
    const preset = PRESETS[Number(key) - 1];
    if (preset && this.view.cameras.presets.includes(preset)) this.view.cameras.go(preset);
    else if (LAYER_KEYS[key]) this.toggle(LAYER_KEYS[key]);
    else if (acts[key]) acts[key]();
    else return;
    event.preventDefault();
  }

  private stretch(factor: number): void {
    this.view.contacts.strength *= factor;
    this.view.isDirty = true;
  }
}
