/** How Kubernetes ranks version names: v10 > v2 > v2beta1 > v1beta2 > v1alpha1 > foo. */

const form = /^v([1-9]\d{0,8})(?:(alpha|beta)([1-9]\d{0,8}))?$/;

interface Rank {
  readonly stability: number;
  readonly major: number;
  readonly minor: number;
}

/** Negative where `left` comes first. */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [rankOf(left), rankOf(right)];
  if (!a || !b) return a ? -1 : b ? 1 : compareText(left, right);
  return b.stability - a.stability || b.major - a.major || b.minor - a.minor;
}

function rankOf(version: string): Rank | undefined {
  const match = form.exec(version);
  if (!match) return undefined;
  const stability = match[2] === undefined ? 2 : match[2] === 'beta' ? 1 : 0;
  return { stability, major: Number(match[1]), minor: Number(match[3] ?? 0) };
}

function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
