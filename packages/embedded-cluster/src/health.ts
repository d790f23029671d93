import type { KubeObject } from './objects.ts';

/** One thing that has to be well. */
export interface Check {
  readonly name: string;
  isWell(): Promise<boolean>;
}

export interface HealthReport {
  readonly code: 200 | 500;
  readonly text: string;
}

interface HealthQuery {
  /** `healthz`, `livez` or `readyz`. */
  readonly endpoint: string;
  readonly checks: readonly Check[];
  /** Say how each of them is, not only when one is not well. */
  readonly verbose: boolean;
  readonly exclude: readonly string[];
}

/** All checks but those that the caller leaves out. Why one is not well stays inside; its name says where to look. */
export async function healthReport({ endpoint, checks, verbose, exclude }: HealthQuery): Promise<HealthReport> {
  const asked = await Promise.all(
    checks.map(async (check) => {
      const excluded = exclude.includes(check.name);
      return { name: check.name, excluded, well: excluded || (await check.isWell()) };
    }),
  );
  const well = asked.every((check) => check.well);
  if (well && !verbose) return { code: 200, text: 'ok' };
  const lines = asked.map(({ name, excluded, well: fine }) => {
    if (excluded) return `[+]${name} excluded: ok`;
    return fine ? `[+]${name} ok` : `[-]${name} failed: reason withheld`;
  });
  return { code: well ? 200 : 500, text: [...lines, `${endpoint} check ${well ? 'passed' : 'failed'}`, ''].join('\n') };
}

/** What the parts of a control plane are called that are asked how they are. */
export interface Component extends Check {
  /** Where it is, or what it lacks. */
  message(well: boolean): string;
}

export async function componentStatus(component: Component): Promise<KubeObject> {
  const well = await component.isWell();
  const condition = { type: 'Healthy', status: well ? 'True' : 'False', message: component.message(well) };
  return { apiVersion: 'v1', kind: 'ComponentStatus', metadata: { name: component.name }, conditions: [condition] };
}
