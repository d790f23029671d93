import type { ApiProxy, Asked, Fate } from '../../support/api-proxy.ts';
import { cut, pass } from '../../support/api-proxy.ts';
import type { FaultBed, StartedProcess } from './bed.ts';

export const writesLedger = ({ method, path }: Asked) => method === 'PUT' && path.includes('/disruptionledgers/');
export const deletesPod = ({ method, path }: Asked) => method === 'DELETE' && path.includes('/pods/');

interface Victim {
  readonly bed: FaultBed;
  /** What it talks to the API server through. */
  readonly proxy: ApiProxy;
  readonly process: StartedProcess;
}

/**
 * Kills a process at the first such request of it: before the request happens, or after, and before it hears of it. Resolves when it
 * is dead.
 */
export function killAt(victim: Victim, wanted: (asked: Asked) => boolean, when: 'before' | 'after'): Promise<void> {
  const { proxy } = victim;
  return new Promise((killed) => {
    const kill = async () => {
      victim.bed.cluster.balancer.remove(victim.process.port);
      await victim.process.operator.kill('SIGKILL');
      killed();
    };
    proxy.fate = async (asked): Promise<Fate> => {
      if (!wanted(asked)) return pass;
      proxy.fate = () => pass;
      if (when === 'after') return { kind: 'cutAnswer', first: kill };
      await kill();
      return cut;
    };
  });
}
