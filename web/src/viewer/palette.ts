// Colours that differ for every eye (Okabe and Ito), on a light and on a dark ground.

export const AXES = ["#d55e00", "#009e73", "#0072b2"]; // x, y, z
export const BRANCHES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a6d3b", "#7a5195"];
export const AMBER = "#e69f00";
export const TRAIL = "#d55e00";
export const CLOUD = "#0072b2";
export const REFUSED = "#9aa0a6";

export interface Theme {
  ground: string;
  line: string;
  strong: string;
  ink: string;
  sky: string;
  earth: string;
}

export const LIGHT: Theme = { ground: "#f6f7f8", line: "#dce1e6", strong: "#b4bcc4", ink: "#1d2327", sky: "#ffffff", earth: "#b8bfc6" };
export const DARK: Theme = { ground: "#15191d", line: "#262d33", strong: "#3b454d", ink: "#e6e9ec", sky: "#ffffff", earth: "#59636c" };
