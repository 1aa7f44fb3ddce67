// A module whose functions already hold the parameters' values: the viewer knows nothing of parameters.
import type { RobotModule } from "./types";

export function bound(made: RobotModule, p: number[] | undefined): RobotModule {
  if (!p) return made;
  const { inverse_kinematics: inverse, drag } = made;
  const known: RobotModule = { ...made };
  const fix = <K extends keyof RobotModule>(name: K, inputs: number): void => {
    const f = made[name] as ((...x: unknown[]) => unknown) | undefined;
    if (f) (known as unknown as Record<string, unknown>)[name] = (...x: unknown[]) => f(...x.slice(0, inputs), p);
  };
  for (const name of ["pose", "frames", "axes", "jacobian", "inertia_matrix", "gravity", "manipulability", "redundancy_parameter"] as const) fix(name, 1);
  for (const name of ["coriolis", "energy", "tool_step"] as const) fix(name, 2);
  for (const name of ["inverse_dynamics", "forward_dynamics"] as const) fix(name, 3);
  if (inverse) known.inverse_kinematics = (T, _, options) => inverse(T, p, options);
  if (drag) known.drag = (q, T, _, options) => drag(q, T, p, options);
  return known;
}
