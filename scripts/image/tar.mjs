// A tar archive that depends on nothing but its files: their names, contents and modes, in order of their names.

const blockBytes = 512;
const nameBytes = 100;

/** @param files from path without a leading slash to `{ contents, mode }`; folders are made for them */
export function tar(files) {
  const folders = new Set(Object.keys(files).flatMap(foldersOf));
  const entries = [
    ...[...folders].map((folder) => ({ name: `${folder}/`, mode: 0o755, type: '5', contents: Buffer.alloc(0) })),
    ...Object.entries(files).map(([name, { contents, mode }]) => ({ name, mode, type: '0', contents })),
  ];
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  const end = Buffer.alloc(2 * blockBytes);
  return Buffer.concat([...entries.flatMap((entry) => [header(entry), entry.contents, padding(entry.contents)]), end]);
}

function foldersOf(path) {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, depth) => parts.slice(0, depth + 1).join('/'));
}

function padding({ length }) {
  return Buffer.alloc((blockBytes - (length % blockBytes)) % blockBytes);
}

/** Owned by root, from the beginning of 1970. */
function header({ name, mode, type, contents }) {
  if (Buffer.byteLength(name) > nameBytes) throw new Error(`${name} is too long for the archive`);
  const block = Buffer.alloc(blockBytes);
  const octal = (value, at, size) => block.write(value.toString(8).padStart(size - 1, '0'), at, 'ascii');
  block.write(name, 0, 'utf8');
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(contents.length, 124, 12);
  octal(0, 136, 12);
  block.write(type, 156, 'ascii');
  block.write('ustar\u000000', 257, 'ascii');
  block.fill(' ', 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\u0000 `, 148, 'ascii');
  return block;
}
