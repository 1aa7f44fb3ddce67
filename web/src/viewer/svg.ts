// The drawing on paper: SVG to keep or to print, sharp at any size, and all there is where a browser has no WebGL.
// Chain, colours and viewpoint are the stage's; the shapes are drawn anew, each as one path with a gradient. The faces of
// the stage's meshes would do, too: a picture is then fourteen times as long, and long faces hide what is before them.
import { Matrix4, PerspectiveCamera, Vector3 } from "three";
import type { Drawing, Shape } from "../shared/types";
import { Chain, matrixOf } from "./chain";
import { AXES, LIGHT, type Theme } from "./palette";
import { SIGHT, viewpoint } from "./viewpoint";

export interface View {
  width: number;
  height: number;
  camera?: PerspectiveCamera;
  colours?: Theme;
}

interface Item {
  depth: number;
  draw: () => string;
}

export function picture(drawing: Drawing, q: number[], view: View): string {
  const painter = new Painter(drawing, view), chain = new Chain(drawing).move(q);
  drawing.links.forEach((link, i) => link.shapes.forEach((shape) => painter.shape(shape, chain.links[i])));
  drawing.tool.shapes.forEach((shape) => painter.shape(shape, chain.tool));
  painter.triad(chain.tool, 0.11 * drawing.size, 0.05 * drawing.size);
  painter.triad(chain.links[0], 0.12 * drawing.size, 0);
  return painter.text();
}

/** An eye that sees all the arm can reach. */
function eye(drawing: Drawing, aspect: number): PerspectiveCamera {
  const camera = new PerspectiveCamera(SIGHT, aspect, 0.01, 100), up = new Vector3().fromArray(drawing.up);
  const { centre, radius } = drawing.reach, target = new Vector3().fromArray(centre);
  camera.up.copy(up);
  camera.position.copy(target).addScaledVector(viewpoint(up), (0.82 * radius) / Math.sin(Math.atan(Math.tan(0.28) * Math.min(aspect, 1))));
  camera.lookAt(target);
  return camera;
}

const n = (x: number) => x.toFixed(1);
const escaped = (text: string) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

class Painter {
  private readonly items: Item[] = [];
  private readonly defs: string[] = [];
  private readonly camera: PerspectiveCamera;
  private readonly colours: Theme;

  constructor(private readonly drawing: Drawing, private readonly view: View) {
    this.camera = view.camera ?? eye(drawing, view.width / view.height);
    this.camera.updateMatrixWorld();
    this.colours = view.colours ?? LIGHT;
  }

  text(): string {
    const { width, height } = this.view, label = escaped(this.drawing.name);
    const body = this.items.sort((a, b) => b.depth - a.depth).map((item) => item.draw()).join("\n");
    const ground = `<rect width="${width}" height="${height}" fill="${this.colours.ground}"/>`;
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">` +
      `${ground}<defs>${this.defs.join("")}</defs>\n${body}\n</svg>`;
  }

  shape(shape: Shape, pose: Matrix4): void {
    const world = (p: number[]) => new Vector3().fromArray(p).applyMatrix4(pose);
    const paint = this.drawing.paints[shape.paint] ?? shape.paint;
    if (shape.kind === "tube") this.tube(world(shape.from), world(shape.to), shape.radii[0], shape.radii[1], paint);
    else if (shape.kind === "ball") this.ball(world(shape.at), shape.radius, paint);
    else if (shape.kind === "box") this.box(pose.clone().multiply(matrixOf(shape.frame)), shape.size, paint);
    else if (shape.kind === "mesh") this.mesh(shape, pose, paint);
    else {
      const axis = new Vector3().fromArray(shape.axis).transformDirection(pose).multiplyScalar(shape.length / 2);
      const at = world(shape.at), halves = shape.kind === "drum" ? [-1, 0, 1] : [-1, 1];
      halves.slice(1).forEach((end, k) =>
        this.drum(at.clone().addScaledVector(axis, halves[k]), at.clone().addScaledVector(axis, end), shape.radius, paint));
    }
  }

  triad(pose: Matrix4, size: number, nearer: number): void {
    const from = new Vector3().setFromMatrixPosition(pose);
    AXES.forEach((colour, k) => {
      const to = from.clone().addScaledVector(new Vector3().setFromMatrixColumn(pose, k), size);
      const [a, b] = [this.seen(from), this.seen(to)];
      this.items.push({
        depth: (a.z + b.z) / 2 - nearer,
        draw: () => `<path d="M${n(a.x)} ${n(a.y)}L${n(b.x)} ${n(b.y)}" stroke="${colour}" stroke-width="3" stroke-linecap="round"/>`,
      });
    });
  }

  /** x, y on the paper; z the distance along the line of sight. */
  private seen(point: Vector3): Vector3 {
    const at = point.clone().project(this.camera), { width, height } = this.view;
    const depth = -point.clone().applyMatrix4(this.camera.matrixWorldInverse).z;
    return at.set(((at.x + 1) * width) / 2, ((1 - at.y) * height) / 2, depth);
  }

  private scale(depth: number): number {
    return this.view.height / 2 / (Math.tan((this.camera.fov * Math.PI) / 360) * depth);
  }

  private tube(from: Vector3, to: Vector3, r0: number, r1: number, paint: string): void {
    if (from.distanceTo(to) < Math.max(r0, r1)) return this.drum(from, to, r0, paint, r1); // a plate shows its edge
    const count = Math.max(1, Math.min(6, Math.ceil(from.distanceTo(to) / (2.5 * Math.max(r0, r1)))));
    for (let k = 0; k < count; k++) {
      const [s, t] = [k / count, (k + 1) / count];
      const [a, b] = [from.clone().lerp(to, s), from.clone().lerp(to, t)].map((point) => this.seen(point));
      const u = (r0 + (r1 - r0) * s) * this.scale(a.z), v = (r0 + (r1 - r0) * t) * this.scale(b.z);
      this.items.push({ depth: (a.z + b.z) / 2, draw: () => this.strip(a, b, u, v, paint) });
    }
  }

  /** A band between two discs, shaded across. */
  private strip(a: Vector3, b: Vector3, u: number, v: number, paint: string): string {
    const length = Math.hypot(b.x - a.x, b.y - a.y), [x, y] = length > 1e-3 ? [-(b.y - a.y) / length, (b.x - a.x) / length] : [0, 1];
    const fill = this.across((a.x + b.x) / 2, (a.y + b.y) / 2, x, y, Math.max(u, v), paint);
    return `<path d="M${n(a.x + x * u)} ${n(a.y + y * u)}L${n(b.x + x * v)} ${n(b.y + y * v)}A${n(v)} ${n(v)} 0 0 0 ${n(b.x - x * v)} ${n(b.y - y * v)}` +
      `L${n(a.x - x * u)} ${n(a.y - y * u)}A${n(u)} ${n(u)} 0 0 0 ${n(a.x + x * u)} ${n(a.y + y * u)}Z" fill="${fill}"/>`;
  }

  private across(x: number, y: number, u: number, v: number, r: number, paint: string): string {
    const sign = u + 1.5 * v > 0 ? -1 : 1, id = `g${this.defs.length}`, ends = [shade(paint, 1.06), shade(paint, 1.18), shade(paint, 0.62)];
    this.defs.push(`<linearGradient id="${id}" gradientUnits="userSpaceOnUse" x1="${n(x + sign * u * r)}" y1="${n(y + sign * v * r)}" ` +
      `x2="${n(x - sign * u * r)}" y2="${n(y - sign * v * r)}"><stop stop-color="${ends[0]}"/><stop offset=".3" stop-color="${ends[1]}"/>` +
      `<stop offset="1" stop-color="${ends[2]}"/></linearGradient>`);
    return `url(#${id})`;
  }

  private ball(at: Vector3, radius: number, paint: string): void {
    const c = this.seen(at), r = radius * this.scale(c.z);
    this.items.push({ depth: c.z, draw: () => `<circle cx="${n(c.x)}" cy="${n(c.y)}" r="${n(r)}" fill="${this.across(c.x, c.y, 0.5, 0.85, r, paint)}"/>` });
  }

  private drum(from: Vector3, to: Vector3, radius: number, paint: string, radius2 = radius): void {
    const a = this.seen(from), b = this.seen(to), axis = to.clone().sub(from).normalize();
    const sight = this.camera.position.clone().sub(from.clone().lerp(to, 0.5)).normalize(), tilt = Math.abs(axis.dot(sight));
    const [far, near] = a.z > b.z ? [a, b] : [b, a], [wide, narrow] = a.z > b.z ? [radius, radius2] : [radius2, radius];
    const angle = (Math.atan2(b.y - a.y, b.x - a.x) * 180) / Math.PI;
    const u = wide * this.scale(far.z), v = narrow * this.scale(near.z);
    const end = (at: Vector3, r: number, fill: string) =>
      `<ellipse cx="${n(at.x)}" cy="${n(at.y)}" rx="${n(Math.max(r * tilt, 0.1))}" ry="${n(r)}" transform="rotate(${n(angle)} ${n(at.x)} ${n(at.y)})" fill="${fill}"/>`;
    this.items.push({ depth: (a.z + b.z) / 2, draw: () => end(far, u, shade(paint, 0.7)) + this.plank(far, near, u, v, paint) + end(near, v, shade(paint, 1.12)) });
  }

  private plank(a: Vector3, b: Vector3, u: number, v: number, paint: string): string {
    const length = Math.hypot(b.x - a.x, b.y - a.y);
    if (length < 0.05) return "";
    const [x, y] = [-(b.y - a.y) / length, (b.x - a.x) / length], fill = this.across((a.x + b.x) / 2, (a.y + b.y) / 2, x, y, Math.max(u, v), paint);
    return `<path d="M${n(a.x + x * u)} ${n(a.y + y * u)}L${n(b.x + x * v)} ${n(b.y + y * v)}L${n(b.x - x * v)} ${n(b.y - y * v)}L${n(a.x - x * u)} ${n(a.y - y * u)}Z" fill="${fill}"/>`;
  }

  private box(pose: Matrix4, size: number[], paint: string): void {
    for (const axis of [0, 1, 2])
      for (const sign of [-1, 1]) {
        const [j, k] = [(axis + 1) % 3, (axis + 2) % 3];
        const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([s, t]) => {
          const p = [0, 0, 0];
          [p[axis], p[j], p[k]] = [(sign * size[axis]) / 2, (s * size[j]) / 2, (t * size[k]) / 2];
          return new Vector3().fromArray(p).applyMatrix4(pose);
        });
        this.face(corners, new Vector3().setFromMatrixColumn(pose, axis).multiplyScalar(sign), paint);
      }
  }

  private mesh(shape: Extract<Shape, { kind: "mesh" }>, pose: Matrix4, paint: string): void {
    const place = shape.frame ? pose.clone().multiply(matrixOf(shape.frame)) : pose;
    const points = shape.vertices.map((p) => new Vector3().fromArray(p).applyMatrix4(place));
    for (const face of shape.faces) {
      const [a, b, c] = face.map((k) => points[k]);
      this.face([a, b, c], b.clone().sub(a).cross(c.clone().sub(a)).normalize(), paint);
    }
  }

  private face(corners: Vector3[], normal: Vector3, paint: string): void {
    if (normal.dot(this.camera.position.clone().sub(corners[0])) <= 0) return;
    const seen = corners.map((corner) => this.seen(corner)), depth = seen.reduce((sum, at) => sum + at.z, 0) / seen.length;
    const light = 0.72 + 0.42 * Math.max(0, normal.dot(new Vector3(0.35, -0.45, 0.82)));
    const points = seen.map((at) => `${n(at.x)},${n(at.y)}`).join(" "), fill = shade(paint, light);
    this.items.push({ depth, draw: () => `<polygon points="${points}" fill="${fill}" stroke="${fill}" stroke-width=".5"/>` });
  }
}

function shade(colour: string, light: number): string {
  const value = parseInt(colour.slice(1), 16);
  const parts = [16, 8, 0].map((bits) => Math.min(255, Math.round(((value >> bits) & 255) * light)));
  return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}
