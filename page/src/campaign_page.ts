// The page of a campaign: where its runs ended, coloured by outcome or by any number; a click replays a run.
import { Color, DirectionalLight, HemisphereLight, type Mesh, PerspectiveCamera, Scene, Vector3, WebGLRenderer } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { CampaignPoints } from "./campaign_points";
import type { Pack } from "./data";
import { make, shown, unitText } from "./dom";
import { Grid } from "./grid";
import { makeGround } from "./ground";
import { sign } from "./marks";
import { Compass, lengthText, metresPerPixel, northAt, ScaleBar } from "./measures";

const NEAR = 12; // pixels within which the pointer finds a run
const VIEWS = ["overview", "above", "ground"] as const;

export class CampaignPage {
  isReady = false;
  chosen = -1;
  n_drawn = 0;
  readonly camera = new PerspectiveCamera(42, 1, 0.01, 1e6);
  readonly points: CampaignPoints;
  private scene = new Scene();
  private renderer: WebGLRenderer;
  private orbit: OrbitControls;
  private ground: Mesh;
  private grid: Grid;
  private compass: Compass;
  private scale = new ScaleBar();
  private stage = make("main", { id: "stage" });
  private key = make("div", { id: "legend" });
  private tip = make("div", { id: "tip", hidden: true });
  private card = make("aside", { id: "card" });
  private choice = make("select", { id: "color", title: "Colour of the runs", ariaLabel: "Colour of the runs" });
  private looks = make("select", { id: "camera", title: "Where to look from (1 to 3)", ariaLabel: "Camera" });
  private canvas = make("canvas", { id: "scene" });
  private closing = new AbortController();
  private isStopped = false;
  isDirty = true;
  private index = -1;
  private up: Vector3;

  constructor(
    app: HTMLElement,
    private pack: Pack,
    private replay: ((run: number) => void) | null,
  ) {
    const { header } = pack;
    this.renderer = new WebGLRenderer({ canvas: this.canvas, antialias: true, preserveDrawingBuffer: true });
    this.scene.background = new Color("#12161c");
    this.up = new Vector3(...(header.up as [number, number, number]));
    this.points = new CampaignPoints(pack);
    this.ground = makeGround(pack);
    this.grid = new Grid(pack);
    this.compass = new Compass(header.frame, this.up, header.turn);
    const sun = new DirectionalLight(0xfff4e2, 2.6);
    sun.position.copy(this.up).multiplyScalar(0.7).add(new Vector3(0.5, -0.4, 0.2));
    this.scene.add(this.ground, this.grid.object, this.points.object, sun, new HemisphereLight(0xdfe6f2, 0x57503f, 1));
    this.camera.up.copy(this.up);
    this.orbit = new OrbitControls(this.camera, this.canvas);
    this.orbit.addEventListener("change", () => (this.isDirty = true));
    this.build(app);
    this.listen();
    this.paint();
  }

  start(): void {
    const loop = () => {
      if (this.isStopped) return;
      if (this.isDirty) this.draw();
      requestAnimationFrame(loop);
    };
    this.resize();
    this.go("overview");
    requestAnimationFrame(loop);
  }

  stop(): void {
    this.isStopped = true;
    this.closing.abort();
    this.renderer.dispose();
  }

  /** Where a run is on the screen [pixels of the scene], for tests. */
  placeOf(index: number): [number, number] {
    const place = new Vector3().fromArray(this.pack.arrays.place, 3 * index).project(this.camera);
    return [((place.x + 1) / 2) * this.canvas.clientWidth, ((1 - place.y) / 2) * this.canvas.clientHeight];
  }

  go(view: (typeof VIEWS)[number]): void {
    const { header } = this.pack;
    const north = northAt(header.frame, this.up);
    const sphere = this.ground.geometry.boundingSphere!;
    const whole = view === "ground";
    const from = this.up.clone().addScaledVector(north, view === "above" ? -1e-3 : -0.8).normalize();
    this.orbit.target.copy(whole ? sphere.center : new Vector3());
    const distance = whole ? 2.6 * sphere.radius : 3.4 * (header.reach ?? 1);
    this.camera.position.copy(this.orbit.target).addScaledVector(from, distance / Math.min(1, Math.max(this.camera.aspect, 0.5)));
    this.looks.value = view;
    this.orbit.update();
    this.isDirty = true;
  }

  private build(app: HTMLElement): void {
    const { header } = this.pack;
    const columns = [{ name: "outcome", label: "outcome" }, ...(header.columns ?? [])];
    this.choice.append(...columns.map(({ name, label }) => make("option", { value: name, textContent: label })));
    this.looks.append(...VIEWS.map((view) => make("option", { value: view, textContent: view })));
    const badge = make("span", { className: "badge", textContent: `${header.n_runs} runs` });
    const heading = make("header", { id: "heading" }, make("h1", { textContent: header.name }), make("p", { textContent: header.title }), badge);
    this.card.append(make("p", { className: "quiet", textContent: "Click a point for its run; ← and → take the run before and after it." }));
    const notes = make("div", { id: "notes" }, ...(header.notes ?? []).map((note) => make("p", { textContent: note })));
    const overlay = make("div", { id: "overlay" }, notes, this.key, this.scale.element, this.compass.element, this.tip);
    this.stage.append(this.canvas, overlay, make("div", { id: "tools" }, this.looks, this.choice));
    app.className = "campaign";
    app.replaceChildren(heading, this.stage, this.card);
  }

  private listen(): void {
    const { signal } = this.closing;
    this.choice.onchange = () => this.paint();
    this.looks.onchange = () => this.go(this.looks.value as (typeof VIEWS)[number]);
    let pressed: [number, number] = [0, 0];
    this.canvas.addEventListener("pointerdown", (event) => (pressed = [event.offsetX, event.offsetY]));
    this.canvas.addEventListener("pointerup", (event) => {
      const found = this.under(event);
      if (Math.hypot(event.offsetX - pressed[0], event.offsetY - pressed[1]) < 4 && found >= 0) this.choose(found);
    });
    this.canvas.addEventListener("pointermove", (event) => event.buttons === 0 && this.hover(event));
    this.canvas.addEventListener("pointerleave", () => (this.tip.hidden = true));
    addEventListener("keydown", (event) => this.press(event), { signal });
    new ResizeObserver(() => this.resize()).observe(this.stage);
  }

  private press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.altKey || event.metaKey || (event.target as HTMLElement).tagName === "SELECT") return;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const n = this.pack.arrays.run.length;
    if (step) this.choose((this.index + step + n) % n);
    else if ("123".includes(event.key)) this.go(VIEWS[Number(event.key) - 1]);
    else return;
    event.preventDefault();
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
    const sphere = this.ground.geometry.boundingSphere!;
    const distance = this.camera.position.distanceTo(this.orbit.target);
    const perPixel = metresPerPixel(this.camera, distance, this.stage.clientHeight || 1);
    this.camera.near = 0.01 * distance;
    this.camera.far = Math.max(50 * distance, this.camera.position.distanceTo(sphere.center) + sphere.radius);
    this.camera.updateProjectionMatrix();
    this.grid.update(perPixel);
    this.scale.update(perPixel, this.stage.clientWidth);
    this.compass.update(this.camera);
    this.writeGrid();
    this.renderer.render(this.scene, this.camera);
    this.n_drawn++;
    this.isReady = true;
  }

  /** Colours every run, and explains the colours. */
  private paint(): void {
    const { header, arrays } = this.pack;
    const grid = make("span", { className: "quiet", id: "grid-step" });
    const column = header.columns?.find(({ name }) => name === this.choice.value);
    if (!column) {
      this.points.byOutcome();
      const counts = header.outcomes!.map(() => 0);
      for (const code of arrays.outcome) counts[code]++;
      const entries = header.outcomes!.map((outcome, code) => make("span", {}, sign(this.points.marks[code].mark, this.points.marks[code].color), `${outcome} ${counts[code]}`));
      this.key.replaceChildren(...entries, grid);
    } else {
      const [low, high] = this.points.byColumn(column.name);
      const text = `${shown(high)} ${unitText(column.unit)}: ${column.label}; dark grey: none`;
      this.key.replaceChildren(make("span", {}, `${shown(low)} `, make("i", { className: "ramp wide" }), text), grid);
    }
    this.isDirty = true;
  }

  private writeGrid(): void {
    const { step } = this.grid;
    this.key.lastElementChild!.textContent = step > 0 ? `lines every ${lengthText(step)}` : "";
  }

  private under(event: MouseEvent): number {
    return this.points.near(event.offsetX, event.offsetY, NEAR, this.camera, this.canvas.clientWidth, this.canvas.clientHeight);
  }

  private hover(event: MouseEvent): void {
    const { header, arrays } = this.pack;
    const found = this.under(event);
    this.tip.hidden = found < 0;
    this.canvas.style.cursor = found < 0 ? "" : "pointer";
    if (found < 0) return;
    const values = arrays[`col.${this.choice.value}`];
    const unit = header.columns?.find(({ name }) => name === this.choice.value)?.unit ?? "";
    const more = values ? `\n${shown(values[found])} ${unitText(unit)}` : "";
    this.tip.textContent = `run ${arrays.run[found]}: ${header.outcomes![arrays.outcome[found]]}${more}`;
    this.tip.style.left = `${Math.min(event.offsetX, this.canvas.clientWidth - 180)}px`;
    this.tip.style.top = `${Math.min(event.offsetY, this.canvas.clientHeight - 60)}px`;
  }

  private choose(index: number): void {
    const { header, arrays } = this.pack;
    this.index = index;
    this.chosen = arrays.run[index];
    const rows = (header.columns ?? []).map(({ name, label, unit }) => {
      const value = `${shown(arrays[`col.${name}`][index])} ${unitText(unit)}`;
      return make("tr", {}, make("th", { textContent: label }), make("td", { textContent: value }));
    });
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
