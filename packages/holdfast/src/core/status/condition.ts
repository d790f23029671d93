import type { Condition } from '@holdfast/base/meta';

/** Whether requests really reach us: the namespace carries the guard label and the webhook answers. */
export type Guard =
  | { readonly kind: 'on' }
  /** They reach us, and all of them pass: observe mode. */
  | { readonly kind: 'observed'; readonly message: string }
  | { readonly kind: 'off'; readonly message: string };

/** As Kubernetes writes times in objects: whole seconds. */
export function statusTime(now: number): string {
  return `${new Date(now).toISOString().slice(0, 19)}Z`;
}

/** A condition's transition time changes with its status only. */
export function keepTransition(next: Condition, before: readonly Condition[] | undefined, time: string): Condition {
  const same = before?.find((one) => one.type === next.type && one.status === next.status);
  return { ...next, lastTransitionTime: same?.lastTransitionTime ?? time };
}
