/**
 * Resource versions of one API server are numbers that grow and may be compared (Kubernetes 1.35 states it; etcd always did
 * so). They can be longer than a double holds, so they are compared as digits.
 */
export function compareResourceVersions(a: string, b: string): number {
  const left = digits(a);
  const right = digits(b);
  if (left.length !== right.length) return left.length - right.length;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Whether a view is as new as something. What cannot be compared is not: the caller waits or refuses (I4). */
export function isAtLeast(view: string, bound: string): boolean {
  return isNumber(view) && isNumber(bound) && compareResourceVersions(view, bound) >= 0;
}

/** Whether one version is certainly newer than another. */
export function isNewer(version: string, than: string): boolean {
  return isAtLeast(version, than) && !isAtLeast(than, version);
}

export function later(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return compareResourceVersions(a, b) >= 0 ? a : b;
}

function isNumber(version: string): boolean {
  return /^[0-9]+$/.test(version);
}

/** Something that is not a number is older than everything. */
function digits(version: string): string {
  return isNumber(version) ? version.replace(/^0+(?=.)/, '') : '';
}
