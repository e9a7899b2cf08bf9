// The scene in three dimensions: light, camera, what is shown, and what is written over it.
import {
  AxesHelper,
  BufferAttribute,
  BufferGeometry,
  Color,
  DirectionalLight,
  HemisphereLight,
  Line,
  LineBasicMaterial,
  type Mesh,
  PerspectiveCamera,
  Points,
  PointsMaterial,
  Raycaster,
  Scene,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { Cameras } from "./cameras";
import { Contacts } from "./contacts";
import type { Pack } from "./data";
import { Grid } from "./grid";
import { makeGround } from "./ground";
import { TRAIL } from "./palette";
import type { Replay } from "./replay";
import { Beams } from "./beams";
import { Parachutes } from "./parachutes";
import { Tethers } from "./tethers";
import { Vehicles } from "./vehicle";

export const LAYERS = ["forces", "contacts", "trail", "vehicle", "frames", "shadow", "beams"] as const;
export type Layer = (typeof LAYERS)[number];

export class View {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(42, 1, 0.01, 1e5);
  readonly renderer: WebGLRenderer;
  readonly orbit: OrbitControls;
  readonly contacts: Contacts;
  readonly tethers: Tethers;
  private parachutes: Parachutes;
  readonly cameras: Cameras;
  readonly beams: Beams;
  readonly grid: Grid;
  readonly shown: Record<Layer, boolean> = {
    forces: true, contacts: true, trail: true, vehicle: true, frames: false, shadow: true, beams: true,
  }; // prettier-ignore
  isDirty = true;
  n_drawn = 0;
  readonly ground: Mesh;
  private vehicles: Vehicles;
  private trails: Line2[] = [];
  private far: Line[] = [];
  private spot: Points;
  private sun: DirectionalLight;
  private axes: AxesHelper[] = [];
  private place = new Vector3();

  constructor(
    private canvas: HTMLCanvasElement,
    pack: Pack,
    private replay: Replay,
  ) {
    const { header } = pack;
    this.renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = true;
    this.scene.background = new Color("#12161c");
    this.ground = makeGround(pack);
    this.vehicles = new Vehicles(replay);
    this.contacts = new Contacts(replay);
    this.tethers = new Tethers(replay);
    this.parachutes = new Parachutes(replay);
    this.beams = new Beams(replay);
    this.sun = this.light();
    this.spot = marker();
    this.scene.add(this.ground, this.vehicles.object, this.contacts.markers, this.contacts.arrows);
    this.scene.add(this.tethers.rods.object, this.parachutes.object, this.beams.object, this.spot);
    this.grid = new Grid(pack);
    this.scene.add(this.grid.object);
    this.makeTrails();
    this.makeAxes(header.size);
    this.camera.up.fromArray(header.up);
    this.orbit = new OrbitControls(this.camera, canvas);
    this.orbit.addEventListener("change", () => (this.isDirty = true));
    this.cameras = new Cameras(this.camera, this.orbit, replay, this.ground.geometry.boundingSphere!);
    replay.playback.onChange(() => (this.isDirty = true));
    replay.onGrowth(() => this.renewTrails());
  }

  /** Draws if something changed. */
  draw(): boolean {
    this.cameras.follow();
    if (!this.isDirty) return false;
    this.isDirty = false;
    this.vehicles.update();
    this.contacts.update();
    this.tethers.update();
    this.parachutes.update();
    this.beams.update();
    this.cameras.aboard();
    this.contacts.arrows.visible = this.shown.forces;
    this.contacts.markers.visible = this.shown.contacts;
    this.vehicles.object.visible = this.shown.vehicle;
    this.parachutes.object.visible = this.shown.vehicle;
    this.beams.object.visible = this.shown.beams;
    this.sun.castShadow = this.shown.shadow;
    this.axes.forEach((axes, i) => {
      axes.visible = this.shown.frames;
      if (i < this.vehicles.bodies.length) {
        axes.position.copy(this.vehicles.bodies[i].position);
        axes.quaternion.copy(this.vehicles.bodies[i].quaternion);
      }
    });
    this.updateTrails();
    this.updateSun();
    this.cameras.setDepth();
    this.grid.update(this.cameras.perPixel(this.canvas.clientHeight || 1));
    this.renderer.render(this.scene, this.camera);
    this.n_drawn++;
    return true;
  }

  resize(width: number, height: number): void {
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(height, 1);
    this.camera.updateProjectionMatrix();
    this.isDirty = true;
  }

  png(): string {
    this.isDirty = true;
    this.draw();
    return this.canvas.toDataURL("image/png");
  }

  /** Distance [m] from a drawn contact point along a direction, or against it, to the drawn ground. */
  probe(index: number, direction: [number, number, number]): number {
    const line = new Vector3(...direction).normalize();
    this.replay.point(index, this.place);
    const far = 10 * this.replay.header.size;
    const ray = new Raycaster(this.place.clone().addScaledVector(line, far), line.negate(), 0, 2 * far);
    const hits = ray.intersectObject(this.ground).map((hit) => hit.distance - far);
    return hits.length ? hits.reduce((best, hit) => (Math.abs(hit) < Math.abs(best) ? hit : best)) : NaN;
  }

  private light(): DirectionalLight {
    const { size } = this.replay.header;
    const sun = new DirectionalLight(0xfff4e2, 2.9);
    sun.shadow.mapSize.set(1024, 1024);
    const camera = sun.shadow.camera;
    camera.left = camera.bottom = -4 * size;
    camera.right = camera.top = 4 * size;
    camera.near = size;
    camera.far = 80 * size;
    sun.shadow.bias = -1e-3;
    const sky = new HemisphereLight(0xdfe6f2, 0x57503f, 0.95);
    sky.position.fromArray(this.replay.header.up);
    this.scene.add(sky, sun, sun.target);
    return sun;
  }

  private updateSun(): void {
    const { sun, size } = this.replay.header;
    const target = this.vehicles.bodies[0].position;
    const towards = sun ? sunAt(sun, this.replay.playback.time) : this.cameras.lamp();
    this.sun.target.position.copy(target);
    this.sun.position.copy(target).addScaledVector(towards, 40 * size);
    this.sun.target.updateMatrixWorld();
  }

  private makeTrails(): void {
    const { nBodies, arrays } = this.replay;
    const n = arrays.time.length;
    for (let body = 0; body < nBodies; body++) {
      const places = new Float32Array(3 * n);
      for (let i = 0; i < n; i++) {
        for (let axis = 0; axis < 3; axis++) places[3 * i + axis] = arrays.position[3 * (i * nBodies + body) + axis];
      }
      const faint = new LineBasicMaterial({ color: TRAIL, transparent: true, opacity: 0.35 });
      const whole = new Line(new BufferGeometry().setAttribute("position", new BufferAttribute(places, 3)), faint);
      const done = new Line2(new LineGeometry(), new LineMaterial({ color: TRAIL, linewidth: 2.5 }));
      done.geometry.setPositions(places);
      whole.frustumCulled = done.frustumCulled = false;
      this.scene.add(whole, done);
      this.trails.push(done);
      this.far.push(whole);
    }
  }

  private renewTrails(): void {
    for (const line of [...this.trails, ...this.far]) {
      line.removeFromParent();
      line.geometry.dispose();
    }
    this.trails = [];
    this.far = [];
    this.makeTrails();
  }

  private updateTrails(): void {
    const frame = this.replay.playback.frame;
    for (const line of this.trails) {
      line.visible = this.shown.trail;
      line.geometry.instanceCount = frame;
    }
    for (const line of this.far) line.visible = this.shown.trail;
    this.spot.position.copy(this.vehicles.bodies[0].position);
    const apparent = this.replay.header.size / this.camera.position.distanceTo(this.spot.position);
    this.spot.visible = apparent < 0.012;
  }

  private makeAxes(size: number): void {
    for (let i = 0; i <= this.replay.nBodies; i++) {
      const axes = new AxesHelper((i < this.replay.nBodies ? 1.2 : 2) * size);
      axes.setColors(new Color("#D55E00"), new Color("#009E73"), new Color("#0072B2"));
      this.axes.push(axes);
      this.scene.add(axes);
    }
    const [x, y, z] = this.replay.header.origin;
    const site = this.axes[this.axes.length - 1];
    if (this.replay.header.frame === "L") site.position.set(-x, -y, -z);
  }
}

/** Direction to a sun that stands still among the stars, in a frame that turns with omega [rad/s]. */
export function sunAt(sun: { direction: number[]; omega: number[] }, time: number): Vector3 {
  const axis = new Vector3(...(sun.omega as [number, number, number]));
  const rate = axis.length();
  const out = new Vector3(...(sun.direction as [number, number, number]));
  return rate > 0 ? out.applyAxisAngle(axis.divideScalar(rate), -rate * time) : out;
}

/** A spot of constant size on the screen, for vehicles that are too small to be seen. */
function marker(): Points {
  const geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(3), 3));
  const material = new PointsMaterial({ color: "#E69F00", size: 9, sizeAttenuation: false, depthTest: false });
  const out = new Points(geometry, material);
  out.frustumCulled = false;
  out.renderOrder = 1;
  return out;
}
