// `npm install` leaves out of the lock the optional packages of other platforms that the registry at hand does not
// have; `npm ci` then refuses the lock on those platforms. This names each of them, with its system and processor.
import fs from "node:fs";

const lock = JSON.parse(fs.readFileSync("package-lock.json", "utf8"));
const SYSTEM = /(aix|android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32|wasm32|wasi)-?(.*)/;
let added = 0;
for (const owner of Object.values(lock.packages))
  for (const [name, version] of Object.entries(owner.optionalDependencies ?? {})) {
    const place = `node_modules/${name}`;
    if (lock.packages[place]) continue;
    const [, system, rest] = SYSTEM.exec(name) ?? [];
    const entry = { version, optional: true, ...(owner.dev ? { dev: true } : {}) };
    if (system === "wasm32") entry.cpu = ["wasm32"];
    else if (system) Object.assign(entry, { os: [system], cpu: [rest.split("-")[0]] });
    lock.packages[place] = entry;
    added++;
  }
const sorted = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1));
lock.packages = Object.fromEntries(sorted);
fs.writeFileSync("package-lock.json", `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added} packages of other platforms named`);
