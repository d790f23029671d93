// What of the image is ours: the bundle as it was built last, with what it reads.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

const single = ['package.json', 'LICENSE', 'dist/THIRD-PARTY-LICENSES.txt', 'dist/holdfast.cdx.json'];

export function applicationFiles() {
  const paths = [...single, ...bundleFiles(), ...filesIn('examples')];
  return Object.fromEntries(paths.map((path) => [`app/${path}`, { contents: readFileSync(path), mode: 0o644 }]));
}

/** Chunks of earlier builds lie beside those of this one: the ones that the command loads are taken. */
function bundleFiles() {
  const found = new Set();
  const waiting = ['dist/holdfast.js'];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    for (const [, path] of readFileSync(file, 'utf8').matchAll(/["']\.\/((?:chunks\/)?[\w.-]+\.js)["']/g)) {
      const chunk = join('dist/chunks', basename(path));
      if (existsSync(chunk)) waiting.push(chunk);
    }
  }
  return [...found];
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}
