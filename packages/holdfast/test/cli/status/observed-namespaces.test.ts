import { describe, expect, it } from 'vitest';
import { aWorld } from '../../../../../test/support/a-world.ts';
import { aGroupPdb, ns } from '../../../../../test/support/builders.ts';
import { lwsPods } from '../../../../../test/support/fleet.ts';
import { type ObservedSighting, observing } from '../../../src/cli/status/observed-namespaces.ts';
import { podWebhooksOf } from '../../../src/observe/guard/registration.ts';
import { aNamespace, registered } from '../live-world.ts';

const world = aWorld({ pods: lwsPods('llm', 2, 2), pdbs: [aGroupPdb('llm', { app: 'llm' }, { minAvailable: 2 })] });

function checkWith(value: string, ...items: readonly ObservedSighting[]) {
  const registrations = registered();
  const webhooks = podWebhooksOf(registrations.kind === 'known' ? registrations.validating : undefined);
  const namespaces = new Map([[ns, aNamespace({ 'holdfast.dev/guard': value })]]);
  const observed = { kind: 'read', items, resourceVersion: '1' } as const;
  return observing({ world, namespaces, operatorNamespace: 'holdfast-system', observed }, webhooks);
}

describe('[E1] holdfast status, where a namespace is observed', () => {
  it('names it, and says that nothing would have been refused yet', () => {
    expect(checkWith('observe')).toMatchObject({
      check: 'observe',
      state: 'warning',
      detail: `nothing is refused in ${ns}; no event tells of a disruption that would have been refused`,
    });
  });

  it('tells what would have been refused last', () => {
    const old = { lastMs: 1, namespace: ns, message: 'the old one' };
    const last = { lastMs: 2, namespace: ns, message: 'eviction of pod llm-0-0 would be refused' };
    expect(checkWith('observe', last, old)?.detail).toBe(
      `nothing is refused in ${ns}; 2 events of disruptions that would have been refused, the last in ${ns}: eviction of pod llm-0-0 would be refused`,
    );
  });

  it('has no such check where everything is enforced', () => {
    expect(checkWith('enabled')).toBeUndefined();
  });
});
