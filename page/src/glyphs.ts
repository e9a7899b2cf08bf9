// Many small solids of one kind: arrows, contact points, segments of lines.
import {
  type BufferGeometry,
  Color,
  ConeGeometry,
  CylinderGeometry,
  InstancedMesh,
  Matrix4,
  MeshBasicMaterial,
  MeshLambertMaterial,
  Object3D,
  Quaternion,
  Vector3,
} from "three";

const Y = new Vector3(0, 1, 0);
const matrix = new Matrix4();
const turn = new Quaternion();
const along = new Vector3();
const scale = new Vector3();
const PALE = new Color("#ffffff");
const nothing = new Matrix4().makeScale(0, 0, 0);

export function instances(geometry: BufferGeometry, color: string, count: number, isLit = true): InstancedMesh {
  const material = isLit ? new MeshLambertMaterial({ color }) : new MeshBasicMaterial({ color });
  const mesh = new InstancedMesh(geometry, material, Math.max(count, 1));
  mesh.frustumCulled = false;
  for (let i = 0; i < mesh.count; i++) mesh.setMatrixAt(i, nothing);
  return mesh;
}

export function hide(mesh: InstancedMesh, index: number): void {
  mesh.setMatrixAt(index, nothing);
}

/** Arrows of any number, each from a place along a vector. */
export class Arrows {
  readonly object = new Object3D();
  private color: Color;
  private shafts: InstancedMesh;
  private heads: InstancedMesh;

  constructor(
    count: number,
    color: string,
    private width: number,
  ) {
    this.color = new Color(color);
    this.shafts = instances(new CylinderGeometry(1, 1, 1, 10).translate(0, 0.5, 0), "#ffffff", count, false);
    this.heads = instances(new ConeGeometry(1, 1, 14).translate(0, 0.5, 0), "#ffffff", count, false);
    this.object.add(this.shafts, this.heads);
  }

  /** Draws an arrow; a pale one stands out from the others. */
  set(index: number, from: Vector3, vector: Vector3, isPale = false): void {
    const length = vector.length();
    for (const mesh of [this.shafts, this.heads]) {
      mesh.setColorAt(index, isPale ? PALE : this.color);
      mesh.instanceColor!.needsUpdate = true;
    }
    if (!(length > 0.05 * this.width)) {
      hide(this.shafts, index);
      hide(this.heads, index);
    } else {
      const head = Math.min(5 * this.width, 0.4 * length);
      turn.setFromUnitVectors(Y, along.copy(vector).divideScalar(length));
      scale.set(this.width, length - head, this.width);
      this.shafts.setMatrixAt(index, matrix.compose(from, turn, scale));
      scale.set(2.4 * this.width, head, 2.4 * this.width);
      this.heads.setMatrixAt(index, matrix.compose(along.multiplyScalar(length - head).add(from), turn, scale));
    }
    this.shafts.instanceMatrix.needsUpdate = this.heads.instanceMatrix.needsUpdate = true;
  }
}

/** Rods between places, each with its own colour. */
export class Rods {
  readonly object: InstancedMesh;
  private color = new Color();

  constructor(
    count: number,
    private width: number,
    color = "#ffffff",
    isLit = false,
  ) {
    this.object = instances(new CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0), color, count, isLit);
  }

  set(index: number, from: Vector3, to: Vector3, color?: [number, number, number]): void {
    along.copy(to).sub(from);
    const length = along.length();
    if (!(length > 0)) hide(this.object, index);
    else {
      turn.setFromUnitVectors(Y, along.divideScalar(length));
      this.object.setMatrixAt(index, matrix.compose(from, turn, scale.set(this.width, length, this.width)));
    }
    if (color) {
      this.object.setColorAt(index, this.color.setRGB(...color, "srgb"));
      if (this.object.instanceColor) this.object.instanceColor.needsUpdate = true;
    }
    this.object.instanceMatrix.needsUpdate = true;
  }

  hide(index: number): void {
    hide(this.object, index);
    this.object.instanceMatrix.needsUpdate = true;
  }
}
