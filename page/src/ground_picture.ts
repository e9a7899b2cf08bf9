// The ground from above as a picture, made once: what the top view of a rover lies on.
import { Color, DirectionalLight, HemisphereLight, type Mesh, Mesh as Shape, MeshLambertMaterial, OrthographicCamera, Scene, type WebGLRenderer } from "three";

export interface GroundPicture {
  image: HTMLCanvasElement;
  /** West, south, east and north edge [m], from the scene's origin. */
  box: [number, number, number, number];
}

const PIXELS = 1024; // along the longer edge

/** Renders the ground of a site, north up, on the scene's own canvas, whose size has to be set again afterwards. */
export function groundPicture(renderer: WebGLRenderer, ground: Mesh, box: [number, number, number, number]): GroundPicture {
  const [west, south, east, north] = box;
  const scale = PIXELS / Math.max(east - west, north - south);
  const image = document.createElement("canvas");
  image.width = Math.max(1, Math.round((east - west) * scale));
  image.height = Math.max(1, Math.round((north - south) * scale));
  const { center, radius } = ground.geometry.boundingSphere!;
  const camera = new OrthographicCamera(west, east, north, south, 0, 4 * radius + 1);
  camera.position.set(0, 0, center.z + 2 * radius);
  renderer.setPixelRatio(1);
  renderer.setSize(image.width, image.height, false);
  renderer.render(stage(ground), camera);
  image.getContext("2d")!.drawImage(renderer.domElement, 0, 0);
  return { image, box };
}

/** The ground alone, pale, lit from the north-west as maps are. */
function stage(ground: Mesh): Scene {
  const scene = new Scene();
  scene.background = new Color("#ffffff");
  const flat = (ground.material as MeshLambertMaterial).flatShading;
  scene.add(new Shape(ground.geometry, new MeshLambertMaterial({ vertexColors: true, flatShading: flat })));
  const sun = new DirectionalLight(0xffffff, 5);
  sun.position.set(-1, 1, 1);
  const sky = new HemisphereLight(0xffffff, 0x777777, 1.8);
  sky.position.set(0, 0, 1);
  scene.add(sun, sky);
  return scene;
}
