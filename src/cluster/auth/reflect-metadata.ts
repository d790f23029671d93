/**
 * The certificate library keeps notes on its classes with three functions that are not part of JavaScript yet. This gives
 * it those three, unless the process has them already. Import it before the library.
 */

type Notes = Map<unknown, unknown>;

const notes = new WeakMap<object, Notes>();

function defineMetadata(key: unknown, value: unknown, target: object): void {
  const known = notes.get(target);
  if (known) known.set(key, value);
  else notes.set(target, new Map([[key, value]]));
}

function getOwnMetadata(key: unknown, target: object): unknown {
  return notes.get(target)?.get(key);
}

/** A class has what its base classes have. */
function getMetadata(key: unknown, target: object): unknown {
  for (let holder: object | null = target; holder !== null; holder = Object.getPrototypeOf(holder)) {
    const known = notes.get(holder);
    if (known?.has(key)) return known.get(key);
  }
  return undefined;
}

if (!('getMetadata' in Reflect)) Object.assign(Reflect, { defineMetadata, getOwnMetadata, getMetadata });
