import { appendFile, copyFile, cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { encodeFrame, scanFrames } from '../../src/store/durable/frames.ts';
import { drop, put, storedValue } from './actions.ts';
import { aDirectory, opened, quickFileSystem, refused, until, valuesOf } from './support.ts';

const segment = (number: number) => `segment-${String(number).padStart(10, '0')}.log`;
const snapshot = (number: number) => `snapshot-${String(number).padStart(10, '0')}.snap`;

/** One segment with these values of one object, each in a frame of its own, as a crash would leave it. */
async function withWrites(count: number): Promise<{ directory: string; file: Buffer }> {
  const directory = await aDirectory();
  const { store } = await opened(directory);
  for (let value = 1; value <= count; value += 1) await store.durable(put(store, 'pods', 'a/x', value).revision);
  const file = await readFile(join(directory, segment(1)));
  await store.close();
  await writeFile(join(directory, segment(1)), file);
  return { directory, file };
}

async function reopenWith(directory: string, file: Buffer) {
  const copy = join(directory, `copy-${file.length}`);
  await mkdir(copy);
  await writeFile(join(copy, segment(1)), file);
  return { copy, ...(await opened(copy, { fs: quickFileSystem })) };
}

describe('a torn end', () => {
  it('at any byte of the last two records recovers to what was whole, once and for all', async () => {
    const { directory, file } = await withWrites(3);
    const frames = scanFrames(file).frames;
    const from = frames.at(-2)?.offset ?? 0;
    for (let length = from; length <= file.length; length += 1) {
      const whole = frames.filter(({ end }) => end <= length);
      const { copy, store, recovered, reports } = await reopenWith(directory, file.subarray(0, length));
      const cut = length - (whole.at(-1)?.end ?? 0);
      expect(storedValue(store.get('pods', 'a/x'))).toBe(whole.length - 1);
      expect(recovered).toMatchObject({ cutBytes: cut, clean: false });
      expect(reports.length).toBe(cut === 0 ? 0 : 1);
      expect(store.revision).toBeGreaterThan(100_000);
      put(store, 'pods', 'a/y', 'after');
      await store.close();
      const again = await opened(copy, { fs: quickFileSystem });
      expect(valuesOf(again.store)).toEqual({ 'pods a/x': whole.length - 1, 'pods a/y': 'after' });
      expect(again.recovered).toMatchObject({ cutBytes: 0, clean: true });
      await again.store.close();
    }
  });

  it('within the first record of the first segment leaves an empty store', async () => {
    const { directory, file } = await withWrites(0);
    for (const length of [0, 1, 12, file.length - 1]) {
      const { store, recovered } = await reopenWith(directory, file.subarray(0, length));
      expect([store.resources(), recovered.cutBytes]).toEqual([[], length]);
      await store.close();
    }
  });

  it('of zeros, as file systems leave it, is cut', async () => {
    const { directory, file } = await withWrites(2);
    await appendFile(join(directory, segment(1)), Buffer.alloc(5000));
    const { store, recovered } = await opened(directory);
    expect([storedValue(store.get('pods', 'a/x')), recovered.cutBytes]).toEqual([2, 5000]);
    await store.close();
    expect((await readFile(join(directory, segment(1)))).length).toBe(file.length);
  });
});

describe('a flipped bit', () => {
  it('somewhere in the last record cuts it, somewhere before refuses and says where', async () => {
    const { directory, file } = await withWrites(3);
    const frames = scanFrames(file).frames;
    const last = frames.at(-1)?.offset ?? 0;
    for (let at = 0; at < file.length; at += 3) {
      const flipped = Buffer.from(file);
      flipped.writeUInt8(flipped.readUInt8(at) ^ (1 << (at % 8)), at);
      await writeFile(join(directory, segment(1)), flipped);
      if (at < last) {
        const offset = frames.findLast((frame) => frame.offset <= at)?.offset;
        const { reason, message } = await refused(directory);
        expect(reason).toBe('corrupt');
        expect(message).toContain(`${join(directory, segment(1))} is damaged at offset ${offset}:`);
        expect(await readFile(join(directory, segment(1)))).toEqual(flipped);
      } else {
        const { store, recovered } = await opened(directory, { fs: quickFileSystem });
        expect([storedValue(store.get('pods', 'a/x')), recovered.cutBytes]).toEqual([2, file.length - last]);
        await store.close();
        await rm(join(directory, segment(2)));
      }
    }
  });

  it('says how to give up the rest, and what that costs', async () => {
    const { directory, file } = await withWrites(3);
    const at = scanFrames(file).frames[1]?.offset ?? 0;
    await writeFile(join(directory, segment(1)), Buffer.from(file).fill(0, at, at + 20));
    const { message } = await refused(directory);
    expect(message).toContain('2 records that can be read');
    expect(message).toContain(`truncate -s ${at} ${join(directory, segment(1))}`);
    await writeFile(join(directory, segment(1)), file.subarray(0, at));
    const { store } = await opened(directory);
    expect(valuesOf(store)).toEqual({});
    await store.close();
  });
});

/** Three segments, each ended in order. */
async function withSegments(): Promise<string> {
  const directory = await aDirectory();
  for (const value of [1, 2, 3]) {
    const { store } = await opened(directory);
    put(store, 'pods', 'a/x', value);
    await store.close();
  }
  return directory;
}

describe('segments', () => {
  it('refuse a torn end in one that is not the last', async () => {
    const directory = await withSegments();
    const file = await readFile(join(directory, segment(2)));
    await writeFile(join(directory, segment(2)), file.subarray(0, -1));
    const { reason, message } = await refused(directory);
    expect(reason).toBe('corrupt');
    expect(message).toContain(`rm ${join(directory, segment(3))}`);
  });

  it.each([
    ['one in the middle is missing', (path: (n: number) => string) => rm(path(2)), `${segment(2)} is missing`],
    ['the first is missing', (path: (n: number) => string) => rm(path(1)), `${segment(1)} is missing`],
    ['two have changed places', (path: (n: number) => string) => copyFile(path(3), path(2)), 'written as segment 3'],
    ['one is empty', (path: (n: number) => string) => writeFile(path(1), ''), 'it is empty'],
    [
      'one holds what a later version writes',
      (path: (n: number) => string) => appendFile(path(3), encodeFrame([Buffer.from('["unknown",1]\n')])),
      'does not write',
    ],
    [
      'a revision goes back',
      (path: (n: number) => string) => appendFile(path(3), encodeFrame([Buffer.from('["remove",2,"pods","a/x"]\n')])),
      'revision 2 follows revision 4',
    ],
    [
      'the format is another',
      (path: (n: number) => string) => writeFile(path(3), encodeFrame([Buffer.from('["segment",2,3,9]\n')])),
      'format 2 is not one this version reads',
    ],
  ])('refuse to start when %s', async (_, damage, says) => {
    const directory = await withSegments();
    await damage((number) => join(directory, segment(number)));
    expect(await refused(directory)).toMatchObject({ reason: 'corrupt', message: expect.stringContaining(says) });
  });

  it('go on where a crash came right after the next was made', async () => {
    const directory = await withSegments();
    await writeFile(join(directory, segment(4)), '');
    const { store, recovered } = await opened(directory);
    expect(storedValue(store.get('pods', 'a/x'))).toBe(3);
    expect(recovered).toMatchObject({ segments: 4, cutBytes: 0 });
    await store.close();
    await (await opened(directory)).store.close();
  });
});

/** A directory right before and right after a snapshot took over, and what it holds. */
async function aroundSnapshot() {
  const after = await aDirectory();
  const before = await aDirectory();
  const first = await opened(after);
  for (let value = 0; value < 20; value += 1) put(first.store, 'pods', `a/${value}`, value);
  drop(first.store, 'pods', 'a/7');
  await first.store.close();
  await cp(after, before, { recursive: true });
  const second = await opened(after, { snapshotEveryBytes: 1 });
  put(second.store, 'nodes', 'n', 'last');
  await second.store.durable(second.store.revision);
  await until(async () => (await readdir(after)).filter((name) => name.startsWith('segment')).length === 1);
  const state = valuesOf(second.store);
  await cp(join(after, segment(3)), join(before, segment(3)));
  await second.store.close();
  return { before, after, state, revision: second.store.revision };
}

const dataFiles = async (directory: string) => (await readdir(directory)).filter((name) => !name.startsWith('lock'));

describe('a snapshot', () => {
  it('is taken when starts have made many segments, however little was written', async () => {
    const directory = await aDirectory();
    for (let value = 0; value < 66; value += 1) {
      const { store } = await opened(directory, { fs: quickFileSystem });
      put(store, 'pods', 'a/x', value);
      await store.durable(store.revision);
      if (value === 65) await until(async () => (await dataFiles(directory)).length === 2);
      await store.close();
    }
    const { store, recovered } = await opened(directory);
    expect(storedValue(store.get('pods', 'a/x'))).toBe(65);
    expect(recovered).toMatchObject({ segments: 1, clean: true, writes: 0 });
    await store.close();
  });

  it('stands for the segments before it, which are removed', async () => {
    const { after, state, revision } = await aroundSnapshot();
    expect(await dataFiles(after)).toEqual([segment(3), snapshot(3)]);
    const { store, recovered } = await opened(after);
    expect(valuesOf(store)).toEqual(state);
    expect(recovered).toMatchObject({ snapshot: 3, segments: 1, objects: 20, writes: 0, clean: true, revision });
    await store.close();
  });

  it('that a crash left unfinished is removed, and the segments are read', async () => {
    const { after, before, state } = await aroundSnapshot();
    const whole = await readFile(join(after, snapshot(3)));
    // The segment that the store began with when the snapshot became due.
    await copySecondSegment(before);
    for (const length of [0, 10, whole.length - 1, whole.length]) {
      await writeFile(join(before, `${snapshot(3)}.tmp`), whole.subarray(0, length));
      const { store } = await opened(before);
      const { 'nodes n': _, ...rest } = state;
      expect(valuesOf(store)).toEqual(rest);
      await store.close();
      expect((await readdir(before)).filter((name) => name.includes('snap'))).toEqual([]);
    }
  });

  it('next to the segments it stands for is used, and they are removed', async () => {
    const { after, before, state } = await aroundSnapshot();
    await cp(join(before, segment(1)), join(after, segment(1)));
    const { store, recovered } = await opened(after);
    expect([valuesOf(store), recovered.snapshot]).toEqual([state, 3]);
    expect(await dataFiles(after)).not.toContain(segment(1));
    await store.close();
  });

  it('of an older generation gives way to the newer', async () => {
    const { after, state } = await aroundSnapshot();
    const older = encodeFrame([Buffer.from('["snapshot",1,2,1,1]\n["end",0]\n')]);
    await writeFile(join(after, snapshot(2)), older);
    const { store } = await opened(after);
    expect(valuesOf(store)).toEqual(state);
    expect(await dataFiles(after)).not.toContain(snapshot(2));
    await store.close();
  });

  it('that is damaged is rebuilt from the segments before it while they are there', async () => {
    const { after, before, state } = await aroundSnapshot();
    const whole = await readFile(join(after, snapshot(3)));
    await copySecondSegment(before);
    await writeFile(join(before, snapshot(3)), whole.fill(0, 100, 110));
    const { store, reports } = await opened(before);
    const { 'nodes n': _, ...rest } = state;
    expect(valuesOf(store)).toEqual(rest);
    expect(reports).toEqual([expect.stringContaining(`${join(before, snapshot(3))} is damaged at offset`)]);
    await store.close();
    expect(await readdir(before)).toContain(`${snapshot(3)}.damaged`);
  });

  it('that is damaged at any byte refuses to start when the segments before it are gone', async () => {
    const { after } = await aroundSnapshot();
    const whole = await readFile(join(after, snapshot(3)));
    for (let at = 0; at < whole.length; at += 37) {
      const flipped = Buffer.from(whole);
      flipped.writeUInt8(flipped.readUInt8(at) ^ 4, at);
      await writeFile(join(after, snapshot(3)), flipped);
      const { reason, message } = await refused(after);
      expect(reason).toBe('corrupt');
      expect(message).toMatch(/snapshot-0000000003\.snap is damaged at offset \d+: .*cannot be rebuilt/);
    }
  });

  it.each([
    ['cut short by whole records', (file: Buffer) => file.subarray(0, scanFrames(file).frames.at(-1)?.offset)],
    ['empty', () => Buffer.alloc(0)],
    ['of another number', () => encodeFrame([Buffer.from('["snapshot",1,2,1,1]\n["end",0]\n')])],
    ['of another format', () => encodeFrame([Buffer.from('["snapshot",2,3,1,1]\n["end",0]\n')])],
    ['short of an object', () => encodeFrame([Buffer.from('["snapshot",1,3,1,1]\n["end",1]\n')])],
    ['longer than its end', () => encodeFrame([Buffer.from('["snapshot",1,3,1,1]\n["end",0]\n["end",0]\n')])],
  ])('that is %s refuses to start', async (_, change) => {
    const { after } = await aroundSnapshot();
    const path = join(after, snapshot(3));
    await writeFile(path, change(await readFile(path)));
    expect(await refused(after)).toMatchObject({ reason: 'corrupt' });
  });

  it('without the segment that begins after it refuses to start', async () => {
    const { after } = await aroundSnapshot();
    await rename(join(after, segment(3)), join(after, 'elsewhere'));
    const { message } = await refused(after);
    expect(message).toContain(`${segment(3)} is missing`);
  });
});

/** What the second segment held before the snapshot took it away, apart from its one write. */
async function copySecondSegment(directory: string): Promise<void> {
  await writeFile(join(directory, segment(2)), encodeFrame([Buffer.from('["segment",1,2,100000]\n')]));
}
