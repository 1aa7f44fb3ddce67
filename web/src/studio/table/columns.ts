// Which columns the table shows. `quantity` decides the unit in the heading; the address is the reader's own name of the cell.
import type { RobotDocument } from "../../shared/api";
import { t } from "../language";

export interface Column {
  address: string;
  title: string;
  unit: string;
  about: string;
  narrow?: boolean;
}

export type View = "geometry" | "limits" | "mass";

const TRIPLE = ["x", "y", "z"] as const;

function dhColumns({ angle, length, convention }: RobotDocument): Column[] {
  const before = convention === "modified" ? "ᵢ₋₁" : "";
  const theta = { address: "theta", title: "θ", unit: angle, about: t("angle about z; of a joint that turns, its offset") };
  const d = { address: "d", title: "d", unit: length, about: t("distance along z; of a joint that slides, its offset") };
  const a = { address: "a", title: `a${before}`, unit: length, about: t("distance along x") };
  const alpha = { address: "alpha", title: `α${before}`, unit: angle, about: t("angle about x") };
  return convention === "modified" ? [alpha, a, d, theta] : [theta, d, a, alpha];
}

const triple = (head: string, unit: string, about: string, letters: readonly string[] = TRIPLE): Column[] =>
  letters.map((letter, i) => ({ address: `${head}[${i + 1}]`, title: letter, unit, about, narrow: true }));

function frameColumns({ angle, length }: RobotDocument): Column[] {
  return [
    ...triple("xyz", length, t("place of the joint in the frame before")),
    ...triple("rpy", angle, t("roll, pitch, yaw of the joint in the frame before"), ["roll", "pitch", "yaw"]),
    ...triple("axis", "–", t("direction of the joint's axis"), ["axis x", "axis y", "axis z"]),
  ];
}

function limitColumns(document: RobotDocument): Column[] {
  const { angle, length } = document;
  const turning = document.rows.some((row) => /^(r|c|h)/i.test(row.type));
  const sliding = document.rows.some((row) => /^p/i.test(row.type));
  const unit = turning && sliding ? `${angle}, ${length}` : sliding ? length : angle;
  const rate = unit.split(", ").map((u) => `${u}/s`).join(", ");
  return [
    { address: "limits[1]", title: t("lowest"), unit, about: t("lower limit of the joint") },
    { address: "limits[2]", title: t("highest"), unit, about: t("upper limit of the joint") },
    { address: "velocity_limit", title: t("speed"), unit: rate, about: t("largest speed") },
    { address: "effort_limit", title: t("effort"), unit: sliding && turning ? "N·m, N" : sliding ? "N" : "N·m", about: t("largest torque or force") },
    { address: "direction", title: t("direction"), unit: "±1", about: t("1, or −1 where q counts the other way") },
  ];
}

function massColumns({ length }: RobotDocument): Column[] {
  const tensor = ["xx", "yy", "zz", "xy", "xz", "yz"];
  return [
    { address: "mass", title: "m", unit: "kg", about: t("mass of the link") },
    ...triple("com", length, t("centre of mass in the link's frame"), ["rx", "ry", "rz"]),
    ...tensor.map((key) => ({ address: `inertia.${key}`, title: `I${key}`, unit: "kg·m²", about: t("inertia about the centre of mass"), narrow: true })),
    { address: "motor_inertia", title: "Ia", unit: "kg·m²", about: t("motor inertia, at the joint"), narrow: true },
    { address: "friction.viscous", title: "fv", unit: "N·m·s", about: t("viscous friction"), narrow: true },
    { address: "friction.coulomb", title: "fc", unit: "N·m", about: t("dry friction"), narrow: true },
    { address: "friction.offset", title: "fo", unit: "N·m", about: t("offset of the friction"), narrow: true },
  ];
}

export function columns(document: RobotDocument, view: View): Column[] {
  if (view === "limits") return limitColumns(document);
  if (view === "mass") return massColumns(document);
  const pitch = { address: "pitch", title: "p", unit: `${document.length}/rad`, about: t("pitch of a screw joint") };
  const shown = document.kind === "frames" ? frameColumns(document) : dhColumns(document);
  return document.rows.some((row) => /^h/i.test(row.type)) ? [...shown, pitch] : shown;
}

/** The view in which the cell of an error stands. */
export function viewOf(address: string): View {
  if (/^(limits|velocity|effort|direction)/.test(address)) return "limits";
  return /^(mass|com|inertia|motor|friction)/.test(address) ? "mass" : "geometry";
}
