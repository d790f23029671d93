import { type DecideOptions, decide } from '../decide/decide.ts';
import type { Verdict } from '../verdict.ts';
import type { World } from '../world/world.ts';

/** What an eviction of this pod would be told now, by us and then by the built-in check (M1). */
export function askToEvict(
  world: World,
  pod: { readonly namespace: string; readonly name: string },
  now: number,
  options: DecideOptions = {},
): Verdict {
  const request = { operation: 'EVICT', namespace: pod.namespace, pod: pod.name } as const;
  return decide(world, request, now, { judgePlain: true, ...options });
}
