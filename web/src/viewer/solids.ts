// The shapes of a drawing as one mesh for each link: colours stand at the vertices, so that a link is one draw call.
import {
  BoxGeometry, BufferAttribute, BufferGeometry, Color, CylinderGeometry, LatheGeometry, Quaternion, SphereGeometry, Vector2,
  Vector3,
} from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import type { Shape } from "../shared/types";
import { matrixOf } from "./chain";

const Y = new Vector3(0, 1, 0);
const ROUND = 28; // sides of what is round
const vector = (p: number[]) => new Vector3(p[0], p[1], p[2]);

function placed(geometry: BufferGeometry, at: Vector3, axis: Vector3): BufferGeometry {
  geometry.applyQuaternion(new Quaternion().setFromUnitVectors(Y, axis.clone().normalize()));
  return geometry.translate(at.x, at.y, at.z);
}

export function tube(from: Vector3, to: Vector3, r0: number, r1: number, sides = ROUND, open = false): BufferGeometry {
  const way = to.clone().sub(from);
  const geometry = new CylinderGeometry(r1, r0, way.length(), sides, 1, open);
  return placed(geometry, from.clone().addScaledVector(way, 0.5), way.lengthSq() ? way : Y);
}

export function ball(at: Vector3, radius: number, sides = 24): BufferGeometry {
  return new SphereGeometry(radius, sides, Math.ceil(sides / 2)).translate(at.x, at.y, at.z);
}

/** A cylinder with bevelled edges. */
function drum(at: Vector3, axis: Vector3, r: number, length: number): BufferGeometry {
  const e = Math.min(0.18 * r, 0.3 * length), h = length / 2;
  const profile = [
    [0, -h], [r - e, -h], [r - 0.3 * e, -h + 0.3 * e], [r, -h + e], [r, h - e], [r - 0.3 * e, h - 0.3 * e], [r - e, h], [0, h],
  ];
  return placed(new LatheGeometry(profile.map(([x, y]) => new Vector2(x, y)), ROUND), at, axis);
}

function mesh(shape: Extract<Shape, { kind: "mesh" }>): BufferGeometry {
  const geometry = new BufferGeometry();
  const points = shape.faces.flatMap((face) => face.flatMap((k) => shape.vertices[k]));
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
  geometry.computeVertexNormals();
  return shape.frame ? geometry.applyMatrix4(matrixOf(shape.frame)) : geometry;
}

function geometryOf(shape: Shape): BufferGeometry {
  switch (shape.kind) {
    case "tube":
      return tube(vector(shape.from), vector(shape.to), shape.radii[0], shape.radii[1]);
    case "ball":
      return ball(vector(shape.at), shape.radius);
    case "drum":
      return drum(vector(shape.at), vector(shape.axis), shape.radius, shape.length);
    case "ring":
      return placed(new CylinderGeometry(shape.radius, shape.radius, shape.length, ROUND), vector(shape.at), vector(shape.axis));
    case "box":
      return new BoxGeometry(shape.size[0], shape.size[1], shape.size[2]).applyMatrix4(matrixOf(shape.frame));
    case "mesh":
      return mesh(shape);
  }
}

export function painted(geometry: BufferGeometry, colour: Color | string | number): BufferGeometry {
  const plain = geometry.index ? geometry.toNonIndexed() : geometry;
  plain.deleteAttribute("uv");
  const { r, g, b } = new Color(colour);
  const colours = new Float32Array(plain.attributes.position.count * 3);
  for (let i = 0; i < colours.length; i += 3) colours.set([r, g, b], i);
  return plain.setAttribute("color", new BufferAttribute(colours, 3));
}

/** One geometry of many; null of none. */
export function merged(parts: BufferGeometry[]): BufferGeometry | null {
  return parts.length ? mergeGeometries(parts) : null;
}

export function solid(shapes: Shape[], paints: Record<string, string>): BufferGeometry | null {
  return merged(shapes.map((shape) => painted(geometryOf(shape), paints[shape.paint] ?? shape.paint)));
}
