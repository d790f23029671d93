import type { Check, Component } from './health.ts';
import type { HealthEndpoint } from './http/paths.ts';
import type { Store } from './store/store.ts';

interface Asked {
  readonly store: Pick<Store, 'durable' | 'revision'>;
  /** There are controllers and a scheduler. */
  readonly acts: boolean;
  ready(): boolean;
}

export interface ServerHealth {
  readonly components: readonly Component[];
  checks(endpoint: HealthEndpoint): readonly Check[];
}

/** What there is to be asked how it is. All of it lives in this process; only the store can be lost on its own. */
export function healthOf({ store, acts, ready }: Asked): ServerHealth {
  const ping: Check = { name: 'ping', isWell: async () => true };
  const kept: Check = { name: 'store', isWell: () => store.durable(store.revision).then(yes, no) };
  const started: Check = { name: 'started', isWell: async () => ready() };
  const acting = (name: string): Component => ({
    name,
    isWell: async () => acts && ready(),
    message: (well) => (well ? 'ok' : 'it was not started'),
  });
  const storage: Component = { ...kept, message: (well) => (well ? 'ok' : 'nothing can be written any more') };
  return {
    components: [acting('controller-manager'), acting('scheduler'), storage],
    checks: (endpoint: HealthEndpoint) => (endpoint === 'readyz' ? [ping, kept, started] : [ping, kept]),
  };
}

const yes = () => true;
const no = () => false;
