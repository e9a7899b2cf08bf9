// The rover from above, y of the surface frame up: ground, path, wheels, support polygon and centre of mass.
import { Vector3 } from "three";
import { Drawing } from "./drawing";
import type { GroundPicture } from "./ground_picture";
import { COLORS, MODE_COLORS, TRAIL } from "./palette";
import type { Replay } from "./replay";
import { hullFromAbove, type RoverPose } from "./rover_pose";

const NEAR = 1.7; // lengths of the rover that are seen across

export class TopView {
  readonly drawing: Drawing;
  isWhole = false;
  private ground: GroundPicture | null = null;

  constructor(
    private replay: Replay,
    private pose: RoverPose,
  ) {
    const up = replay.header.turn ? "y of the map" : "north";
    this.drawing = new Drawing(`Rover from above, ${up} up. Click for the whole path, and back.`);
    const { element } = this.drawing;
    element.classList.add("clickable");
    element.setAttribute("role", "button");
    element.tabIndex = 0;
    element.onclick = () => this.toggle();
    element.onkeydown = (event) => {
      if (event.key === "Enter") this.toggle();
    };
  }

  /** Between the rover and the whole path. */
  toggle(): void {
    this.isWhole = !this.isWhole;
    this.draw();
  }

  /** What the ground has to show [m]: west, south, east, north of all that can be seen here. */
  box(): [number, number, number, number] {
    const [west, south, east, north] = this.pathBox();
    const margin = NEAR * 2 * this.replay.header.size;
    return [west - margin, south - margin, east + margin, north + margin];
  }

  setGround(picture: GroundPicture): void {
    this.ground = picture;
  }

  draw(): void {
    const { drawing, pose, replay } = this;
    const [west, south, east, north] = this.pathBox();
    const size = 2 * replay.header.size;
    const across: [number, number] = this.isWhole ? [east - west + size, north - south + size] : [NEAR * size, NEAR * size * 0.7];
    if (this.isWhole) drawing.begin((west + east) / 2, (south + north) / 2, across);
    else drawing.begin(pose.middle.x, pose.middle.y, across);
    this.drawGround();
    this.drawPath();
    const polygon = hullFromAbove(pose.contacts.filter((_, i) => replay.mode(i) > 0));
    if (polygon.length > 2) drawing.area(flat(polygon), `${COLORS[0]}33`, COLORS[0], 1.5);
    this.drawRover();
    drawing.centreOfMass(pose.center.x, pose.center.y, this.isWhole ? 4 : 6);
    drawing.scaleBar();
    drawing.text(this.isWhole ? "whole path, N ↑" : "above, N ↑", 7, 6);
  }

  private drawGround(): void {
    if (!this.ground) return;
    const { image, box } = this.ground;
    const { drawing } = this;
    const [left, top, right, bottom] = [drawing.x(box[0]), drawing.y(box[3]), drawing.x(box[2]), drawing.y(box[1])];
    drawing.pen.imageSmoothingEnabled = true;
    drawing.pen.drawImage(image, left, top, right - left, bottom - top);
  }

  private drawPath(): void {
    const { path } = this.replay.arrays;
    const places: [number, number][] = [];
    for (let i = 0; i < path.length; i += 2) places.push([path[i], path[i + 1]]);
    this.drawing.line(places, "#ffffffaa", 4);
    this.drawing.line(places, TRAIL, 2);
  }

  private drawRover(): void {
    const { drawing, pose, replay } = this;
    for (const [one, i, other, j] of replay.header.rover!.links) {
      if (one === "position") continue; // the centre of mass has a sign of its own
      drawing.line(flat([pose.end(one, i), pose.end(other, j)]), "#3c434c", this.isWhole ? 1 : 2.5);
    }
    const { wheel_radius: radius, wheel_width: width } = pose.stretch;
    const aside = new Vector3(-pose.heading.y, pose.heading.x, 0);
    pose.wheels.forEach((wheel, i) => {
      const corners = [[1, 1], [1, -1], [-1, -1], [-1, 1]].map(([a, b]) =>
        wheel.clone().addScaledVector(pose.heading, a * radius).addScaledVector(aside, (b * width) / 2),
      );
      drawing.area(flat(corners), MODE_COLORS[replay.mode(i)], "#1d2329", 1);
    });
  }

  private pathBox(): [number, number, number, number] {
    const { path } = this.replay.arrays;
    const out: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let i = 0; i < path.length; i += 2) {
      out[0] = Math.min(out[0], path[i]);
      out[1] = Math.min(out[1], path[i + 1]);
      out[2] = Math.max(out[2], path[i]);
      out[3] = Math.max(out[3], path[i + 1]);
    }
    return out;
  }
}

function flat(places: Vector3[]): [number, number][] {
  return places.map((place) => [place.x, place.y]);
}
