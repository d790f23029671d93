import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scaled } from '../../../src/controllers/common/amounts.ts';
import { Backoff } from '../../../src/controllers/common/backoff.ts';
import { withCondition } from '../../../src/controllers/common/conditions.ts';
import { canonicalJson, hashOf } from '../../../src/controllers/common/hash.ts';
import {
  newRevision,
  planRevision,
  sortRevisions,
  surplusRevisions,
  templateOf,
} from '../../../src/controllers/common/history.ts';
import { planClaims, selects } from '../../../src/controllers/common/owners.ts';
import { podFromTemplate } from '../../../src/controllers/common/pod-template.ts';
import { isAvailable, nextAvailableInMs } from '../../../src/controllers/common/pods.ts';
import { pod, ready, replicaSet, statefulSet, template } from '../workloads.ts';

describe('amounts', () => {
  it.each<[number | string | undefined, number, 'up' | 'down', number]>([
    [3, 10, 'up', 3],
    ['25%', 10, 'up', 3],
    ['25%', 10, 'down', 2],
    ['200%', 4, 'up', 8],
    [undefined, 10, 'up', 0],
    ['nonsense', 10, 'up', 0],
    ['', 10, 'down', 0],
  ])('%s of %i rounded %s is %i', (value, whole, round, expected) => {
    expect(scaled(value, whole, round)).toBe(expected);
  });
});

describe('hashes', () => {
  it('do not depend on the order of keys nor on fields that are not set', () => {
    expect(hashOf({ a: 1, b: { c: 2, d: undefined } }, 0)).toBe(hashOf({ b: { c: 2 }, a: 1 }, 0));
  });

  it('differ with the value and with the number of collisions', () => {
    const hashes = [
      hashOf(template('a'), 0),
      hashOf(template('b'), 0),
      hashOf(template('a'), 1),
      hashOf(template('a'), undefined),
    ];
    expect(new Set(hashes).size).toBe(4);
  });

  it('are written in safe letters', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        expect(hashOf(value, 0)).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
      }),
    );
  });

  it('come from JSON that can be read back', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.array(fc.boolean()))), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual({ ...value });
      }),
    );
  });
});

describe('selectors of workloads', () => {
  it('select by labels, and an empty one selects nothing', () => {
    expect(selects({ matchLabels: { app: 'web' } }, { app: 'web', tier: 'x' })).toBe(true);
    expect(selects({ matchLabels: { app: 'web' } }, { app: 'db' })).toBe(false);
    expect(selects({}, { app: 'web' })).toBe(false);
    expect(selects(undefined, { app: 'web' })).toBe(false);
  });
});

describe('claiming', () => {
  const owner = replicaSet('web');
  owner.metadata.uid = 'me';
  const controlled = (uid: string, app: string) => {
    const made = pod(`${uid}-${app}`);
    made.metadata.labels = { app };
    made.metadata.ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'x', uid, controller: true }];
    return made;
  };
  const mine = controlled('me', 'web');
  const lost = controlled('me', 'other');
  const foreign = controlled('you', 'web');
  const orphan = pod('orphan');
  const leaving = pod('leaving');
  leaving.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
  const isSelected = (one: typeof mine) => one.metadata.labels?.['app'] === 'web';
  const all = [mine, lost, foreign, orphan, leaving];

  it('keeps, adopts and releases', () => {
    expect(planClaims(owner, isSelected, all)).toEqual({ owned: [mine], adopt: [orphan], release: [lost] });
  });

  it('changes nothing for an owner on its way out', () => {
    const dying = { ...owner, metadata: { ...owner.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    expect(planClaims(dying, isSelected, all)).toEqual({ owned: [mine], adopt: [], release: [] });
  });
});

describe('revisions', () => {
  const owner = (image: string) => statefulSet('db', { template: template(image) });
  const first = newRevision(owner('app:1'), 1, 0);
  const second = newRevision(owner('app:2'), 2, 0);

  it.each([
    ['made for a new template', 'app:3', { kind: 'create', revision: { revision: 3 } }],
    ['kept for the newest', 'app:2', { kind: 'keep', revision: { revision: 2 } }],
    [
      'raised for one of the past',
      'app:1',
      { kind: 'raise', revision: { revision: 3, metadata: { name: first.metadata.name } } },
    ],
  ])('are %s', (_, image, expected) => {
    expect(planRevision([first, second], owner(image), 0)).toMatchObject(expected);
  });

  it('give the template back', () => {
    expect(templateOf(second)).toEqual(template('app:2'));
  });

  it('are sorted by number', () => {
    expect(sortRevisions([second, first])).toEqual([first, second]);
  });

  it('go when nothing uses them, oldest first', () => {
    const third = newRevision(owner('app:3'), 3, 0);
    expect(surplusRevisions([first, second, third], (one) => one === third, 1)).toEqual([first]);
    expect(surplusRevisions([first, second, third], (one) => one === first, 0)).toEqual([second, third]);
  });
});

describe('conditions', () => {
  const before = { type: 'A', status: 'True', reason: 'x', message: 'm', lastTransitionTime: 't1' };

  it('stay when status and reason do', () => {
    expect(withCondition([before], { ...before, message: 'other', lastTransitionTime: 't2' })).toEqual([before]);
  });

  it('keep the time of transition while the status stays', () => {
    const next = { ...before, reason: 'y', lastTransitionTime: 't2' };
    expect(withCondition([before], next)).toEqual([{ ...next, lastTransitionTime: 't1' }]);
    expect(withCondition([before], { ...next, status: 'False' })[0]?.lastTransitionTime).toBe('t2');
  });
});

describe('availability', () => {
  const nowMs = Date.parse('2026-01-01T00:01:00Z');
  const one = pod('a', {}, ready('2026-01-01T00:00:30Z'));

  it.each([
    [0, true],
    [30, true],
    [31, false],
  ])('after %i seconds of being ready: %s', (seconds, expected) => {
    expect(isAvailable(one, seconds, nowMs)).toBe(expected);
  });

  it('comes with time', () => {
    expect(nextAvailableInMs([one, pod('b')], 45, nowMs)).toBe(15_000);
    expect(nextAvailableInMs([one], 10, nowMs)).toBeUndefined();
  });
});

describe('Backoff', () => {
  it('doubles up to its limit, and forgets', () => {
    const backoff = new Backoff(1000, 4000);
    const delays = [1, 2, 3, 4].map(() => {
      backoff.failed('k', 0);
      return backoff.remainingMs('k', 0);
    });
    expect(delays).toEqual([1000, 2000, 4000, 4000]);
    expect(backoff.remainingMs('other', 0)).toBe(0);
    backoff.failed('k', 100_000);
    expect(backoff.remainingMs('k', 100_000)).toBe(1000);
  });
});

describe('a pod from a template', () => {
  it('does not share anything with it that could be changed', () => {
    const source = template();
    const made = podFromTemplate(source, replicaSet('web'), { name: 'web-1' });
    (made.spec.containers[0] as { image?: string }).image = 'other';
    expect(source.spec?.containers[0]?.image).toBe('app:1');
  });
});
