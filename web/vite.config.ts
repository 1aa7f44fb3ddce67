// One project, three entries: `--mode studio` (split, loaded when needed), `--mode report` (one classic script that
// runs from file://) and `--mode widget` (one ES module for notebooks).
import { defineConfig, type Plugin, type UserConfig } from "vite";

const STATIC = "../manipula/pages/static";

// KaTeX names each font three times; every browser that runs this page reads woff2
const onlyWoff2: Plugin = {
  name: "only-woff2",
  enforce: "pre",
  transform: (code, id) =>
    /katex.*\.css/.test(id) ? code.replace(/,\s*url\([^)]*\.(woff|ttf)\)\s*format\([^)]*\)/g, "") : null,
};

const common: UserConfig = { plugins: [onlyWoff2], base: "./" };

const studio: UserConfig = {
  ...common,
  root: "src/studio",
  build: { outDir: `../../${STATIC}/studio`, emptyOutDir: true, target: "es2022", assetsInlineLimit: 0 },
};

const single = (name: "report" | "widget"): UserConfig => ({
  ...common,
  build: {
    outDir: STATIC,
    emptyOutDir: false,
    target: "es2022",
    assetsInlineLimit: Number.MAX_SAFE_INTEGER, // fonts travel in the sheet: a report is one file
    cssCodeSplit: false,
    lib: {
      entry: `src/${name}/main.ts`,
      formats: [name === "report" ? "iife" : "es"],
      name: "manipula",
      fileName: () => `${name}.js`,
      cssFileName: name,
    },
  },
  define: { "process.env.NODE_ENV": '"production"' },
});

export default defineConfig(({ mode }) => (mode === "report" || mode === "widget" ? single(mode) : studio));
