// The page of a campaign: where its runs ended, coloured by outcome or by any number; a click replays a run.
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DirectionalLight,
  HemisphereLight,
  PerspectiveCamera,
  Points,
  PointsMaterial,
  Scene,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Pack } from "./data";
import { make, shown } from "./dom";
import { makeGround } from "./ground";
import { COLORS, ramp } from "./palette";
import { gridLines } from "./view";

const NEAR = 12; // pixels within which a click finds a run

export class CampaignPage {
  isReady = false;
  chosen = -1;
  private scene = new Scene();
  private camera = new PerspectiveCamera(42, 1, 0.01, 1e6);
  private renderer: WebGLRenderer;
  private orbit: OrbitControls;
  private points: Points;
  private colors: Float32Array;
  private stage = make("main", { id: "stage" });
  private key = make("div", { id: "legend" });
  private card = make("aside", { id: "card" });
  private choice = make("select", { id: "color", ariaLabel: "Colour of the runs" });
  private canvas = make("canvas", { id: "scene" });
  private isStopped = false;
  private isDirty = true;

  constructor(
    app: HTMLElement,
    private pack: Pack,
    private replay: ((run: number) => void) | null,
  ) {
    const { header, arrays } = pack;
    this.renderer = new WebGLRenderer({ canvas: this.canvas, antialias: true, preserveDrawingBuffer: true });
    this.scene.background = new Color("#12161c");
    this.colors = new Float32Array(arrays.place.length);
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(arrays.place as Float32Array, 3));
    geometry.setAttribute("color", new BufferAttribute(this.colors, 3));
    const size = arrays.run.length > 5000 ? 4 : 8;
    this.points = new Points(geometry, new PointsMaterial({ size, sizeAttenuation: false, vertexColors: true, depthTest: false }));
    this.points.renderOrder = 1; // after the ground, which would paint over them
    const up = new Vector3(...(header.up as [number, number, number]));
    const sun = new DirectionalLight(0xfff4e2, 2.6);
    sun.position.copy(up).multiplyScalar(0.7).add(new Vector3(0.5, -0.4, 0.2));
    this.scene.add(makeGround(pack), this.points, sun, new HemisphereLight(0xdfe6f2, 0x57503f, 1));
    if (arrays.ground_line) this.scene.add(gridLines(arrays.ground_line as Float32Array));
    this.camera.up.copy(up);
    this.orbit = new OrbitControls(this.camera, this.canvas);
    this.orbit.addEventListener("change", () => (this.isDirty = true));
    const north = header.frame === "L" ? new Vector3(0, 1, 0) : new Vector3(0, 0, 1);
    this.camera.position.copy(up).addScaledVector(north, -0.8).normalize().multiplyScalar(3.4 * (header.reach ?? 1));
    this.orbit.update();
    this.build(app);
    this.paint();
  }

  start(): void {
    const loop = () => {
      if (this.isStopped) return;
      if (this.isDirty) this.draw();
      requestAnimationFrame(loop);
    };
    this.resize();
    requestAnimationFrame(loop);
  }

  stop(): void {
    this.isStopped = true;
    this.renderer.dispose();
  }

  /** Where a run is on the screen [pixels of the scene], for tests. */
  placeOf(index: number): [number, number] {
    const place = new Vector3().fromArray(this.pack.arrays.place, 3 * index).project(this.camera);
    return [((place.x + 1) / 2) * this.canvas.clientWidth, ((1 - place.y) / 2) * this.canvas.clientHeight];
  }

  private build(app: HTMLElement): void {
    const { header } = this.pack;
    const names = ["outcome", ...(header.columns ?? []).map((column) => column.name)];
    this.choice.append(...names.map((name) => make("option", { value: name, textContent: name.replaceAll("_", " ") })));
    this.choice.onchange = () => this.paint();
    const heading = make("header", { id: "heading" }, make("h1", { textContent: header.name }), make("p", { textContent: header.title }), make("span", { className: "badge", textContent: `${header.n_runs} runs` }));
    this.card.append(make("p", { className: "quiet", textContent: "Click a point for its run." }));
    const overlay = make("div", { id: "overlay" }, this.key);
    this.stage.append(this.canvas, overlay, make("div", { id: "tools" }, this.choice));
    app.className = "campaign";
    app.replaceChildren(heading, this.stage, this.card);
    let pressed: [number, number] = [0, 0];
    this.canvas.addEventListener("pointerdown", (event) => (pressed = [event.offsetX, event.offsetY]));
    this.canvas.addEventListener("pointerup", (event) => {
      if (Math.hypot(event.offsetX - pressed[0], event.offsetY - pressed[1]) < 4) this.pick(event.offsetX, event.offsetY);
    });
    new ResizeObserver(() => this.resize()).observe(this.stage);
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.stage;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(height, 1);
    this.isDirty = true;
  }

  private draw(): void {
    this.isDirty = false;
    const distance = this.camera.position.distanceTo(this.orbit.target);
    this.camera.near = 0.01 * distance;
    this.camera.far = 50 * distance;
    this.camera.updateProjectionMatrix();
    this.renderer.render(this.scene, this.camera);
    this.isReady = true;
  }

  /** Colours every run, and explains the colours. */
  private paint(): void {
    const { header, arrays } = this.pack;
    const name = this.choice.value;
    const values = arrays[`col.${name}`];
    const color = new Color();
    if (!values) {
      arrays.outcome.forEach((code, i) => color.set(COLORS[code % COLORS.length]).toArray(this.colors, 3 * i));
      const counts = header.outcomes!.map((_, code) => arrays.outcome.filter((other: number) => other === code).length);
      this.key.replaceChildren(...header.outcomes!.map((outcome, code) => {
        const mark = make("i", { textContent: "●" });
        mark.style.color = COLORS[code % COLORS.length];
        return make("span", {}, mark, `${outcome} ${counts[code]}`);
      }));
    } else {
      const known = Array.from(values).filter(Number.isFinite);
      const low = known.reduce((a, b) => Math.min(a, b), Infinity);
      const high = known.reduce((a, b) => Math.max(a, b), -Infinity);
      for (let i = 0; i < values.length; i++) {
        const rgb = Number.isFinite(values[i]) ? ramp((values[i] - low) / (high - low || 1)) : [0.3, 0.3, 0.3];
        color.setRGB(rgb[0], rgb[1], rgb[2], "srgb").toArray(this.colors, 3 * i);
      }
      const bar = make("i", { className: "ramp wide" });
      this.key.replaceChildren(make("span", {}, `${shown(low)} `, bar, `${shown(high)} ${name}`));
    }
    this.points.geometry.attributes.color.needsUpdate = true;
    this.isDirty = true;
  }

  private pick(x: number, y: number): void {
    let best = NEAR;
    let found = -1;
    for (let i = 0; i < this.pack.arrays.run.length; i++) {
      const [a, b] = this.placeOf(i);
      const away = Math.hypot(a - x, b - y);
      if (away < best) [best, found] = [away, i];
    }
    if (found >= 0) this.choose(found);
  }

  private choose(index: number): void {
    const { header, arrays } = this.pack;
    this.chosen = arrays.run[index];
    const rows = (header.columns ?? []).map(({ name }) => make("tr", {}, make("th", { textContent: name.replaceAll("_", " ") }), make("td", { textContent: shown(arrays[`col.${name}`][index]) })));
    const button = make("button", { id: "replay-run", textContent: "Replay this run" });
    button.onclick = () => {
      button.disabled = true;
      button.textContent = "Running it again ...";
      this.replay!(this.chosen);
    };
    const offer = this.replay ? button : make("p", { className: "quiet", textContent: `planetfall replay DIR ${this.chosen} repeats it with its history.` });
    this.card.replaceChildren(make("h2", { textContent: `run ${this.chosen}: ${header.outcomes![arrays.outcome[index]]}` }), offer, make("table", {}, ...rows));
  }
}
