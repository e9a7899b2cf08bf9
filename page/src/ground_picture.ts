// The ground from above as a picture, made once: what the top view of a rover lies on.
import { Color, DirectionalLight, HemisphereLight, type Mesh, Mesh as Shape, MeshLambertMaterial, OrthographicCamera, Scene, type WebGLRenderer, WebGLRenderTarget } from "three";

export interface GroundPicture {
  image: HTMLCanvasElement;
  /** West, south, east and north edge [m], from the scene's origin. */
  box: [number, number, number, number];
}

const PIXELS = 1024; // along the longer edge

/** Renders the ground of a site, north up. */
export function groundPicture(renderer: WebGLRenderer, ground: Mesh, box: [number, number, number, number]): GroundPicture {
  const [west, south, east, north] = box;
  const scale = PIXELS / Math.max(east - west, north - south);
  const [width, height] = [east - west, north - south].map((length) => Math.max(1, Math.round(length * scale)));
  const { center, radius } = ground.geometry.boundingSphere!;
  const camera = new OrthographicCamera(west, east, north, south, 0, 4 * radius + 1);
  camera.position.set(0, 0, center.z + 2 * radius);
  const target = new WebGLRenderTarget(width, height);
  const before = renderer.getRenderTarget();
  renderer.setRenderTarget(target);
  renderer.clear();
  renderer.render(stage(ground), camera);
  const pixels = new Uint8ClampedArray(4 * width * height);
  renderer.readRenderTargetPixels(target, 0, 0, width, height, pixels);
  renderer.setRenderTarget(before);
  target.dispose();
  return { image: painted(pixels, width, height), box };
}

/** The ground alone, pale, lit from the north-west as maps are. */
function stage(ground: Mesh): Scene {
  const scene = new Scene();
  scene.background = new Color("#ffffff");
  const flat = (ground.material as MeshLambertMaterial).flatShading;
  scene.add(new Shape(ground.geometry, new MeshLambertMaterial({ color: "#cfc9bd", flatShading: flat })));
  const sun = new DirectionalLight(0xffffff, 2.6);
  sun.position.set(-1, 1, 1);
  scene.add(sun, new HemisphereLight(0xffffff, 0x777777, 0.9));
  return scene;
}

/** Pixels from below upward and linear, as a picture from above downward for the screen. */
function painted(pixels: Uint8ClampedArray, width: number, height: number): HTMLCanvasElement {
  const image = document.createElement("canvas");
  image.width = width;
  image.height = height;
  const pen = image.getContext("2d")!;
  const out = pen.createImageData(width, height);
  for (let row = 0; row < height; row++) {
    for (let i = 0; i < 4 * width; i++) {
      const value = pixels[4 * width * (height - 1 - row) + i];
      out.data[4 * width * row + i] = i % 4 === 3 ? 255 : 255 * (value / 255) ** (1 / 2.2);
    }
  }
  pen.putImageData(out, 0, 0);
  return image;
}
