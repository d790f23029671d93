import { generateKeyPairSync } from 'node:crypto';
import type { Duplex } from 'node:stream';
import {
  adminUser,
  type ControlPlane,
  type LoadReport,
  type Pace,
  startInProcessCluster,
  type User,
} from '@holdfast/embedded-cluster';
import { seededRandom, type VirtualClock } from '@holdfast/embedded-cluster/time';
import { agentUser, operatorUser } from '../../api/installation-names.ts';
import { defaultInstallValues } from '../../install/index.ts';
import { createClients } from '../../kube/client/clients.ts';
import type { Clock } from '../../kube/time/clock.ts';
import type { Random } from '../../kube/time/random.ts';
import { Connection } from '../../kube/transport/connection.ts';
import type { ServerTarget } from '../../kube/transport/target.ts';
import type { Session } from '../../observe/session.ts';
import { createLogger } from '../../telemetry/log.ts';
import { sessionLimit } from '../live/session.ts';
import type { LoadedObject } from '../load-objects.ts';
import { prepareContent } from '../up/up-content.ts';
import { linkTo } from './link.ts';
import { simulatedProber } from './prober.ts';
import { createProtection } from './protection.ts';

export interface StageTerms {
  readonly clock: VirtualClock;
  readonly seed: number;
  /** Complete: every node that a pod names, every owner. */
  readonly snapshot: readonly LoadedObject[];
  /** Pods, by uid, that said by their probe that they cannot be lost. */
  readonly vetoes: ReadonlySet<string>;
  readonly pace: Pace;
  /** What no part of the simulation should have met. */
  readonly report: (problem: string) => void;
}

/** A cluster with its protection, and a client that may do everything in it. */
export interface Stage {
  readonly plane: ControlPlane;
  readonly session: Session;
  readonly random: Random;
  readonly loaded: LoadReport | undefined;
  /** Resolves when everything is judged. */
  protect(): Promise<void>;
  close(): Promise<void>;
}

const values = defaultInstallValues;
const administratorLimit = { perSecond: 1_000, burst: 1_000, concurrent: 10, waiting: 1_000 };

/** Each part draws from a sequence of its own, so that one more draw of one does not change what happens to the others. */
function randomOf(seed: number, part: number): Random {
  const random = seededRandom(Math.imul(seed + 1, 0x9e3779b1) ^ part);
  return () => random.next();
}

export async function openStage(terms: StageTerms): Promise<Stage> {
  const { clock, seed, snapshot, pace, report } = terms;
  let loaded: LoadReport | undefined;
  const users = usersOf();
  const clusterRandom = randomOf(seed, 1);
  const cluster = await startInProcessCluster({
    clock,
    random: { next: clusterRandom },
    tokens: new Map(Object.entries(users)),
    pace,
    connectWebhook: () => linkTo((end) => protection.accept(end)),
    signingKey: newKey(),
    async prepare(plane) {
      loaded = await prepareContent(plane, { snapshot, nodes: 0, operator: true });
    },
    report: (message, error) => report(`${message}: ${error instanceof Error ? error.message : String(error)}`),
  });
  const accept = (end: Duplex) => cluster.api.accept(end);
  const connections = new Set<Connection>();
  const clientAs = (token: string, limit: typeof sessionLimit) => {
    const connection = new Connection(
      targetAs(token, () => linkTo(accept)),
      { clock, userAgent: 'holdfast' },
    );
    connections.add(connection);
    return createClients(connection, { client: limit }, clock).client;
  };
  const protection = createProtection({
    values,
    clock,
    random: randomOf(seed, 2),
    log: logBy(clock, report),
    operator: targetAs('operator', () => linkTo(accept)),
    agent: targetAs('agent', () => linkTo(accept)),
    administrator: clientAs('administrator', administratorLimit),
    prober: simulatedProber(cluster.plane.view, terms.vetoes, uidsOf(snapshot)),
  });
  const { signal } = new AbortController();
  const client = clientAs('administrator', sessionLimit);
  return {
    plane: cluster.plane,
    session: { client, clock, signal, namespace: 'default', call: { signal } },
    random: randomOf(seed, 3),
    loaded,
    protect: () => protection.start(),
    async close() {
      await protection.stop();
      for (const connection of connections) connection.close();
      await cluster.close();
    },
  };
}

/** By token: within one process there is no attacker who could guess it. */
function usersOf(): Readonly<Record<string, User>> {
  const { namespace } = values;
  const account = (name: string): User => ({
    name,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  });
  return {
    administrator: adminUser,
    operator: account(operatorUser(namespace)),
    agent: account(agentUser(namespace)),
  };
}

/** An API server that is reached without a network, as the user whom this token names. */
export function targetAs(token: string, connect: () => Duplex): ServerTarget {
  const tls = { ca: undefined, certificate: undefined, key: undefined };
  return {
    server: new URL('http://simulation'),
    serverName: undefined,
    verify: false,
    identity: async () => ({ tls, headers: { authorization: `Bearer ${token}` } }),
    forget: () => false,
    connect,
  };
}

/** An API server has one; no token is signed with it here. */
function newKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function logBy(clock: Clock, report: (problem: string) => void) {
  return createLogger({ level: 'error', format: 'text', write: (line) => report(line.trim()), now: () => clock.now() });
}

function uidsOf(snapshot: readonly LoadedObject[]): ReadonlySet<string> {
  return new Set(snapshot.map(({ metadata }) => String(metadata['uid'] ?? '')));
}
