import { describe, expect, it } from 'vitest';
import { endText, exitCodeOf, outcomeLine } from '../../src/cli/install/install-texts.ts';
import type { Ended, ObjectResult } from '../../src/install/outcome.ts';

const ref = { group: 'apps', version: 'v1', kind: 'Deployment', namespace: 'n', name: 'holdfast' };

describe('a line for an object', () => {
  it.each<readonly [ObjectResult, boolean, string]>([
    [{ kind: 'created' }, false, 'deployment.apps/holdfast created'],
    [{ kind: 'unchanged' }, true, 'deployment.apps/holdfast unchanged (server dry run)'],
    [{ kind: 'deleted' }, false, 'deployment.apps/holdfast deleted'],
    [{ kind: 'configured', fields: ['spec.a'] }, false, 'deployment.apps/holdfast configured'],
    [
      { kind: 'configured', fields: ['spec.a', 'spec.b'] },
      true,
      'deployment.apps/holdfast configured (server dry run): spec.a, spec.b',
    ],
    [
      { kind: 'configured', fields: Array.from({ length: 10 }, (_, index) => `f${index}`) },
      true,
      'deployment.apps/holdfast configured (server dry run): f0, f1, f2, f3, f4, f5, f6, f7 and 2 more',
    ],
    [{ kind: 'skipped', why: 'not ours' }, false, 'deployment.apps/holdfast left as it is: not ours'],
    [
      { kind: 'skipped', why: 'not ours' },
      true,
      'deployment.apps/holdfast would be left as it is (server dry run): not ours',
    ],
    [{ kind: 'unchecked', why: 'x' }, true, 'deployment.apps/holdfast cannot be checked (server dry run): x'],
    [{ kind: 'unlabelled', label: 'l' }, false, 'deployment.apps/holdfast unlabelled (l)'],
  ])('%j, dry run %s', (result, dryRun, line) => {
    expect(outcomeLine({ kind: 'object', ref, result }, dryRun)).toBe(line);
  });

  it('or a note', () => {
    expect(outcomeLine({ kind: 'note', text: 'x' })).toBe('note: x');
  });
});

describe('the end', () => {
  it.each<readonly [Exclude<Ended, { kind: 'done' }>, number, string]>([
    [
      { kind: 'denied', missing: ['create a', 'patch b'] },
      1,
      'error: you may not do what this needs:\n  create a\n  patch b\nNothing was changed. Ask a cluster administrator to do it, or to apply what `holdfast install --dry-run` prints.',
    ],
    [{ kind: 'refused', message: 'm', advice: 'a' }, 2, 'error: m\na'],
    [{ kind: 'failed', message: 'm', advice: 'a' }, 1, 'error: m\na'],
    [
      { kind: 'late', message: 'm', reasons: ['r'], events: ['e'], advice: 'a' },
      1,
      'error: timed out: m\n  r\nLast warnings:\n  e\na',
    ],
    [{ kind: 'late', message: 'm', reasons: [], events: [], advice: 'a' }, 1, 'error: timed out: m\na'],
    [{ kind: 'stopped' }, 1, 'stopped; run the same command again to continue'],
  ])('%j exits with %i', (ended, code, text) => {
    expect(exitCodeOf(ended)).toBe(code);
    expect(endText(ended, 'holdfast install --dry-run')).toBe(text);
  });

  it('that was wished for exits with 0', () => {
    expect(exitCodeOf({ kind: 'done' })).toBe(0);
  });

  it('of a removal names no dry run, because there is none', () => {
    expect(endText({ kind: 'denied', missing: ['x'] }, undefined)).not.toContain('--dry-run');
  });
});
