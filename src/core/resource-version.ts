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

/** Something that is not a number is older than everything: whoever compares with it waits or refuses. */
function digits(version: string): string {
  return /^[0-9]+$/.test(version) ? version.replace(/^0+(?=.)/, '') : '';
}
