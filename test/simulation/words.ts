import type { KubeObject } from '../../packages/embedded-cluster/src/objects.ts';
import { isTerminating } from './history.ts';

/** Objects in the words of a transcript. */

export function isReady(pod: KubeObject): boolean {
  return stateOf(pod).endsWith('ready');
}

export function stateOf(pod: KubeObject): string {
  const status = pod['status'] as
    | { readonly phase?: string; readonly conditions?: readonly { type: string; status: string }[] }
    | undefined;
  const ready = status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') === true;
  if (isTerminating(pod)) return 'terminating';
  return `${status?.phase ?? 'Pending'}${ready ? ', ready' : ''}`;
}

export function ledgerText(ledger: KubeObject | undefined): string {
  if (ledger === undefined) return 'deleted';
  const spec = (ledger['spec'] ?? {}) as {
    readonly watermark?: string;
    readonly reservations?: readonly Readonly<Record<string, unknown>>[];
  };
  const all = (spec.reservations ?? []).map(
    (one) =>
      `${one['operation']} ${one['pod']} (${String(one['uid']).slice(0, 4)})${one['conditional'] === true ? ' conditional' : ''}${one['overdue'] === undefined ? '' : ` ${(one['overdue'] as { phase: string }).phase}`}`,
  );
  return `${all.length === 0 ? 'empty' : all.join(', ')}; watermark ${spec.watermark ?? '-'}`;
}

/** The pods that a PDB's status has as evicted. */
export function notedIn(budget: KubeObject | undefined): readonly string[] {
  const status = budget?.['status'] as { readonly disruptedPods?: Readonly<Record<string, string>> } | undefined;
  return Object.keys(status?.disruptedPods ?? {});
}
