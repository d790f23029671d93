import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { aWorld } from '../../../../test/support/a-world.ts';
import { anOwner, aPdb, aPod } from '../../../../test/support/builders.ts';
import { confirm } from '../../src/cli/install/confirm.ts';
import { lossLines } from '../../src/cli/install/uninstall-losses.ts';
import { aShop } from './worlds.ts';

describe('what is no longer protected without Holdfast', () => {
  it('is every budget that only Holdfast enforces, with what Kubernetes allows instead, probes and rollouts', () => {
    expect(lossLines({ live: aShop(), rollouts: ['shop/db'] })).toEqual([
      'pdb shop/broken: cannot be read, and refuses everything; then Kubernetes counts pods',
      'pdb shop/llm: counts groups, needs 1 of 2 groups, and allows 0 now; then Kubernetes counts pods, and allows 4 evictions now',
      'pub shop/db: nothing enforces it',
      '3 pods with a disruption probe: evictions no longer wait for its answer',
      'statefulset shop/db: a stuck rollout is no longer recovered',
    ]);
  });

  it('is nothing where budgets count pods as Kubernetes does', () => {
    const set = anOwner('StatefulSet', 'web', 2);
    const pods = [0, 1].map((index) => aPod(`web-${index}`).labels({ app: 'web' }).ownedBy(set));
    const world = aWorld({ pods, owners: [set], pdbs: [aPdb('web', { app: 'web' }, { maxUnavailable: 1 })] });
    expect(lossLines({ live: { ...aShop(), world }, rollouts: [] })).toEqual([]);
  });

  it('is nothing where no operator is registered', () => {
    const registrations = {
      kind: 'known',
      validating: undefined,
      mutating: undefined,
      foreign: [],
      kruise: false,
    } as const;
    expect(lossLines({ live: { ...aShop(), registrations }, rollouts: ['shop/db'] })).toEqual([]);
  });
});

describe('a confirmation', () => {
  const { signal } = new AbortController();
  const what = 'this deletes 3 budgets';

  function ask(answer: string): { done: Promise<void>; shown: () => string } {
    const [input, output] = [new PassThrough(), new PassThrough()];
    let shown = '';
    output.on('data', (part) => {
      shown += String(part);
    });
    const done = confirm({ what, agreed: false, terminal: true }, { input, output, signal });
    input.end(`${answer}\n`);
    return { done, shown: () => shown };
  }

  it('is given with yes, and nothing else', async () => {
    const { done, shown } = ask('yes');
    await done;
    expect(shown()).toContain('this deletes 3 budgets. Type "yes" to go on: ');
    await expect(ask('y').done).rejects.toThrow('not confirmed; nothing was changed');
    await expect(ask('').done).rejects.toThrow('not confirmed');
  });

  it('is not asked for where it was given in advance, and not guessed where no terminal is', async () => {
    const streams = { input: new PassThrough(), output: new PassThrough(), signal };
    await confirm({ what, agreed: true, terminal: false }, streams);
    await expect(confirm({ what, agreed: false, terminal: false }, streams)).rejects.toMatchObject({
      message: 'this deletes 3 budgets, and there is no terminal to confirm it on',
      advice: 'Add --yes to agree.',
    });
  });
});
