import { describe, expect, it } from 'vitest';
import { type Check, componentStatus, healthReport } from '../src/health.ts';
import { healthOf } from '../src/health-checks.ts';
import { createMemoryStore } from '../src/store/memory-store.ts';

const well = (name: string): Check => ({ name, isWell: async () => true });
const ill = (name: string): Check => ({ name, isWell: async () => false });
const asked = { endpoint: 'livez', verbose: false, exclude: [] };

describe('what is said of health', () => {
  it('is short while all is well', async () => {
    expect(await healthReport({ ...asked, checks: [well('a'), well('b')] })).toEqual({ code: 200, text: 'ok' });
  });

  it('names everything when it is asked to', async () => {
    const text = '[+]a ok\n[+]b ok\nlivez check passed\n';
    expect(await healthReport({ ...asked, verbose: true, checks: [well('a'), well('b')] })).toEqual({
      code: 200,
      text,
    });
  });

  it('names everything when something is not well', async () => {
    const text = '[+]a ok\n[-]b failed: reason withheld\nlivez check failed\n';
    expect(await healthReport({ ...asked, checks: [well('a'), ill('b')] })).toEqual({ code: 500, text });
  });

  it('leaves out what the client excludes', async () => {
    const text = '[+]a excluded: ok\nlivez check passed\n';
    const wish = { ...asked, verbose: true, exclude: ['a'], checks: [ill('a')] };
    expect(await healthReport(wish)).toEqual({ code: 200, text });
  });
});

describe('the health of a cluster', () => {
  const of = (acts: boolean, ready: boolean) => healthOf({ store: createMemoryStore(), acts, ready: () => ready });
  const namesOf = (checks: readonly Check[]) => checks.map(({ name }) => name);

  it('is ready when it has started', async () => {
    expect(namesOf(of(true, true).checks('livez'))).toEqual(['ping', 'store']);
    expect(namesOf(of(true, true).checks('readyz'))).toEqual(['ping', 'store', 'started']);
    const starting = await healthReport({ ...asked, checks: of(true, false).checks('readyz') });
    expect(starting).toMatchObject({ code: 500, text: expect.stringContaining('[-]started failed') });
    expect(await healthReport({ ...asked, checks: of(true, false).checks('livez') })).toMatchObject({ code: 200 });
  });

  it('is lost with the store', async () => {
    const lost = { revision: 7, durable: () => Promise.reject(new Error('the disk is gone')) };
    const { checks } = healthOf({ store: lost, acts: true, ready: () => true });
    const report = await healthReport({ ...asked, checks: checks('livez') });
    expect(report).toMatchObject({ code: 500, text: expect.stringContaining('[-]store failed') });
  });

  it('has parts that are only well where they run', async () => {
    const shown = async (acts: boolean) =>
      (await Promise.all(of(acts, true).components.map(componentStatus))).map(({ metadata, conditions }) => {
        const [{ status, message }] = conditions as [{ status: string; message: string }];
        return `${metadata.name} ${status} ${message}`;
      });
    expect(await shown(true)).toEqual(['controller-manager True ok', 'scheduler True ok', 'store True ok']);
    expect(await shown(false)).toEqual([
      'controller-manager False it was not started',
      'scheduler False it was not started',
      'store True ok',
    ]);
  });
});
