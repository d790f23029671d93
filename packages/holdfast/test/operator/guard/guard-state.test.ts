import { beforeEach, describe, expect, it, test } from 'vitest';
import type { Namespace, StringMap } from '../../../../base/src/meta.ts';
import { label } from '../../../src/api/names.ts';
import { ObjectCache } from '../../../src/kube/reflector/cache.ts';
import {
  type ConfigurationView,
  projectConfiguration,
  type WebhookView,
} from '../../../src/observe/foreign-webhooks/webhook-view.ts';
import { GuardState } from '../../../src/operator/guard/guard-state.ts';
import { TestClock } from '../../kube/support/test-clock.ts';
import { ourConfiguration } from '../../observe/foreign-webhooks/support.ts';

const ours = projectConfiguration({ ...ourConfiguration() });

/** Our registration as a test wants it. */
class FakeForeignWebhooks {
  synced = false;
  #own: ConfigurationView | undefined;
  #listeners: (() => void)[] = [];

  ownConfiguration(): ConfigurationView | undefined {
    return this.#own;
  }

  listen(listener: () => void): () => void {
    this.#listeners.push(listener);
    return () => {
      this.#listeners = [];
    };
  }

  show(own: ConfigurationView | undefined): void {
    this.synced = true;
    this.#own = own;
    for (const listener of this.#listeners) listener();
  }
}

let clock: TestClock;
let namespaces: ObjectCache<Namespace>;
let foreignWebhooks: FakeForeignWebhooks;
let changes: string[];
let state: GuardState;
let version = 0;

beforeEach(() => {
  clock = new TestClock();
  namespaces = new ObjectCache<Namespace>({ report: (error) => expect(error).toBeUndefined() });
  foreignWebhooks = new FakeForeignWebhooks();
  changes = [];
  state = new GuardState({
    clock,
    namespaces,
    foreignWebhooks,
    own: 'holdfast-system',
    changed: (name) => changes.push(name),
  });
  state.start();
});

function namespaceWith(labels: StringMap, name = 'shop'): Namespace {
  version += 1;
  const all = { 'kubernetes.io/metadata.name': name, ...labels };
  return { metadata: { name, uid: name, resourceVersion: String(version), labels: all } };
}

function see(labels: StringMap, name = 'shop'): void {
  namespaces.upsert(namespaceWith(labels, name), '1');
}

const enabled = { [label.guard]: 'enabled' };

function message(): string {
  const guard = state.guardOf('shop');
  return guard.kind === 'on' ? 'on' : guard.message;
}

describe('a namespace is guarded', () => {
  it('when it carries the label, we are registered, and API servers had time to see both', async () => {
    see(enabled);
    foreignWebhooks.show(ours);
    expect(message()).toMatch('API servers may not have seen the label yet');
    await clock.advance(999);
    expect(message()).toMatch('API servers may not have seen the label yet');
    changes.length = 0;
    await clock.advance(1);
    expect(message()).toBe('on');
    expect(changes).toEqual(['shop']);
  });

  it('as long as that is so, and not a moment longer', async () => {
    see(enabled);
    foreignWebhooks.show(ours);
    await clock.advance(5_000);
    changes.length = 0;
    see({});
    expect(message()).toMatch(`has no label ${label.guard}`);
    see(enabled);
    expect(message()).toMatch('API servers may not have seen the label yet');
    await clock.advance(1_000);
    expect(message()).toBe('on');
    foreignWebhooks.show(undefined);
    expect(message()).toMatch('ValidatingWebhookConfiguration holdfast does not exist');
    expect(changes).toEqual(['shop', 'shop', 'shop', 'shop']);
  });

  it('from when the last of both was seen', async () => {
    see(enabled);
    foreignWebhooks.show(undefined);
    await clock.advance(10_000);
    foreignWebhooks.show(ours);
    await clock.advance(500);
    expect(message()).toMatch('API servers may not have seen the label yet');
    await clock.advance(500);
    expect(message()).toBe('on');
  });

  it('each in its own time', async () => {
    foreignWebhooks.show(ours);
    see(enabled);
    await clock.advance(600);
    see(enabled, 'bank');
    await clock.advance(400);
    expect([state.guardOf('shop').kind, state.guardOf('bank').kind]).toEqual(['on', 'off']);
    await clock.advance(600);
    expect(state.guardOf('bank').kind).toBe('on');
  });

  it('without saying so again when nothing changed', async () => {
    see(enabled);
    foreignWebhooks.show(ours);
    await clock.advance(1_000);
    changes.length = 0;
    see({ ...enabled, team: 'a' });
    foreignWebhooks.show(ours);
    await clock.advance(10_000);
    expect(message()).toBe('on');
    expect(changes).toEqual([]);
  });

  it('no more after it is gone', async () => {
    see(enabled);
    foreignWebhooks.show(ours);
    await clock.advance(1_000);
    namespaces.replace([], '2');
    expect(message()).toBe('the operator has not seen the namespace yet');
  });
});

describe('a namespace is not guarded, and the message says what helps', () => {
  const labels: readonly (readonly [string, StringMap, string])[] = [
    ['it has no label', {}, 'the leader of the operator sets it'],
    ['a person turned it off', { [label.guard]: 'disabled' }, 'remove the label to turn it on'],
    ['its label means nothing', { [label.guard]: 'true' }, 'is "true", which is not a known value'],
  ];
  test.each(labels)('%s', async (_, given, expected) => {
    see(given);
    foreignWebhooks.show(ours);
    await clock.advance(2_000);
    expect(message()).toMatch(expected);
  });

  it('it is one of those that never are', async () => {
    foreignWebhooks.show(ours);
    for (const name of ['kube-system', 'holdfast-system']) see(enabled, name);
    await clock.advance(2_000);
    for (const name of ['kube-system', 'holdfast-system']) {
      expect(state.guardOf(name)).toMatchObject({
        kind: 'off',
        message: expect.stringContaining('use another namespace'),
      });
    }
  });

  it('it is not known yet', () => {
    expect(message()).toBe('the operator has not seen the namespace yet');
    see(enabled);
    expect(message()).toBe('the operator has not seen the webhook configurations yet');
  });

  const change = (webhook: string, more: Partial<WebhookView>): ConfigurationView => ({
    ...ours,
    webhooks: ours.webhooks.map((one) => (one.name === `${webhook}.holdfast.dev` ? { ...one, ...more } : one)),
  });
  const without = (webhook: string): ConfigurationView => change(webhook, { rules: [] });
  const narrow = [{ op: 'In', key: 'team', values: ['a'] }] as const;
  const registrations: readonly (readonly [string, ConfigurationView | undefined, string])[] = [
    ['there is no registration', undefined, 'does not exist: apply'],
    ['evictions are not in it', without('eviction'), 'has no webhook for evictions'],
    ['deletions are not in it', without('deletion'), 'has no webhook for deletions'],
    ['changes are not in it', without('update'), 'has no webhook for changes'],
    [
      'resizes are not in it',
      change('update', {
        rules: [{ operations: ['UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], scope: '*' }],
      }),
      'has no webhook for resizes',
    ],
    ['requests pass while we are away', change('deletion', { failurePolicy: 'Ignore' }), 'set it to Fail'],
    ['API servers do not trust us yet', change('eviction', { hasTrust: false }), 'has no caBundle'],
    ['some pods are left out', change('update', { selectsObjects: true }), 'has an objectSelector'],
    ['its selector cannot be read', change('eviction', { namespaces: undefined }), 'is not valid'],
    ['its selector leaves it out', change('deletion', { namespaces: narrow }), 'webhook deletion.holdfast.dev leaves'],
  ];
  test.each(registrations)('%s', async (_, own, expected) => {
    see(enabled);
    foreignWebhooks.show(own);
    await clock.advance(2_000);
    expect(message()).toMatch(expected);
  });

  it('a registration for PodUnavailableBudgets is another matter', async () => {
    see(enabled);
    foreignWebhooks.show(change('budgets', { rules: [], failurePolicy: 'Ignore' }));
    await clock.advance(2_000);
    expect(message()).toBe('on');
  });
});

describe('what was found at the start', () => {
  it('has settled when all of it had time to', async () => {
    let settled = false;
    void state.settled.then(() => {
      settled = true;
    });
    namespaces.replace([namespaceWith(enabled)], '1');
    await clock.advance(5_000);
    expect(settled).toBe(false);
    foreignWebhooks.show(ours);
    await clock.advance(999);
    expect(settled).toBe(false);
    await clock.advance(1);
    expect(settled).toBe(true);
    expect(message()).toBe('on');
  });

  it('keeps no caller waiting after the end', async () => {
    state.close();
    await state.settled;
    see(enabled);
    expect(changes).toEqual([]);
  });
});
