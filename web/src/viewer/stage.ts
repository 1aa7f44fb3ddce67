// Camera, light, floor and the one renderer of a viewer. It draws when something changed and never else.
import {
  Color, DirectionalLight, Fog, GridHelper, HemisphereLight, Mesh, PCFShadowMap, PerspectiveCamera, PlaneGeometry, Quaternion,
  Scene, ShadowMaterial, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Drawing } from "../shared/types";
import { Extent } from "./extent";
import { DARK, LIGHT, type Theme } from "./palette";
import { SIGHT, viewpoint } from "./viewpoint";

const REST = 160; // milliseconds without a change after which the full picture is drawn
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

export class Stage {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(SIGHT, 1, 0.01, 100);
  readonly controls: OrbitControls;
  readonly software: boolean;
  readonly canvas: HTMLCanvasElement;
  up = new Vector3(0, 0, 1);
  colours: Theme = LIGHT;
  script = 0; // milliseconds of script of the last picture
  pictures = 0;
  onDraw: () => void = () => {};
  seen: () => Vector3[] = () => []; // places of the arm as it stands
  private readonly gl: WebGLRenderer;
  private readonly sky = new HemisphereLight(0xffffff, 0xb8bfc6, 1.7);
  private readonly sun = new DirectionalLight(0xffffff, 2.1);
  private readonly shade = new Mesh(new PlaneGeometry(1, 1), new ShadowMaterial({ opacity: 0.2 }));
  private readonly watch: ResizeObserver;
  private grid: GridHelper | null = null;
  private drawing: Drawing | null = null;
  private positions: Vector3[][] = []; // the arm's places here and there
  fitted = 0; // size of the arm the camera was set for
  private own = true; // nobody has turned the camera: it may be set anew
  private asked = 0;
  private rest = 0;

  /** Throws where the browser has no WebGL. */
  constructor(readonly host: HTMLElement) {
    const probe = document.createElement("canvas").getContext("webgl2");
    if (!probe) throw new Error("no WebGL");
    const told = probe.getExtension("WEBGL_debug_renderer_info");
    this.software = SOFTWARE.test(String(probe.getParameter(told ? told.UNMASKED_RENDERER_WEBGL : probe.RENDERER)));
    probe.getExtension("WEBGL_lose_context")?.loseContext();
    this.gl = new WebGLRenderer({ antialias: !this.software, powerPreference: "high-performance" });
    this.canvas = this.gl.domElement;
    this.gl.shadowMap.enabled = true;
    this.gl.shadowMap.type = PCFShadowMap;
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.bias = -0.0004;
    this.shade.receiveShadow = true;
    this.scene.add(this.sky, this.sun, this.sun.target, this.shade);
    host.append(this.canvas);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.addEventListener("change", () => this.draw());
    this.controls.addEventListener("start", () => (this.own = false));
    this.watch = new ResizeObserver(() => this.resize());
    this.watch.observe(host);
  }

  set(drawing: Drawing): void {
    this.drawing = drawing;
    this.positions = new Extent(drawing).spread(200);
    this.up.fromArray(drawing.up);
    this.camera.up.copy(this.up);
    const turned = new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), this.up);
    this.shade.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), this.up);
    const middle = this.onFloor(new Vector3().fromArray(drawing.reach.centre));
    const r = drawing.reach.radius;
    this.shade.scale.setScalar(6 * r);
    this.shade.position.copy(middle).addScaledVector(this.up, 1e-3 * r);
    const sun = new Vector3(0.42, 0.8, 0.36).applyQuaternion(turned).normalize();
    this.sun.target.position.fromArray(drawing.reach.centre);
    this.sun.position.copy(this.sun.target.position).addScaledVector(sun, 3 * r);
    Object.assign(this.sun.shadow.camera, { left: -1.3 * r, right: 1.3 * r, top: 1.3 * r, bottom: -1.3 * r, near: 0.1 * r, far: 7 * r });
    this.sun.shadow.normalBias = 0.02 * r; // ten texels of its map: no stripes where light grazes
    this.sun.shadow.camera.updateProjectionMatrix();
    this.sky.position.copy(this.up);
    this.paint();
  }

  /** Lines one, two or five of a decade apart, about as many as fingers. */
  private paint(): void {
    if (!this.drawing) return;
    const r = this.drawing.reach.radius, rough = r / 8, power = 10 ** Math.floor(Math.log10(rough));
    const cell = [1, 2, 5, 10].map((x) => x * power).find((x) => x >= rough)!;
    const count = 2 * Math.ceil((4.5 * r) / cell);
    this.grid?.dispose();
    this.grid?.removeFromParent();
    this.grid = new GridHelper(count * cell, count, this.colours.strong, this.colours.line);
    this.grid.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), this.up);
    this.grid.position.copy(this.onFloor(new Vector3()));
    this.scene.add(this.grid);
    this.scene.background = new Color(this.colours.ground);
    this.scene.fog = new Fog(this.colours.ground, 1, 100);
    this.sky.color.set(this.colours.sky);
    this.sky.groundColor.set(this.colours.earth);
    (this.shade.material as ShadowMaterial).opacity = this.colours === DARK ? 0.45 : 0.18;
    this.sky.intensity = this.colours === DARK ? 1.25 : 1.7;
    this.draw();
  }

  private onFloor(point: Vector3): Vector3 {
    return point.addScaledVector(this.up, this.drawing!.floor - point.dot(this.up));
  }

  theme(dark: boolean): void {
    this.colours = dark ? DARK : LIGHT;
    this.paint();
  }

  /** Frames where the arm can be, and all of it as it stands: framed by its pose alone it would leave at a move. */
  fit(): void {
    if (!this.drawing) return;
    this.own = true;
    this.fitted = this.drawing.size;
    this.aspect();
    const { radius } = this.drawing.reach, from = viewpoint(this.up), target = this.middle(from);
    this.controls.target.copy(target);
    const away = this.away(from, target);
    this.camera.position.copy(target).addScaledVector(from, away);
    Object.assign(this.camera, { near: 0.01 * radius, far: 40 * radius });
    this.camera.updateProjectionMatrix();
    this.controls.minDistance = 0.2 * radius;
    this.controls.maxDistance = 15 * radius;
    this.controls.update();
    this.draw();
  }

  /** The middle of the box, as it is seen, of nearly all places where the arm moves; its base alone is rarely there. */
  private middle(from: Vector3): Vector3 {
    const centre = new Vector3().fromArray(this.drawing!.reach.centre);
    const right = this.up.clone().cross(from).normalize(), above = from.clone().cross(right);
    const places = [...this.positions.flat(), ...this.seen()].map((place) => place.clone().sub(centre));
    for (const way of [right, above]) {
      const along = places.map((place) => place.dot(way)).sort((a, b) => a - b), last = along.length - 1;
      if (last > 0) centre.addScaledVector(way, (along[Math.floor(0.005 * last)] + along[Math.ceil(0.995 * last)]) / 2);
    }
    return centre;
  }

  /** How far the eye must be in this direction to see nearly all positions of the arm, and the present one, whole. */
  private away(from: Vector3, target: Vector3): number {
    const { size } = this.drawing!;
    const high = Math.tan((this.camera.fov * Math.PI) / 360), wide = high * this.camera.aspect, room = 0.1 * size;
    const right = this.up.clone().cross(from).normalize(), above = from.clone().cross(right);
    const of = (places: Vector3[]) => Math.max(...places.map((place) => {
      const p = place.clone().sub(target);
      return p.dot(from) + Math.max((Math.abs(p.dot(right)) + room) / wide, (Math.abs(p.dot(above)) + room) / high);
    }));
    const needs = this.positions.map(of).sort((a, b) => a - b);
    return Math.max(needs[Math.floor(0.99 * (needs.length - 1))] ?? 0, of(this.seen()), 0.8 * size);
  }

  resize(): void {
    if (!this.host.clientWidth || !this.host.clientHeight) return;
    if (this.own) this.fit();
    else this.aspect();
    this.full();
  }

  private aspect(): void {
    const { clientWidth: w, clientHeight: h } = this.host;
    this.camera.aspect = w && h ? w / h : 1;
    this.camera.updateProjectionMatrix();
  }

  /** A picture soon: quick while things move in software, whole when they rest. */
  draw(): void {
    if (this.asked) return;
    this.asked = requestAnimationFrame(() => {
      this.asked = 0;
      this.render(this.software ? 0.5 : this.density(), !this.software);
      if (!this.software) return;
      clearTimeout(this.rest);
      this.rest = window.setTimeout(() => this.full(), REST);
    });
  }

  /** The whole picture, now: without hardware more points than the screen has stand for smooth edges. */
  full(): void {
    cancelAnimationFrame(this.asked);
    clearTimeout(this.rest);
    this.asked = 0;
    this.render(this.software ? 2 : this.density(), true);
  }

  private density = () => Math.min(window.devicePixelRatio || 1, 2);

  private render(density: number, shadows: boolean): void {
    const start = performance.now(), { clientWidth: w, clientHeight: h } = this.host;
    if (!w || !h) return;
    if (this.gl.getPixelRatio() !== density) this.gl.setPixelRatio(density);
    if (this.canvas.style.width !== `${w}px` || this.canvas.style.height !== `${h}px`) this.gl.setSize(w, h);
    this.sun.castShadow = this.shade.visible = shadows;
    const away = this.camera.position.distanceTo(this.controls.target), r = this.drawing?.reach.radius ?? 1;
    Object.assign(this.scene.fog ?? {}, { near: away + 0.6 * r, far: away + 4 * r });
    this.gl.render(this.scene, this.camera);
    this.onDraw();
    this.pictures++;
    this.script = performance.now() - start;
  }

  /** On the screen, in pixels from the corner above left; z over 1 is behind the eye. */
  project(point: Vector3): Vector3 {
    const at = point.clone().project(this.camera);
    return at.set(((at.x + 1) * this.host.clientWidth) / 2, ((1 - at.y) * this.host.clientHeight) / 2, at.z);
  }

  dispose(): void {
    cancelAnimationFrame(this.asked);
    clearTimeout(this.rest);
    this.watch.disconnect();
    this.controls.dispose();
    this.gl.dispose();
    this.gl.forceContextLoss();
    this.canvas.remove();
  }
}
