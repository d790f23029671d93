import { describe, expect, it } from 'vitest';
import type { Namespace } from '../../../../base/src/meta.ts';
import type { InstallationMode } from '../../../src/api/installation-names.ts';
import { label } from '../../../src/api/names.ts';
import { answeredPaths, webhookConfigurations } from '../../../src/install/manifests/webhooks.ts';
import { defaultInstallValues } from '../../../src/install/values/values.ts';
import { ObjectCache } from '../../../src/kube/reflector/cache.ts';
import { projectConfiguration } from '../../../src/observe/foreign-webhooks/webhook-view.ts';
import { EnforcementStart } from '../../../src/operator/guard/enforcement-start.ts';
import { TestClock } from '../../kube/support/test-clock.ts';

interface Wish {
  readonly observes?: boolean;
  readonly installed?: InstallationMode;
}

function configurationOf(mode: InstallationMode) {
  const [validating] = webhookConfigurations({ ...defaultInstallValues, mode }, answeredPaths);
  return projectConfiguration(JSON.parse(JSON.stringify(validating)));
}

function bench({ observes = false, installed = 'enforce' }: Wish = {}) {
  const clock = new TestClock();
  const namespaces = new ObjectCache<Namespace>({ report: () => undefined });
  const listeners: (() => void)[] = [];
  const state = { mode: installed, version: '7' as string | undefined, reached: true };
  const calls: string[] = [];
  const start = new EnforcementStart({
    clock,
    namespaces,
    foreignWebhooks: {
      ownConfiguration: () => configurationOf(state.mode),
      listen: (changed) => {
        listeners.push(changed);
        return () => undefined;
      },
    },
    observes,
    changed: (name) => void calls.push(`changed ${name}`),
    limits: { settleMs: 20_000, retryMs: 1_000 },
  });
  let version = 0;
  start.start({
    async podsVersion() {
      calls.push('read pods');
      return state.version;
    },
    views: {
      async reached(version) {
        calls.push(`wait for ${version}`);
        return state.reached;
      },
    },
  });
  return {
    start,
    clock,
    calls,
    state,
    set(value: string | undefined) {
      version += 1;
      const labels = value === undefined ? {} : { [label.guard]: value };
      namespaces.upsert(
        { metadata: { name: 'shop', uid: 'u', resourceVersion: String(version), labels } },
        `${version}`,
      );
    },
    install(mode: InstallationMode) {
      state.mode = mode;
      for (const listener of listeners) listener();
    },
    starting: () => start.startingIn('shop') !== undefined,
  };
}

describe('[E3] a namespace that goes from observing to enforcing', () => {
  it('is not enforced before requests that passed must have happened, and the view shows what a later read does', async () => {
    const { set, starting, clock, calls } = bench();
    set('observe');
    expect(starting()).toBe(false);
    set('enabled');
    expect(starting()).toBe(true);
    await clock.advance(19_999);
    expect([starting(), calls.includes('read pods')]).toEqual([true, false]);
    await clock.advance(1);
    expect(starting()).toBe(false);
    expect(calls).toEqual(['changed shop', 'changed shop', 'read pods', 'wait for 7', 'changed shop']);
  });

  it.each(['version', 'reached'] as const)(
    'waits for as long as the pods are not known to be seen: %s',
    async (what) => {
      const { set, starting, clock, state } = bench();
      if (what === 'version') state.version = undefined;
      else state.reached = false;
      set('observe');
      set('enabled');
      await clock.advance(60_000);
      expect(starting()).toBe(true);
      state.version = '8';
      state.reached = true;
      await clock.advance(2_000);
      expect(starting()).toBe(false);
    },
  );

  it('waits also when the label was taken away in between', async () => {
    const { set, starting } = bench();
    set('observe');
    set(undefined);
    expect(starting()).toBe(false);
    set('enabled');
    expect(starting()).toBe(true);
  });

  it('stops waiting when it is observed again, and waits in full after the next change', async () => {
    const { set, starting, clock } = bench();
    set('observe');
    set('enabled');
    await clock.advance(10_000);
    set('observe');
    expect(starting()).toBe(false);
    await clock.advance(60_000);
    set('enabled');
    await clock.advance(19_999);
    expect(starting()).toBe(true);
  });

  it('is enforced at once where it never was observed', () => {
    const { set, starting } = bench();
    set('enabled');
    expect(starting()).toBe(false);
  });
});

describe('[E3] an installation that goes from observing to enforcing', () => {
  it('does so for all replicas by its webhook configuration', async () => {
    const { set, start, starting, install, clock } = bench({ installed: 'observe' });
    set('enabled');
    expect([start.observesAll, starting()]).toEqual([true, false]);
    install('enforce');
    expect([start.observesAll, starting()]).toEqual([false, true]);
    await clock.advance(20_000);
    expect(starting()).toBe(false);
  });

  it('is observed by a replica that was told so, whatever the configuration says', () => {
    const { set, start, install } = bench({ observes: true });
    set('enabled');
    install('enforce');
    expect(start.observesAll).toBe(true);
  });
});
