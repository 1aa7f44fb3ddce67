// The tool in the hand: dragged by the pointer in the plane of the screen, moved by keys along the axes of the world.
import { Matrix4, Plane, Quaternion, Raycaster, Vector2, Vector3 } from "three";
import type { Stage } from "./stage";

export interface Holding {
  tool(): Matrix4;
  size(): number;
  moved(target: Matrix4, why: "drag" | "key"): void;
  ghost(x: number, y: number): number; // −1: none there
  chosen(ghost: number): void;
  hover(on: boolean): void;
  joint(index: number, steps: number): boolean; // false: there is no such joint
}

const NEAR = 22; // pixels about the tool that take it
// of the world: along x, y, z; with Alt about them
const KEYS: Record<string, [number, number]> = {
  ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowUp: [1, 1], ArrowDown: [1, -1], PageUp: [2, 1], PageDown: [2, -1],
};

export class Hand {
  private grip: { plane: Plane; offset: Vector3; start: Matrix4; pointer: number } | null = null;
  private readonly ray = new Raycaster();
  private joint = 0;
  private readonly off: (() => void)[] = [];

  constructor(private readonly stage: Stage, private readonly held: Holding) {
    this.on("pointerdown", (event) => this.down(event), true);
    this.on("pointermove", (event) => this.move(event), true);
    this.on("pointerup", () => this.up(), true);
    this.on("pointercancel", () => this.up(), true);
    this.on("keydown", (event) => this.key(event));
  }

  private on<K extends "pointerdown" | "pointermove" | "pointerup" | "pointercancel" | "keydown">(
    name: K, handler: (event: HTMLElementEventMap[K]) => void, capture = false,
  ): void {
    this.stage.host.addEventListener(name, handler, capture);
    this.off.push(() => this.stage.host.removeEventListener(name, handler, capture));
  }

  private at(event: PointerEvent): [number, number] {
    const box = this.stage.host.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  private over(x: number, y: number): boolean {
    const tip = this.stage.project(new Vector3().setFromMatrixPosition(this.held.tool()));
    return tip.z < 1 && Math.hypot(tip.x - x, tip.y - y) < NEAR;
  }

  private aim(x: number, y: number): Raycaster {
    const { clientWidth: w, clientHeight: h } = this.stage.host;
    this.ray.setFromCamera(new Vector2((2 * x) / w - 1, 1 - (2 * y) / h), this.stage.camera);
    return this.ray;
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0) return;
    const [x, y] = this.at(event);
    if (!this.over(x, y)) {
      const ghost = this.held.ghost(x, y);
      if (ghost >= 0) this.held.chosen(ghost);
      return;
    }
    const start = this.held.tool().clone(), tip = new Vector3().setFromMatrixPosition(start);
    const facing = this.stage.camera.getWorldDirection(new Vector3());
    const plane = new Plane().setFromNormalAndCoplanarPoint(facing, tip);
    const hit = this.aim(x, y).ray.intersectPlane(plane, new Vector3()) ?? tip;
    this.grip = { plane, offset: tip.sub(hit), start, pointer: event.pointerId };
    this.stage.controls.enabled = false;
    this.stage.host.setPointerCapture(event.pointerId);
    this.stage.host.focus({ preventScroll: true });
    event.stopPropagation();
    event.preventDefault();
  }

  private move(event: PointerEvent): void {
    const [x, y] = this.at(event);
    if (!this.grip) {
      if (event.buttons) return;
      const over = this.over(x, y);
      this.held.hover(over);
      this.stage.canvas.style.cursor = over ? "grab" : this.held.ghost(x, y) >= 0 ? "pointer" : "";
      return;
    }
    event.stopPropagation();
    const hit = this.aim(x, y).ray.intersectPlane(this.grip.plane, new Vector3());
    if (hit) this.held.moved(this.grip.start.clone().setPosition(hit.add(this.grip.offset)), "drag");
  }

  private up(): void {
    if (!this.grip) return;
    if (this.stage.host.hasPointerCapture(this.grip.pointer)) this.stage.host.releasePointerCapture(this.grip.pointer);
    this.grip = null;
    this.stage.controls.enabled = true;
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.target !== this.stage.host) return;
    const way = KEYS[event.key];
    const taken = way ? this.push(way[0], way[1], event) : this.turn(event.key);
    if (taken) event.preventDefault();
  }

  private push(axis: number, sense: number, event: KeyboardEvent): boolean {
    const fine = event.shiftKey ? 0.1 : 1, target = this.held.tool().clone(), tip = new Vector3().setFromMatrixPosition(target);
    const way = new Vector3().setComponent(axis, sense);
    if (event.altKey) {
      const turned = new Matrix4().makeRotationFromQuaternion(new Quaternion().setFromAxisAngle(way, (fine * Math.PI) / 36));
      target.premultiply(turned).setPosition(tip);
    } else target.setPosition(tip.addScaledVector(way, 0.02 * fine * this.held.size()));
    this.held.moved(target, "key");
    return true;
  }

  /** 1…9 take a joint, + and − move it, 0 goes home. */
  private turn(key: string): boolean {
    if (key >= "1" && key <= "9") {
      const wished = Number(key) - 1;
      if (this.held.joint(wished, 0)) this.joint = wished;
      return true;
    }
    if (key === "+" || key === "=" || key === "-" || key === "−") return this.held.joint(this.joint, key === "+" || key === "=" ? 1 : -1);
    return false;
  }

  dispose(): void {
    for (const off of this.off) off();
  }
}
