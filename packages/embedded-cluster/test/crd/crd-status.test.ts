import { describe, expect, test } from 'vitest';
import type { Crd } from '../../src/crd/crd.ts';
import { applyCrdDefaults } from '../../src/crd/crd-defaults.ts';
import { namesOfOthers, nextCrdStatus, noNames } from '../../src/crd/crd-status.ts';
import { type Change, widgets } from './widgets.ts';

const now = '2026-01-01T00:00:00Z';
const later = '2026-01-02T00:00:00Z';

function crd(change: Change = () => {}): Crd {
  const made = widgets(change);
  applyCrdDefaults(made);
  return made;
}

function settled(made: Crd, others: Crd[] = []): Crd {
  return { ...made, status: nextCrdStatus(made, namesOfOthers(made, others), now) ?? made.status ?? {} };
}

describe('the status of a CRD', () => {
  test('without conflicts it gets its names and is established', () => {
    expect(nextCrdStatus(crd(), noNames, now)).toEqual({
      acceptedNames: {
        plural: 'widgets',
        singular: 'widget',
        kind: 'Widget',
        listKind: 'WidgetList',
        shortNames: ['wd'],
      },
      conditions: [
        {
          type: 'NamesAccepted',
          status: 'True',
          reason: 'NoConflicts',
          message: 'no conflicts found',
          lastTransitionTime: now,
        },
        {
          type: 'Established',
          status: 'True',
          reason: 'InitialNamesAccepted',
          message: 'the initial names have been accepted',
          lastTransitionTime: now,
        },
      ],
      storedVersions: ['v1'],
    });
  });

  test('once it is right it is left alone', () => {
    expect(nextCrdStatus(settled(crd()), noNames, later)).toBeUndefined();
  });

  test.each<[string, Change, string, string]>([
    [
      'a kind',
      (other) => {
        other.spec.names.kind = 'Widget';
        other.spec.names.listKind = 'OtherList';
        other.spec.names.singular = 'other';
      },
      'KindConflict',
      '"Widget" is already in use',
    ],
    [
      'a short name',
      (other) => {
        other.spec.names.kind = 'Other';
        other.spec.names.shortNames = ['wd'];
      },
      'ShortNamesConflict',
      '"wd" is already in use',
    ],
    [
      'a singular that is a short name elsewhere',
      (other) => {
        other.spec.names.kind = 'Other';
        other.spec.names.shortNames = ['widget'];
      },
      'SingularConflict',
      '"widget" is already in use',
    ],
  ])('%s that another CRD of the group has makes it wait', (_, change, reason, message) => {
    const other = settled(
      crd((made) => {
        made.metadata.name = 'others.example.com';
        made.spec.names = { plural: 'others', kind: 'Other', shortNames: [] };
        change(made);
      }),
    );
    const waiting = settled(crd(), [other]);
    expect(waiting.status?.conditions).toEqual([
      { type: 'NamesAccepted', status: 'False', reason, message, lastTransitionTime: now },
      {
        type: 'Established',
        status: 'False',
        reason: 'NotAccepted',
        message: 'not all names are accepted',
        lastTransitionTime: now,
      },
    ]);
    expect(nextCrdStatus(waiting, namesOfOthers(waiting, []), later)?.conditions?.[1]).toMatchObject({
      status: 'True',
      lastTransitionTime: later,
    });
  });

  test('names of another group do not matter, built-in ones of the same do', () => {
    const foreign = settled(
      crd((made) => {
        made.spec.group = 'other.com';
        made.metadata.name = 'widgets.other.com';
      }),
    );
    expect(namesOfOthers(crd(), [foreign])).toEqual(noNames);
    const taken = namesOfOthers(crd(), [], { resources: new Set(['widgets']), kinds: new Set() });
    expect(nextCrdStatus(crd(), taken, now)?.conditions?.[0]).toMatchObject({ reason: 'PluralConflict' });
  });

  test('a served resource stays served when new names meet a conflict, under the names it had', () => {
    const served = settled(crd());
    served.spec.names.shortNames = ['taken'];
    const taken = { resources: new Set(['taken']), kinds: new Set<string>() };
    const status = nextCrdStatus(served, taken, later);
    expect(status?.acceptedNames?.shortNames).toEqual(['wd']);
    expect(status?.conditions?.map(({ type, status: value }) => [type, value])).toEqual([
      ['NamesAccepted', 'False'],
      ['Established', 'True'],
    ]);
  });
});
