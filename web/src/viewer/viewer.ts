// The one viewer: an arm drawn from its record, moved by numbers, by the hand or by time.
import { DoubleSide, FrontSide, Group, Matrix4, Mesh, MeshLambertMaterial, Vector3 } from "three";
import type { Branch, Cell, Drawing, Ghost, Matrix, RobotModule, Shape, Shown } from "../shared/types";
import { t } from "../shared/words";
import { Chain, firstPose, limits } from "./chain";
import { Extent } from "./extent";
import { Flat } from "./flat";
import { Ghosts } from "./ghosts";
import { Hand } from "./hand";
import { Labels, type Label } from "./labels";
import { Axes, Bodies, Forces, Frames, Ranges, type Push } from "./marks";
import { Player } from "./player";
import { Trail, cloud } from "./points";
import { Reaching, rowsOf } from "./reaching";
import { solid } from "./solids";
import { Stage } from "./stage";
import { picture } from "./svg";
import { Walk, stride } from "./walking";

export interface ViewerOptions {
  dark?: boolean;
  scroll?: boolean; // the page scrolls under a finger or the wheel, unless the viewer is in focus
  label?: string;
}

export const SHOWN: Shown = {
  frames: false, axes: false, names: false, ranges: false, com: false, inertia: false, trail: false, cloud: false, branches: true,
  forces: false, payload: true,
};

type Moved = (q: number[], why: string) => void;

/** What is on the stage for one drawing. */
class Scenery {
  readonly root = new Group();
  readonly links: Mesh[] = [];
  readonly held: Mesh | null;
  readonly frames: Frames;
  readonly axes: Axes;
  readonly ranges: Ranges;
  readonly bodies: Bodies;
  readonly forces: Forces;
  readonly ghosts: Ghosts;
  readonly trail: Trail;
  cloud: ReturnType<typeof cloud> | null = null;

  constructor(readonly drawing: Drawing) {
    const own = (shapes: Shape[]) => this.mesh(shapes.filter((shape) => shape.paint !== "payload"));
    for (const link of drawing.links) this.links.push(own(link.shapes) ?? this.mesh([])!);
    this.links.push(own(drawing.tool.shapes)!);
    this.held = this.mesh(drawing.tool.shapes.filter((shape) => shape.paint === "payload"));
    this.frames = new Frames(drawing);
    this.axes = new Axes(drawing);
    this.ranges = new Ranges(drawing);
    this.bodies = new Bodies(drawing);
    this.forces = new Forces(drawing);
    this.ghosts = new Ghosts(drawing);
    this.trail = new Trail(drawing);
    const { frames, axes, ranges, bodies, forces, ghosts, trail } = this;
    const marks = [frames.root, axes.root, ranges.root, bodies.centres, bodies.ellipsoids, forces.root, ghosts.root, trail.mesh];
    this.root.add(...marks);
  }

  private mesh(shapes: Shape[]): Mesh {
    // which side of a mesh is outside, its file may have wrong
    const side = shapes.some((shape) => shape.kind === "mesh") ? DoubleSide : FrontSide;
    const found = new Mesh(solid(shapes, this.drawing.paints) ?? undefined, new MeshLambertMaterial({ vertexColors: true, fog: false, side }));
    found.castShadow = found.receiveShadow = true;
    found.matrixAutoUpdate = false;
    this.root.add(found);
    return found;
  }

  dispose(): void {
    this.root.traverse((one) => (one as Mesh).geometry?.dispose());
    this.root.removeFromParent();
  }
}

export class Viewer {
  q: number[] = [];
  readonly stage: Stage | null;
  private readonly flat: Flat | null;
  private readonly labels: Labels | null;
  private readonly player = new Player();
  private drawing: Drawing | null = null;
  private chain: Chain | null = null;
  private scenery: Scenery | null = null;
  private reaching: Reaching | null = null;
  private hand: Hand | null = null;
  private walker: Walk | null = null;
  private module: RobotModule | null = null;
  private shown: Shown = { ...SHOWN };
  private ghosts: Ghost[] = [];
  private lit = { links: new Set<number>(), joints: new Set<number>() };
  private told: Label[] = [];
  private over = false;
  private moves: Moved[] = [];
  private picks: ((index: number) => void)[] = [];
  private says: ((text: string) => void)[] = [];

  constructor(readonly host: HTMLElement, options: ViewerOptions = {}) {
    if (getComputedStyle(host).position === "static") host.style.position = "relative";
    host.tabIndex = 0;
    host.setAttribute("role", "application");
    host.setAttribute("aria-label", options.label ?? t(HELP));
    let stage: Stage | null = null;
    try {
      stage = new Stage(host);
    } catch {
      // no WebGL: the picture is drawn flat and says so
    }
    this.stage = stage;
    this.flat = stage ? null : new Flat(host);
    this.labels = stage && new Labels(stage);
    if (!stage) return;
    stage.onDraw = () => this.labels?.place();
    stage.seen = () => this.places();
    if (options.scroll) gentle(stage);
    this.hand = new Hand(stage, {
      tool: () => this.chain?.tool ?? new Matrix4(),
      size: () => this.drawing?.size ?? 1,
      moved: (target, why) => this.reach(target, why),
      ghost: (x, y) => (this.shown.branches ? (this.scenery?.ghosts.near(x, y, (at) => stage.project(at)) ?? -1) : -1),
      chosen: (index) => this.picks.forEach((call) => call(index)),
      hover: (on) => this.hover(on),
      joint: (index, steps) => this.nudge(index, steps),
    });
    this.theme(options.dark ?? false);
  }

  setDrawing(drawing: Drawing): void {
    const last = this.drawing, same = last?.dof === drawing.dof;
    const other = !last || !same || last.name !== drawing.name || last.up.join() !== drawing.up.join();
    this.player.stop();
    this.scenery?.dispose();
    this.drawing = drawing;
    this.chain = new Chain(drawing);
    this.reaching = new Reaching(drawing);
    this.reaching.module = this.module;
    if (!same) this.q = firstPose(drawing);
    this.ghosts = [];
    if (this.stage) {
      this.scenery = new Scenery(drawing);
      this.walker?.root.removeFromParent();
      this.walker = new Walk(drawing.size, () => this.stage!.draw(), (labels) => this.tell(labels));
      this.stage.scene.add(this.scenery.root, this.walker.root);
      this.stage.set(drawing);
    }
    this.show({});
    const grown = drawing.size / (this.stage?.fitted ?? drawing.size);
    if (other || grown > 1.1 || grown < 0.7) this.stage?.fit();
    this.host.dataset.robot = drawing.name;
  }

  setQ(q: number[]): void {
    if (!this.drawing) return;
    if (q.some((x, c) => x !== this.q[c])) this.walker?.stop(); // the step was shown where the arm stood
    const jump = q.some((x, c) => Math.abs(x - (this.q[c] ?? 0)) > 0.5);
    this.q = q.slice(0, this.drawing.dof);
    this.chain!.move(this.q);
    const place = this.scenery;
    if (!place) return this.flat?.set(this.drawing, this.q);
    place.links.forEach((mesh, i) => {
      mesh.matrix.copy(i < place.links.length - 1 ? this.chain!.links[i] : this.chain!.tool);
      mesh.matrixWorldNeedsUpdate = true;
    });
    place.held?.matrix.copy(this.chain!.tool);
    if (place.held) place.held.matrixWorldNeedsUpdate = true;
    if (this.shown.trail) place.trail.add(new Vector3().setFromMatrixPosition(this.chain!.tool), jump);
    this.mark();
    this.stage!.draw();
  }

  /** With a module the tool is dragged by the robot's own inverse kinematics; null: by the drawing alone. */
  setModule(module: RobotModule | null): void {
    this.module = module;
    if (this.reaching) this.reaching.module = module;
    this.mark();
    this.stage?.draw();
  }

  show(shown: Partial<Shown>): void {
    this.shown = { ...this.shown, ...shown };
    if (!this.drawing) return;
    const place = this.scenery, s = this.shown;
    if (place) {
      if (s.cloud && !place.cloud) place.root.add((place.cloud = cloud(this.drawing)));
      if (place.cloud) place.cloud.visible = s.cloud;
      if (!s.trail) place.trail.clear();
      place.trail.mesh.visible = s.trail;
      place.ranges.root.visible = s.ranges;
      place.bodies.centres.visible = s.com;
      place.bodies.ellipsoids.visible = s.inertia;
      place.forces.root.visible = s.forces;
      place.ghosts.root.visible = s.branches;
      if (place.held) place.held.visible = s.payload;
    }
    this.setQ(this.q);
  }

  get shows(): Readonly<Shown> {
    return this.shown;
  }

  setGhosts(list: Ghost[]): void {
    this.ghosts = list;
    this.scenery?.ghosts.set(list);
    this.word();
    this.stage?.draw();
  }

  /** Every answer for the present place of the tool, shown as skeletons; null where the arm has no closed form. */
  branches(): Branch[] | null {
    const found = this.reaching && this.chain ? this.reaching.branches(this.chain.tool, this.q) : null;
    return found?.branches ?? null;
  }

  onGhost(call: (index: number) => void): void {
    this.picks.push(call);
  }

  /** `why`: "drag", "key", "joint" or "play". */
  onMove(call: Moved): void {
    this.moves.push(call);
  }

  /** Sentences: a branch that changed, a target out of reach. */
  onSay(call: (text: string) => void): void {
    this.says.push(call);
  }

  /** pose_world_link of the base and every link, then of the tool, as rows. */
  poses(): Matrix[] {
    return this.chain ? [...this.chain.links, this.chain.tool].map(rowsOf) : [];
  }

  /** Links by number (the base is 0) and joints by number from 0. */
  highlight(what: { links?: number[]; joints?: number[] }): void {
    this.lit = { links: new Set(what.links ?? []), joints: new Set(what.joints ?? []) };
    this.scenery?.links.forEach((mesh, i) => (mesh.material as MeshLambertMaterial).emissive.set(this.lit.links.has(i) ? 0x8a5a00 : 0));
    this.mark();
    this.stage?.draw();
  }

  /** The step of one cell, joint counted from 0; done when the frame has arrived. */
  async walk(joint: number, cell: Cell): Promise<void> {
    if (!this.drawing?.joints[joint] || !this.walker) return;
    await this.walker.go(stride(this.drawing, this.chain!, this.q, joint, cell));
  }

  endWalk(): void {
    this.walker?.stop();
    this.stage?.draw();
  }

  setForces(pushes: Push[], torques: number[] | null = null): void {
    if (!this.scenery) return;
    Object.assign(this.scenery.forces, { pushes, torques });
    this.mark();
    this.stage?.draw();
  }

  play(times: number[], qs: number[][], onTime?: (t: number) => void): void {
    this.player.play(times, qs, (q, t) => {
      this.setQ(q);
      this.moves.forEach((call) => call(this.q, "play"));
      onTime?.(t);
    });
  }

  stop(): void {
    this.player.stop();
  }

  fit(): void {
    this.stage?.fit();
  }

  theme(dark: boolean): void {
    this.stage?.theme(dark);
    this.flat?.theme(dark);
    this.word();
  }

  /** The picture as it is seen, words included. */
  async png(): Promise<Blob> {
    const stage = this.stage;
    if (!stage) throw new Error(t("this browser has no WebGL: the picture can be had as SVG"));
    stage.full();
    const paper = document.createElement("canvas");
    Object.assign(paper, { width: stage.canvas.width, height: stage.canvas.height });
    const context = paper.getContext("2d")!;
    context.drawImage(stage.canvas, 0, 0);
    this.labels?.paint(context, paper.width / stage.host.clientWidth);
    return new Promise((done, failed) => paper.toBlob((blob) => (blob ? done(blob) : failed(new Error("no picture"))), "image/png"));
  }

  svg(): string {
    if (!this.drawing) return "";
    const { clientWidth: w, clientHeight: h } = this.host, colours = this.stage?.colours;
    return picture(this.drawing, this.q, { width: w || 640, height: h || 480, camera: this.stage?.camera, colours });
  }

  dispose(): void {
    this.player.stop();
    this.hand?.dispose();
    this.scenery?.dispose();
    this.labels?.dispose();
    this.flat?.dispose();
    this.stage?.dispose();
  }

  private reach(target: Matrix4, why: string): void {
    if (!this.reaching) return;
    this.player.stop();
    const { q, said } = this.reaching.solve(target, this.q);
    this.setQ(q);
    this.moves.forEach((call) => call(this.q, why));
    if (said) this.says.forEach((call) => call(said));
  }

  private nudge(index: number, steps: number): boolean {
    if (!this.drawing || index >= this.drawing.dof) return false;
    const joint = this.drawing.joints.find((one) => one.index === index && one.range), range = limits(this.drawing)[index];
    const step = joint?.turn ? Math.PI / 90 : 0.01 * this.drawing.size;
    const wish = this.q[index] + steps * step;
    this.setQ(this.q.map((x, c) => (c !== index ? x : range ? Math.min(Math.max(wish, range[0]), range[1]) : wish)));
    if (steps) this.moves.forEach((call) => call(this.q, "joint"));
    else this.says.forEach((call) => call(t("joint {0}: {1}", index + 1, this.drawing!.coordinates[index]!)));
    return true;
  }

  private places(): Vector3[] {
    return this.chain && this.drawing ? new Extent(this.drawing).places(this.chain) : [];
  }

  private hover(on: boolean): void {
    if (on === this.over) return;
    this.over = on;
    this.mark();
    this.stage?.draw();
  }

  private mark(): void {
    const place = this.scenery, chain = this.chain;
    if (!place || !chain) return;
    place.frames.set(chain, this.shown.frames, this.over);
    place.axes.set(chain, this.shown.axes, this.lit.joints);
    if (this.shown.ranges) place.ranges.set(chain, this.q);
    if (this.shown.com || this.shown.inertia) place.bodies.set(chain);
    if (this.shown.forces) place.forces.set(chain, place.forces.torques ?? this.module?.gravity?.(this.q) ?? null);
    this.word();
  }

  private tell(labels: Label[]): void {
    this.told = labels;
    this.word();
  }

  private word(): void {
    if (!this.labels || !this.chain || !this.drawing) return;
    const names = this.shown.names ? this.names() : [];
    const ghosts = this.shown.branches && this.ghosts.length ? (this.scenery?.ghosts.labels() ?? []) : [];
    this.labels.set([...this.told, ...names, ...ghosts]);
  }

  private names(): Label[] {
    const joints = this.drawing!.joints.map((joint, i) => ({
      text: joint.name, at: new Vector3().setFromMatrixPosition(this.chain!.axes[i]), colour: "#e69f00",
    }));
    return [...joints, { text: t("tool"), at: new Vector3().setFromMatrixPosition(this.chain!.tool), colour: "#0072b2" }];
  }
}

const HELP =
  "Arm. Drag the tool to move it; arrows, Page Up and Page Down move it by keys, with Alt they turn it, with Shift by less; " +
  "1 to 9 take a joint, plus and minus move it.";

/** In a page that scrolls the wheel and a finger belong to the page until the viewer is taken. */
function gentle(stage: Stage): void {
  stage.canvas.style.touchAction = "pan-y";
  const set = () => (stage.controls.enableZoom = document.activeElement === stage.host);
  stage.host.addEventListener("focus", set);
  stage.host.addEventListener("blur", set);
  set();
}
