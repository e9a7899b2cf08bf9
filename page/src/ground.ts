// The ground: one mesh, tinted by height, lit by the sun.
import { BufferAttribute, BufferGeometry, Mesh, MeshLambertMaterial, Vector3 } from "three";
import type { Pack } from "./data";

const FEW = 6000;

export function makeGround(pack: Pack): Mesh {
  const vertices = pack.arrays.ground_vertex as Float32Array;
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(vertices, 3));
  geometry.setIndex(new BufferAttribute(pack.arrays.ground_facet as Uint32Array, 1));
  const isCoarse = pack.header.n_facets < FEW;
  if (!isCoarse) geometry.computeVertexNormals();
  geometry.setAttribute("color", new BufferAttribute(tints(vertices, pack), 3));
  geometry.computeBoundingSphere();
  const material = new MeshLambertMaterial({ vertexColors: true, flatShading: isCoarse, polygonOffset: true });
  material.polygonOffsetFactor = 1.5;
  material.polygonOffsetUnits = 6; // lines on the ground stay in front of it, also seen from straight above
  const mesh = new Mesh(geometry, material);
  mesh.receiveShadow = true;
  return mesh;
}

/** Lighter with height: along the vertical of a site, from the centre of a body. */
function tints(vertices: Float32Array, pack: Pack): Float32Array {
  const { header } = pack;
  const up = new Vector3(...(header.up as [number, number, number]));
  const origin = new Vector3(...(header.origin as [number, number, number]));
  const n = vertices.length / 3;
  const heights = new Float64Array(n);
  let low = Infinity;
  let high = -Infinity;
  const place = new Vector3();
  for (let i = 0; i < n; i++) {
    place.fromArray(vertices, 3 * i);
    heights[i] = header.frame === "P" ? place.add(origin).length() : place.dot(up);
    low = Math.min(low, heights[i]);
    high = Math.max(high, heights[i]);
  }
  const out = new Float32Array(vertices.length);
  const span = high - low > 1e-6 * (Math.abs(high) + 1) ? high - low : Infinity;
  for (let i = 0; i < n; i++) {
    const share = span === Infinity ? 0.55 : (heights[i] - low) / span;
    out[3 * i] = 0.3 + 0.26 * share;
    out[3 * i + 1] = 0.27 + 0.235 * share;
    out[3 * i + 2] = 0.235 + 0.205 * share;
  }
  return out;
}
