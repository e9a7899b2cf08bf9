// Bodies: their drawing or shape; else the hull of their contact points, or the box with their inertia and struts to the points.
import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  Color,
  CylinderGeometry,
  DoubleSide,
  EdgesGeometry,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  Mesh,
  MeshLambertMaterial,
  Object3D,
  SRGBColorSpace,
  Vector3,
} from "three";
import type { Body, Numbers } from "./data";
import { Rods } from "./glyphs";
import type { Replay } from "./replay";

const BODY = "#c9b458";
const EDGE = 0x1c1f24;
const FEW_FACETS = 200; // a plain solid, drawn so that one sees into it; a mesh is opaque

export class Vehicles {
  readonly object = new Object3D();
  readonly bodies: Object3D[] = [];
  private rover: RoverBody | null = null;

  constructor(private replay: Replay) {
    if (replay.header.rover) {
      this.rover = new RoverBody(replay);
      this.object.add(this.rover.object);
    }
    replay.header.bodies.forEach((body, i) => {
      const drawn = this.rover ? new Object3D() : body.has_shape ? shaped(replay, i) : solid(body, replay.header.size);
      this.bodies.push(drawn);
      this.object.add(drawn);
    });
  }

  update(): void {
    this.bodies.forEach((body, i) => this.replay.pose(i, body.position, body.quaternion));
    this.rover?.update();
  }
}

/** A vehicle from its own triangles: flat facets, as given, coloured if a drawing says how, and its sharp edges. */
function shaped(replay: Replay, index: number): Object3D {
  const geometry = new BufferGeometry();
  const vertices = replay.arrays[`body_vertex.${index}`] as Float32Array;
  const facets = replay.arrays[`body_facet.${index}`] as Uint32Array;
  geometry.setAttribute("position", new BufferAttribute(vertices, 3));
  geometry.setIndex(new BufferAttribute(facets, 1));
  const colors = replay.arrays[`body_color.${index}`];
  const isSmall = facets.length / 3 <= FEW_FACETS;
  const [mesh, edges] = skin(geometry.toNonIndexed(), isSmall && !colors ? 0.88 : 1, 30);
  if (colors) paint(mesh, colors);
  return new Object3D().add(mesh, ...(isSmall || colors ? [edges] : []));
}

/** Gives each facet its own colour: three numbers from 0 to 255. */
function paint(mesh: Mesh, colors: Numbers): void {
  const out = new Float32Array(3 * colors.length);
  const color = new Color();
  for (let i = 0; i < colors.length; i += 3) {
    color.setRGB(colors[i] / 255, colors[i + 1] / 255, colors[i + 2] / 255, SRGBColorSpace);
    for (let corner = 0; corner < 3; corner++) color.toArray(out, 3 * i + 3 * corner);
  }
  mesh.geometry.setAttribute("color", new BufferAttribute(out, 3));
  const material = mesh.material as MeshLambertMaterial;
  material.color.set(0xffffff);
  material.vertexColors = true;
}

function solid(body: Body, size: number): Object3D {
  const out = new Object3D();
  if (body.hull) {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(body.hull.vertices.flat()), 3));
    geometry.setIndex(body.hull.facets.flat());
    out.add(...skin(geometry.toNonIndexed(), 0.88));
  } else if (body.box) {
    const edges = body.box.edges.map((edge) => Math.max(edge, 0.05 * size));
    const geometry = new BoxGeometry(...(edges as [number, number, number]));
    const axes = body.box.axes.map((axis) => new Vector3(...(axis as [number, number, number])));
    geometry.applyMatrix4(new Matrix4().makeBasis(axes[0], axes[1], axes[2]));
    out.add(...skin(geometry, 0.92));
  }
  if (!body.hull && body.points.length) {
    const struts = new Rods(body.points.length, 0.018 * size, "#3c434c", true);
    body.points.forEach((point, i) =>
      struts.set(i, new Vector3(0, 0, 0), new Vector3(...(point as [number, number, number]))),
    );
    struts.object.castShadow = true;
    out.add(struts.object);
  }
  return out;
}

function skin(geometry: BufferGeometry, opacity: number, sharp = 5): [Mesh, LineSegments] {
  geometry.computeVertexNormals();
  const material = new MeshLambertMaterial({ color: BODY, transparent: opacity < 1, opacity, side: DoubleSide });
  const mesh = new Mesh(geometry, material);
  mesh.castShadow = true;
  return [mesh, new LineSegments(new EdgesGeometry(geometry, sharp), new LineBasicMaterial({ color: EDGE }))];
}

/** A rover's body, and links between logged joints, so that a changed link length needs no new geometry. */
class RoverBody {
  readonly object = new Object3D();
  private rods: Rods;
  private wheels: Mesh[] = [];
  private body = new Object3D();
  private a = new Vector3();
  private b = new Vector3();

  constructor(private replay: Replay) {
    const { links, stretches } = replay.header.rover!;
    this.rods = new Rods(links.length, 0.15 * stretches[0].wheel_radius, "#3c434c", true);
    this.rods.object.castShadow = true;
    this.object.add(this.rods.object, this.body);
    if (replay.arrays["body_vertex.0"]) this.body.add(shaped(replay, 0));
    const geometry = new CylinderGeometry(1, 1, 1, 28);
    for (let i = 0; i < replay.nPoints; i++) {
      const wheel = new Mesh(geometry, new MeshLambertMaterial({ color: "#6b7078" }));
      wheel.add(new LineSegments(new EdgesGeometry(geometry, 30), new LineBasicMaterial({ color: EDGE })));
      wheel.castShadow = true;
      this.wheels.push(wheel);
      this.object.add(wheel);
    }
  }

  update(): void {
    const { rover, bodies } = this.replay.header;
    const widths: Record<string, number> = { joint: 4, wheel: this.replay.nPoints, position: bodies.length };
    rover!.links.forEach(([one, i, other, j], k) => {
      this.replay.vector(one, i, widths[one], this.a);
      this.replay.vector(other, j, widths[other], this.b);
      this.rods.set(k, this.a, this.b);
    });
    this.replay.pose(0, this.a, this.body.quaternion);
    this.replay.vector("joint", 0, 4, this.a); // the body's origin is the middle of the differential's axis
    this.replay.vector("joint", 2, 4, this.b);
    this.body.position.addVectors(this.a, this.b).multiplyScalar(0.5);
    const { wheel_radius: radius, wheel_width: width } = this.replay.stretch;
    this.wheels.forEach((wheel, i) => {
      wheel.scale.set(radius, width, radius);
      this.replay.vector("wheel", i, this.wheels.length, wheel.position);
      this.replay.pose(0, this.a, wheel.quaternion);
    });
  }
}
