import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { tableOf, withTable } from '../../testbed/src/upstream/document.ts';
import { type Outcome, readReport } from '../../testbed/src/upstream/report.ts';
import { merged, type Results, readResults } from '../../testbed/src/upstream/results.ts';
import { placeOf, readSelection, type Selection } from '../../testbed/src/upstream/selection.ts';
import { focusOn, phasesOf } from '../../testbed/src/upstream/spec-names.ts';
import { documentPath } from '../../testbed/src/upstream/upstream-e2e.ts';

const selection: Selection = {
  specMinutes: 1,
  slices: [
    { name: 'first', focus: '\\[sig-a\\].*\\[Conformance\\]', minutes: 1 },
    { name: 'second', focus: '\\[sig-a\\]', minutes: 1 },
  ],
  leftOut: [
    { reason: 'not here', outOfScope: true, specs: ['\\[Slow\\]'] },
    { reason: 'a real container', specs: ['should run a command'] },
  ],
};

describe('the place of a spec', () => {
  it.each([
    { spec: '[sig-a] x [Conformance]', want: { kind: 'run', slice: 'first' } },
    { spec: '[sig-a] x', want: { kind: 'run', slice: 'second' } },
    { spec: '[sig-b] x [Conformance]', want: { kind: 'elsewhere' } },
    { spec: '[sig-a] x [Slow]', want: { kind: 'elsewhere' } },
    {
      spec: '[sig-a] should run a command',
      want: { kind: 'leftOut', slice: 'second', reason: 'a real container' },
    },
  ])('$spec', ({ spec, want }) => {
    expect(placeOf(spec, selection)).toEqual(want);
  });
});

describe("Ginkgo's report", () => {
  const spec = (LeafNodeText: string, State: string, more = {}) => ({
    ContainerHierarchyTexts: ['[sig-a] Things', 'when new'],
    LeafNodeType: 'It',
    LeafNodeText,
    State,
    ...more,
  });

  it('says what came of each spec, by its whole name', () => {
    const json = JSON.stringify([
      {
        SpecReports: [
          { ContainerHierarchyTexts: null, LeafNodeType: 'SynchronizedBeforeSuite', LeafNodeText: '', State: 'passed' },
          spec('work', 'passed'),
          spec('fail', 'failed', { Failure: { Message: 'expected 1\nto be 2' } }),
          spec('run', 'failed', {
            Failure: { Message: 'error running /opt/bin/kubectl --kubeconfig=/var/x-1/config get /a' },
          }),
          spec('panic', 'panicked'),
          spec('look first', 'skipped'),
          spec('last', 'interrupted'),
          spec('late', 'timedout'),
        ],
      },
    ]);
    expect(readReport(json)).toEqual([
      { name: '[sig-a] Things when new work', outcome: 'passed' },
      { name: '[sig-a] Things when new fail', outcome: 'failed', message: 'expected 1' },
      {
        name: '[sig-a] Things when new run',
        outcome: 'failed',
        message: 'error running kubectl --kubeconfig=config get /a',
      },
      { name: '[sig-a] Things when new panic', outcome: 'failed' },
      { name: '[sig-a] Things when new look first', outcome: 'skipped' },
      { name: '[sig-a] Things when new last', outcome: 'unfinished' },
      { name: '[sig-a] Things when new late', outcome: 'unfinished' },
    ]);
  });
});

describe('running specs beside each other', () => {
  it('leaves those that must be alone for the end', () => {
    expect(phasesOf(['a', 'b [Serial]', 'c'])).toEqual({ together: ['a', 'c'], alone: ['b [Serial]'] });
  });

  it('names a spec by an expression that matches it alone', () => {
    const name = '[sig-a] works (a+b) {x} $1.0 [Conformance]';
    expect(new RegExp(focusOn(name)).test(`Kubernetes e2e suite ${name}`)).toBe(true);
    expect(new RegExp(focusOn('[sig-a] works')).test(`Kubernetes e2e suite ${name}`)).toBe(false);
  });
});

describe('the table', () => {
  const results = (outcomes: Record<string, Outcome>): Results => ({
    version: 'v1.37.1',
    specs: Object.entries(outcomes).map(([name, outcome]) => ({ name, outcome, slice: 'second' })),
  });
  const both = {
    embedded: results({
      '[sig-a] both [Conformance]': 'passed',
      '[sig-a] real': 'failed',
      '[sig-a] embedded': 'passed',
      '[sig-a] neither': 'unfinished',
      '[sig-a] skipped': 'skipped',
      '[sig-a] should run a command': 'failed',
    }),
    real: results({
      '[sig-a] both [Conformance]': 'passed',
      '[sig-a] real': 'passed',
      '[sig-a] neither': 'failed',
      '[sig-a] skipped': 'skipped',
    }),
  };

  it('says which specs the real cluster alone passes, and leaves out what is not run', () => {
    expect(tableOf(both, selection).trimEnd().split('\n')).toEqual([
      'Specs of Kubernetes v1.37.1.',
      '',
      '| slice | specs | both pass | the real one alone | the embedded one alone | neither |',
      '|---|---|---|---|---|---|',
      '| first | 1 | 1 | 0 | 0 | 0 |',
      '| second | 3 | 0 | 1 | 1 | 1 |',
      '| **all** | 4 | 1 | 1 | 1 | 1 |',
      '',
      '**Passed by the real cluster and not by the embedded one**',
      '',
      '- [sig-a] real',
      '',
      '**Passed by the embedded cluster alone**',
      '',
      '- [sig-a] embedded',
      '',
      '**Passed by neither**',
      '',
      '- [sig-a] neither',
    ]);
  });

  it('goes between the markers of the document, and only there', () => {
    const marked =
      'a\n<!-- upstream-e2e: written by npm run testbed -- upstream-e2e -->\nold\n<!-- upstream-e2e: end -->\nb\n';
    const once = withTable(marked, both, selection);
    expect(once).toMatch(/^a\n<!--[^>]*-->\n\nSpecs of[^<]*<!-- upstream-e2e: end -->\nb\n$/);
    expect(withTable(once, both, selection)).toBe(once);
    expect(() => withTable('a\nb\n', both, selection)).toThrow('no markers');
  });

  it('keeps slices that were not run again, unless they are of another version', () => {
    const before: Results = { version: '1', specs: [{ name: 'a', slice: 'x', outcome: 'passed' }] };
    const now: Results = { version: '1', specs: [{ name: 'b', slice: 'y', outcome: 'failed' }] };
    expect(merged(before, now, ['y']).specs.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(merged(before, now, ['x', 'y']).specs.map(({ name }) => name)).toEqual(['b']);
    expect(merged({ ...before, version: '2' }, now, ['y'])).toEqual(now);
    expect(merged(undefined, now, ['y'])).toEqual(now);
  });

  it('in the document is the one of the results that are kept', () => {
    const embedded = readResults('embedded');
    const real = readResults('real');
    if (embedded === undefined || real === undefined) throw new Error('results of both clusters are kept');
    const document = readFileSync(documentPath, 'utf8');
    expect(withTable(document, { embedded, real }, readSelection())).toBe(document);
  });
});
