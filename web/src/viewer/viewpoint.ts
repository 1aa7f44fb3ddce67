// From where an arm is looked at, in every picture of it.
import { Quaternion, Vector3 } from "three";

export const SIGHT = 32; // degrees that the eye takes in

/** A plane arm from the front. */
export function viewpoint(up: Vector3): Vector3 {
  if (up.y > 0.9) return new Vector3(0.28, 0.3, 0.95).normalize();
  return new Vector3(0.5, 0.34, 0.86).normalize().applyQuaternion(new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), up));
}
