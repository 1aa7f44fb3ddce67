// What a person's browser loads, gzipped: the first view, what follows on demand, all of it. Fonts are packed already.
import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const folder = new URL("../manipula/pages/static/studio/", import.meta.url);
const LIMIT = 600;
const kilo = (bytes) => Math.round(bytes / 100) / 10;
const packed = (name) => {
  const data = readFileSync(new URL(name, folder));
  return name.endsWith(".woff2") ? data.length : gzipSync(data, { level: 9 }).length;
};

const names = readdirSync(folder, { recursive: true }).filter((name) => /\.(html|js|css|svg|woff2)$/.test(name));
const fonts = names.filter((name) => name.endsWith(".woff2"));
const sizes = names.filter((name) => !fonts.includes(name)).map((name) => [name, packed(name)]);
const first = sizes.filter(([name]) => /(index|viewer|icon|chain)/.test(name)).reduce((sum, [, size]) => sum + size, 0);
const all = sizes.reduce((sum, [, size]) => sum + size, 0);
for (const [name, size] of sizes.sort((a, b) => b[1] - a[1])) console.log(`${kilo(size).toString().padStart(7)} kB  ${name}`);
console.log(`${kilo(first).toString().padStart(7)} kB  first view`);
console.log(`${kilo(all).toString().padStart(7)} kB  everything but fonts; ${kilo(fonts.map(packed).reduce((a, b) => a + b, 0))} kB of fonts, loaded as equations need them`);
process.exit(all / 1000 <= LIMIT ? 0 : 1);
