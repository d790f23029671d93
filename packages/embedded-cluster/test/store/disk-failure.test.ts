import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { type FileSystem, type LogFile, realFileSystem } from '../../src/store/durable/file-system.ts';
import { type Store, StoreUnavailable } from '../../src/store/store.ts';
import { anObject, put } from './actions.ts';
import { aDirectory, opened, until, valuesOf } from './support.ts';

type Call = 'append' | 'sync' | 'create' | 'rename' | 'syncDirectory';

/** A disk that fails when it is told to, on files whose names match. */
class FailingDisk {
  #fails: { call: Call; file: RegExp; partly: number } | undefined;
  readonly calls: string[] = [];

  breaks(call: Call, file: RegExp, partly = 0): void {
    this.#fails = { call, file, partly };
  }

  heals(): void {
    this.#fails = undefined;
  }

  readonly fs: FileSystem = {
    ...realFileSystem,
    create: async (path) => {
      this.#check('create', path);
      return this.#wrap(path, await realFileSystem.create(path));
    },
    rename: async (from, to) => {
      this.#check('rename', to);
      await realFileSystem.rename(from, to);
    },
    syncDirectory: async (path) => {
      this.#check('syncDirectory', path);
      await realFileSystem.syncDirectory(path);
    },
  };

  #wrap(path: string, file: LogFile): LogFile {
    return {
      append: async (data) => {
        if (this.#isBroken('append', path)) await file.append(data.subarray(0, this.#fails?.partly));
        this.#check('append', path);
        await file.append(data);
      },
      sync: async () => {
        this.#check('sync', path);
        await file.sync();
      },
      close: () => file.close(),
    };
  }

  #isBroken(call: Call, path: string): boolean {
    return this.#fails?.call === call && this.#fails.file.test(path);
  }

  #check(call: Call, path: string): void {
    this.calls.push(`${call} ${path.split('/').at(-1)}`);
    if (this.#isBroken(call, path))
      throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  }
}

async function acknowledged(store: Store, key: string, value: unknown): Promise<void> {
  await store.durable(put(store, 'pods', key, value).revision);
}

describe('a disk that fails', () => {
  it.each([
    ['a write fails', 'append', 0],
    ['a write is only partly done', 'append', 30],
    ['an fsync fails', 'sync', 0],
  ] as const)('when %s, ends all writing, and nothing is acknowledged any more', async (_, call, partly) => {
    const directory = await aDirectory();
    const disk = new FailingDisk();
    const { store, reports } = await opened(directory, { fs: disk.fs });
    await acknowledged(store, 'a/kept', 1);
    disk.breaks(call, /segment/, partly);
    const [lost, alsoLost] = [put(store, 'pods', 'a/lost', 1), put(store, 'pods', 'a/lost', 2)];
    const waiting = [store.durable(lost.revision), store.durable(alsoLost.revision)];
    for (const outcome of await Promise.allSettled(waiting)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailable) });
    }
    // A disk that seems well again is not believed.
    disk.heals();
    expect(() => store.create('pods', 'a/new', anObject('a/new', 1))).toThrow(StoreUnavailable);
    await expect(store.durable(lost.revision)).rejects.toThrow('ENOSPC');
    await expect(store.durable(2)).resolves.toBeUndefined();
    expect(reports).toEqual([expect.stringContaining('ENOSPC')]);
    await store.close();

    const again = await opened(directory);
    expect(valuesOf(again.store)).toMatchObject({ 'pods a/kept': 1 });
    expect(valuesOf(again.store)).not.toHaveProperty('pods a/new');
    expect(again.store.revision).toBeGreaterThan(alsoLost.revision);
    await again.store.close();
  });

  it('takes down writes that queue behind the failed one', async () => {
    const disk = new FailingDisk();
    const { store } = await opened(await aDirectory(), { fs: disk.fs });
    disk.breaks('sync', /segment/);
    const first = store.durable(put(store, 'pods', 'a/1', 1).revision).catch((error: unknown) => error);
    await Promise.resolve();
    await Promise.resolve();
    const second = store.durable(put(store, 'pods', 'a/2', 2).revision).catch((error: unknown) => error);
    expect(await first).toBeInstanceOf(StoreUnavailable);
    expect(await second).toBeInstanceOf(StoreUnavailable);
    await store.close();
  });

  it('when the next segment cannot be made, ends all writing, but keeps what was acknowledged', async () => {
    const directory = await aDirectory();
    const disk = new FailingDisk();
    const { store } = await opened(directory, { fs: disk.fs, snapshotEveryBytes: 1 });
    disk.breaks('sync', /segment-0000000002/);
    await acknowledged(store, 'a/kept', 0);
    await acknowledged(store, 'a/kept', 1);
    await expect(acknowledged(store, 'a/lost', 1)).rejects.toThrow(StoreUnavailable);
    await store.close();
    const again = await opened(directory);
    expect(valuesOf(again.store)).toMatchObject({ 'pods a/kept': 1 });
    await again.store.close();
  });

  it.each([
    ['create', /snap/],
    ['append', /snap/],
    ['sync', /snap/],
    ['rename', /snap/],
  ] as const)('when a snapshot fails to %s, only has it reported', async (call, file) => {
    const directory = await aDirectory();
    const disk = new FailingDisk();
    const { store, reports } = await opened(directory, { fs: disk.fs, snapshotEveryBytes: 1 });
    disk.breaks(call, file);
    for (let value = 0; value < 5; value += 1) await acknowledged(store, 'a/x', value);
    await until(async () => reports.length > 0);
    disk.heals();
    await acknowledged(store, 'a/x', 'last');
    await store.close();
    expect(reports[0]).toMatch(/snapshot \d+ in .* was not written: .*ENOSPC/);
    expect((await readdir(directory)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    const again = await opened(directory);
    expect(valuesOf(again.store)).toEqual({ 'pods a/x': 'last' });
    await again.store.close();
  });

  it('at the start gives the directory free again', async () => {
    const directory = await aDirectory();
    const disk = new FailingDisk();
    disk.breaks('sync', /segment/);
    await expect(opened(directory, { fs: disk.fs })).rejects.toThrow('cannot be used');
    await (await opened(directory)).store.close();
  });
});

describe('the order of steps', () => {
  it('names a snapshot only when all of it is on disk, and after the segment that follows it', async () => {
    const disk = new FailingDisk();
    const directory = await aDirectory();
    const { store } = await opened(directory, { fs: disk.fs, snapshotEveryBytes: 1 });
    disk.calls.length = 0;
    for (const value of [1, 2]) await acknowledged(store, 'a/x', value);
    await until(async () => disk.calls.filter((call) => call.startsWith('syncDirectory')).length === 2);
    await store.close();
    const snapshot = disk.calls.filter((call) => /snap|syncDirectory|segment-0000000002/.test(call));
    const directoryName = directory.split('/').at(-1);
    expect(snapshot.slice(0, 11)).toEqual([
      'create segment-0000000002.log',
      'append segment-0000000002.log',
      'sync segment-0000000002.log',
      `syncDirectory ${directoryName}`,
      'create snapshot-0000000002.snap.tmp',
      'append snapshot-0000000002.snap.tmp',
      'append snapshot-0000000002.snap.tmp',
      'sync snapshot-0000000002.snap.tmp',
      'rename snapshot-0000000002.snap',
      `syncDirectory ${directoryName}`,
      'append segment-0000000002.log',
    ]);
  });
});
