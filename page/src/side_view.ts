// The rover from its right: the ground along the path, links and wheels, loads. The left side is drawn behind, paler.
import { Drawing } from "./drawing";
import { FORCE, MODE_COLORS } from "./palette";
import type { Replay } from "./replay";
import type { RoverPose } from "./rover_pose";

const SEEN = [1.3, 0.62]; // lengths of the rover that are seen along and up
const SIDES = [
  { side: 1, ink: "#9aa3ad", ground: "#8d8576", name: "left" },
  { side: 0, ink: "#1d2329", ground: "#4a4336", name: "right" },
];

export class SideView {
  readonly drawing = new Drawing("Rover from its right: ground along the path, links, loads. The left side is paler.");

  constructor(
    private replay: Replay,
    private pose: RoverPose,
  ) {}

  draw(): void {
    const { drawing, pose, replay } = this;
    const size = 2 * replay.header.size;
    const low = Math.min(...pose.wheels.map((wheel) => wheel.z)) - pose.stretch.wheel_radius;
    const high = Math.max(...pose.joints.map((joint) => joint.z), pose.center.z);
    drawing.begin(pose.distance, (low + high) / 2, [SEEN[0] * size, SEEN[1] * size]);
    for (const { side, ink, ground } of SIDES) {
      this.drawGround(side, ground);
      this.drawSide(side, ink);
    }
    drawing.centreOfMass(pose.along(pose.center), pose.center.z);
    drawing.scaleBar();
    drawing.text("from the right", 7, 6);
  }

  private drawGround(side: number, color: string): void {
    const { drawing } = this;
    const { profile } = this.replay.arrays;
    const [half, tall] = drawing.half;
    const points: [number, number][] = [];
    const bottom = drawing.height;
    for (let i = 0; i < profile.length; i += 3) {
      const [s, z] = [profile[i], profile[i + 1 + side]];
      if (Math.abs(s - this.pose.distance) < half + 0.5 * tall && Number.isFinite(z)) points.push([s, z]);
    }
    if (points.length < 2) return;
    if (side === 0) {
      const { pen } = drawing;
      pen.beginPath();
      pen.moveTo(drawing.x(points[0][0]), bottom);
      for (const [s, z] of points) pen.lineTo(drawing.x(s), drawing.y(z));
      pen.lineTo(drawing.x(points[points.length - 1][0]), bottom);
      pen.fillStyle = "#cfc9bd";
      pen.fill();
    }
    drawing.line(points, color, 1.4, side ? [4, 3] : []);
  }

  private drawSide(side: number, ink: string): void {
    const { drawing, pose, replay } = this;
    const at = (place: { x: number; y: number; z: number }): [number, number] => [pose.along(place as never), place.z];
    const radius = pose.stretch.wheel_radius * drawing.perMetre;
    const own = [3 * side, 3 * side + 1, 3 * side + 2];
    for (const i of own) {
      const fill = side ? "#eef0f2" : MODE_COLORS[replay.mode(i)];
      drawing.circle(...at(pose.wheels[i]), radius, side ? fill : `${fill}88`, ink, 1.3);
    }
    for (const [one, i, other, j] of replay.header.rover!.links) {
      const isOwn = one === "joint" && i >> 1 === side && (other === "wheel" ? own.includes(j) : j >> 1 === side);
      if (isOwn) drawing.line([at(pose.end(one, i)), at(pose.end(other, j))], ink, 2.6);
    }
    for (const joint of pose.joints.slice(2 * side, 2 * side + 2)) drawing.circle(...at(joint), 3.2, "#ffffff", ink, 1.4);
    if (side === 0) for (const i of own) this.drawLoad(i);
  }

  /** The ground's force on a right wheel; the mean load is a little longer than a wheel's radius. */
  private drawLoad(i: number): void {
    const { pose, replay, drawing } = this;
    const part = (axis: number) => replay.value("contact_force", 3 * i + axis);
    const along = part(0) * pose.heading.x + part(1) * pose.heading.y;
    const share = replay.normalForces.usual;
    if (!(share > 0) || !Number.isFinite(along)) return;
    const scale = (1.3 * pose.stretch.wheel_radius) / share;
    const contact = pose.contacts[i];
    const foot: [number, number] = [pose.along(contact), contact.z];
    drawing.arrow(foot, [foot[0] + scale * along, foot[1] + scale * part(2)], FORCE);
  }
}
