import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { pubNumbers } from '../../../../../test/support/a-world.ts';
import { aPod, aPub, ns } from '../../../../../test/support/builders.ts';
import { chainState, gone, known, ownerView, unknown } from '../../../../../test/support/owner-view.ts';
import type { Clock } from '../../../src/kube/time/clock.ts';
import type { Connection } from '../../../src/kube/transport/connection.ts';
import {
  connect,
  json,
  plainTarget,
  type SyntheticServer,
  status,
  syntheticServer,
  until,
} from '../../kube/support/server.ts';
import { TestClock } from '../../kube/support/test-clock.ts';
import { FakeOwners } from './fake-owners.ts';
import { fastClock, type RunningResolver, reference, runResolver } from './support.ts';

interface Setting extends RunningResolver {
  readonly owners: FakeOwners;
  readonly server: SyntheticServer;
}

const open: { server: SyntheticServer; connection: Connection; running: RunningResolver }[] = [];

/** A resolver beside a server that a test prepared; it has seen the kinds there are. */
async function setting(
  prepare: (owners: FakeOwners) => void = () => {},
  clock: Clock = fastClock(60),
): Promise<Setting> {
  const owners = new FakeOwners();
  prepare(owners);
  const server = await syntheticServer(owners.handle);
  const connection = connect(plainTarget(server.url));
  const world = ownerView();
  const running = runResolver(world, connection, clock, false);
  open.push({ server, connection, running });
  running.resolver.start();
  return { ...running, owners, server };
}

afterEach(async () => {
  for (const { server, connection, running } of open.splice(0)) {
    await running.resolver.close();
    connection.close();
    await server.close();
  }
});

function addPod({ world, resolver }: RunningResolver, name: string, uid: string, owner = 'db'): void {
  world.upsertPod(
    aPod(name)
      .ownedBy(reference('apps/v1', 'StatefulSet', owner, uid))
      .build(),
  );
  resolver.wake();
}

const fail = (code: number, reason: string) => (response: ServerResponse) => json(response, code, status(code, reason));
const target = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db' };

describe('a watch that lags', () => {
  it('[O1] [I4] is not believed about an owner that was made again, nor does it bring the first one back for good', async () => {
    const one = await setting((owners) => owners.set('db', 'first', 3));
    await until(() => one.resolver.synced() && one.owners.watching);
    addPod(one, 'old', 'first');
    expect(chainState(one.world, 'old')).toBe(known);
    const first = one.owners.set('db', 'first', 3, true);
    const second = one.owners.set('db', 'second', 4);
    addPod(one, 'new', 'second');
    expect(chainState(one.world, 'new')).toBe(unknown);
    await until(() => chainState(one.world, 'new') === known);
    expect(chainState(one.world, 'old')).toBe(gone);
    one.world.upsertPub(aPub('c', { targetRef: target, maxUnavailable: 1 }));
    one.owners.show('MODIFIED', { ...first, spec: { replicas: 1 } });
    one.owners.show('DELETED', first);
    one.owners.show('ADDED', second);
    one.owners.show('MODIFIED', one.owners.set('db', 'second', 5));
    await until(() => pubNumbers(one.world, 'c')?.expected === 5);
    await until(() => chainState(one.world, 'old') === gone);
    expect(chainState(one.world, 'new')).toBe('deny BudgetExhausted');
  });

  it('[O1] [I4] shows an owner that a look-up found gone, and another look-up brings it back', async () => {
    const one = await setting();
    await until(() => one.resolver.synced() && one.owners.watching);
    addPod(one, 'p', 'first');
    await until(() => chainState(one.world) === gone);
    one.owners.show('ADDED', one.owners.set('db', 'first', 3));
    await until(() => chainState(one.world) === known);
  });

  it('[O1] shows an end, and only a look-up says that it is one', async () => {
    const one = await setting((owners) => owners.set('db', 'first', 3));
    await until(() => one.resolver.synced() && one.owners.watching);
    addPod(one, 'p', 'first');
    const first = one.owners.sets.get('db');
    if (first === undefined) throw new Error('there is one');
    one.owners.show('DELETED', first);
    await until(() => one.owners.looked.length > 0);
    await until(() => one.touched.length > 0);
    expect(chainState(one.world)).toBe(known);
    one.owners.sets.delete('db');
    one.owners.show('ADDED', first);
    one.owners.show('DELETED', first);
    await until(() => chainState(one.world) === gone);
  });
});

describe('a look-up under way', () => {
  it('[O1] [I4] does not make an owner gone that came meanwhile', async () => {
    const one = await setting();
    await until(() => one.resolver.synced());
    one.owners.held = [];
    addPod(one, 'old', 'first');
    await until(() => one.owners.held?.length === 1);
    const [answer] = one.owners.held;
    one.owners.held = undefined;
    one.owners.set('db', 'second', 2);
    addPod(one, 'new', 'second');
    answer?.();
    await until(() => chainState(one.world, 'old') === gone);
    await until(() => chainState(one.world, 'new') === known);
    expect(one.owners.looked.length).toBeGreaterThan(1);
  });

  it('[O1] is made once for all pods of an owner', async () => {
    const one = await setting((owners) => {
      owners.collectionFault = fail(403, 'Forbidden');
      owners.set('db', 'first', 3);
    });
    await until(() => one.resolver.synced());
    one.owners.held = [];
    addPod(one, 'p0', 'first');
    await until(() => one.owners.held?.length === 1);
    for (let i = 1; i < 5; i += 1) addPod(one, `p${i}`, 'first');
    one.owners.held[0]?.();
    await until(() => chainState(one.world, 'p4') === known);
    expect(one.owners.looked).toEqual(['db']);
  });
});

describe('what fails', () => {
  const faults = [
    ['the server fails', fail(503, 'ServiceUnavailable')],
    ['the server has too much to do', fail(429, 'TooManyRequests')],
    [
      'the kind is not there for the moment',
      (response: ServerResponse) => response.writeHead(404).end('404 page not found'),
    ],
    ['the answer is not about the object', fail(404, 'NotFound')],
    ['the answer makes no sense', (response: ServerResponse) => json(response, 200, { metadata: { name: 'db' } })],
    ['it is not ours to see', fail(403, 'Forbidden')],
  ] as const;
  it.each(faults)('[I4] leaves an owner unknown when %s, until it does not fail any more', async (_, fault) => {
    const one = await setting((owners) => {
      owners.objectFault = fault;
    });
    await until(() => one.resolver.synced());
    addPod(one, 'p', 'first');
    await until(() => one.owners.looked.length > 0);
    let seen = '';
    await until(() => {
      void one.metrics().then((text) => {
        seen = text;
      });
      return /lookups_total\{result="(failed|denied)"\}/.test(seen);
    });
    expect(chainState(one.world)).toBe(unknown);
    one.owners.objectFault = undefined;
    await until(() => chainState(one.world) === gone);
  });

  it('[I4] an API that cannot be discovered is not one that is not there', async () => {
    const one = await setting((owners) => {
      owners.discoveryFault = fail(503, 'ServiceUnavailable');
      owners.set('db', 'first', 3);
    });
    addPod(one, 'p', 'first');
    addPod(one, 'q', 'uid-q', 'absent');
    await until(() => one.server.asked.filter((path) => path === 'GET /apis/apps').length > 1);
    expect(one.resolver.synced()).toBe(false);
    expect([chainState(one.world, 'p'), chainState(one.world, 'q')]).toEqual([unknown, unknown]);
    one.owners.discoveryFault = undefined;
    await until(() => chainState(one.world, 'p') === known && chainState(one.world, 'q') === gone);
    await until(() => one.resolver.synced());
  });

  it('is not tried more often because pods come and go', async () => {
    const clock = new TestClock();
    const one = await setting((owners) => {
      owners.collectionFault = fail(403, 'Forbidden');
      owners.objectFault = fail(503, 'ServiceUnavailable');
    }, clock);
    const pass = async (ms: number, done: () => boolean) => {
      for (; !done(); await new Promise((resolve) => setTimeout(resolve, 1))) await clock.advance(ms);
    };
    await pass(10, () => one.resolver.synced());
    addPod(one, 'p', 'first');
    await pass(10, () => one.owners.looked.length === 1);
    let failures = 0;
    await pass(0, () => {
      void one.metrics().then((text) => {
        failures = Number(/lookups_total\{result="failed"\} (\d+)/.exec(text)?.[1] ?? 0);
      });
      return failures === 1;
    });
    for (let i = 0; i < 4; i += 1) {
      addPod(one, `p${i}`, 'first');
      await clock.advance(50);
    }
    expect(one.owners.looked).toEqual(['db']);
    await pass(10, () => one.owners.looked.length === 2);
  });
});

describe('a kind that may not be watched', () => {
  it('[P7] is looked up, and looked at again while a pod refers to it', async () => {
    const one = await setting((owners) => {
      owners.collectionFault = fail(403, 'Forbidden');
      owners.set('db', 'first', 3);
    });
    await until(() => one.resolver.synced());
    one.world.upsertPub(aPub('c', { targetRef: target, maxUnavailable: 1 }));
    one.resolver.wake();
    await until(() => pubNumbers(one.world, 'c')?.expected === 3);
    one.owners.set('db', 'first', 4);
    await until(() => pubNumbers(one.world, 'c')?.expected === 4);
    expect(one.log.filter(({ msg }) => String(msg).includes('cannot be watched'))).toMatchObject([
      { kind: 'apps/StatefulSet' },
    ]);
    one.owners.collectionFault = undefined;
    await until(() => one.owners.watching);
    const looked = one.owners.looked.length;
    one.owners.show('MODIFIED', one.owners.set('db', 'first', 5));
    await until(() => pubNumbers(one.world, 'c')?.expected === 5);
    expect(one.owners.looked.length).toBeLessThanOrEqual(looked + 1);
  });

  it('is not looked at when no pod refers to it any more', async () => {
    const one = await setting((owners) => {
      owners.collectionFault = fail(403, 'Forbidden');
      owners.set('db', 'first', 3);
      owners.set('other', 'other', 1);
    });
    await until(() => one.resolver.synced());
    addPod(one, 'p', 'first');
    addPod(one, 'q', 'other', 'other');
    await until(() => chainState(one.world, 'p') === known && chainState(one.world, 'q') === known);
    one.world.deletePod(ns, 'p');
    const count = (name: string) => one.owners.looked.filter((looked) => looked === name).length;
    const before = count('other');
    await until(() => count('other') > before + 1);
    expect(count('db')).toBe(1);
  });
});
