import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { relative } from 'node:path';
import type { Access } from '../../../packages/holdfast/src/kube/config/access.ts';
import { addNode } from '../../e2e/support/nodes.ts';
import { pdb, pod, podGroup } from '../../e2e/support/objects.ts';
import { conditionOf, type Scene, sceneIn } from '../../e2e/support/scene.ts';
import { waitUntil } from '../../e2e/support/wait.ts';
import { ApiProxy, type Fate, pass } from '../../support/api-proxy.ts';
import { type ProtectedCluster, protectedCluster } from '../../support/protected-cluster.ts';
import type { FromOperator, ToOperator } from './messages.ts';

/** A source file of which a function ran, and those functions. */
export type Walk = ReadonlyMap<string, ReadonlySet<string>>;

/** Each takes a pod of a gang of its own. */
const counted = 8;
/** One eviction comes before those that count, and creates the ledger; one gang stays, as the budget asks for. */
const gangs = counted + 2;

/**
 * The source files that one eviction passes: allowed by a PodDisruptionBudget that counts gangs, and taken over. A real operator, alone
 * in its process, is asked by the embedded API server, and V8 counts which of its functions run from the POST of the Eviction to its
 * answer.
 *
 * Three things keep the operator's other work out. The watches carry nothing meanwhile, so what the deletion sets off in reflectors and
 * controllers does not run. Events are recorded and not sent. And only what ran in each of several evictions counts: a lease that was renewed beside one of them was not
 * renewed beside all.
 */
export async function walkOfOneEviction(): Promise<Walk> {
  const cluster = await protectedCluster({ replicas: 0 });
  const proxy = await ApiProxy.start(cluster.operatorAccess);
  const operator = new OperatorProcess();
  const held = heldBack();
  try {
    cluster.balancer.add(await operator.start(proxy.through(cluster.operatorAccess), cluster.operatorNamespace));
    const scene = await gangsUnderOneBudget(cluster);
    proxy.stallWatches();
    // The operator records an event and does not wait until it is sent.
    proxy.fate = ({ method, path }) => (method === 'POST' && path.endsWith('/events') ? held.promise : pass);
    await evict(scene, 0);
    const walks: Walk[] = [];
    for (let gang = 1; gang <= counted; gang += 1) {
      await operator.reset();
      await evict(scene, gang);
      walks.push(await operator.ran());
    }
    return inAll(walks);
  } finally {
    held.letGo();
    await operator.kill();
    await cluster.close();
    await proxy.close();
  }
}

function heldBack(): { readonly promise: Promise<Fate>; letGo(): void } {
  let letGo = () => {};
  const promise = new Promise<Fate>((resolve) => {
    letGo = () => resolve(pass);
  });
  return { promise, letGo: () => letGo() };
}

async function gangsUnderOneBudget(cluster: ProtectedCluster): Promise<Scene> {
  const scene = await sceneIn(cluster);
  const node = await addNode(cluster, 'any');
  const numbers = Array.from({ length: gangs }, (_, gang) => gang);
  await scene.apply(...numbers.map((gang) => podGroup(`g${gang}`, 2, 'v1beta1')));
  const member = (gang: number, number: number) =>
    pod(`g${gang}-${number}`, { node, spec: { schedulingGroup: { podGroupName: `g${gang}` } } });
  await scene.addPods(...numbers.flatMap((gang) => [member(gang, 0), member(gang, 1)]));
  await scene.apply(pdb('workers', { minAvailable: 1 }));
  await waitUntil(
    'the operator has seen the budget',
    () => cluster.request('GET', `/apis/policy/v1/namespaces/${scene.namespace}/poddisruptionbudgets/workers`),
    ({ body }) => conditionOf(body, 'holdfast.dev/GroupBudget')?.message.includes(`${gangs} groups available`) === true,
  );
  return scene;
}

/** Asked once: a second try would be counted as well. */
async function evict({ cluster, namespace }: Scene, gang: number): Promise<void> {
  const name = `g${gang}-0`;
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
  const answer = await cluster.request('POST', `/api/v1/namespaces/${namespace}/pods/${name}/eviction`, { body });
  if (answer.code !== 201) throw new Error(`the eviction of ${name} was answered ${JSON.stringify(answer)}`);
}

function inAll([first, ...others]: readonly Walk[]): Walk {
  const always = [...(first ?? [])].map(([file, names]): [string, ReadonlySet<string>] => {
    return [file, new Set([...names].filter((name) => others.every((walk) => walk.get(file)?.has(name) === true)))];
  });
  return new Map(always.filter(([, names]) => names.size > 0).sort(([a], [b]) => (a < b ? -1 : 1)));
}

class OperatorProcess {
  readonly #child: ChildProcess;

  constructor() {
    const program = new URL('./operator.process.ts', import.meta.url);
    this.#child = fork(program, { execArgv: ['--import', import.meta.resolve('tsx')] });
  }

  /** The port of its webhooks, once it is ready. */
  async start(access: Access, namespace: string): Promise<number> {
    const answer = await this.#ask({ kind: 'start', access: { ...access, server: access.server.href }, namespace });
    return answer.kind === 'ready' ? answer.port : 0;
  }

  async reset(): Promise<void> {
    await this.#ask({ kind: 'reset' });
  }

  /** Since the last `reset`. */
  async ran(): Promise<Walk> {
    const answer = await this.#ask({ kind: 'take' });
    const files = answer.kind === 'ran' ? answer.files : [];
    return new Map(files.map(([file, names]) => [roomPath(file), new Set(names)] as const).filter(isOurs));
  }

  async kill(): Promise<void> {
    const ended = once(this.#child, 'exit');
    if (this.#child.kill('SIGKILL')) await ended;
  }

  async #ask(message: ToOperator): Promise<FromOperator> {
    const answer = once(this.#child, 'message');
    this.#child.send(message);
    const [first] = (await answer) as [FromOperator];
    return first;
  }
}

/** `operator/admission/admit.ts`, and `base/json.ts` for what is shared with the embedded cluster. */
function roomPath(file: string): string {
  return relative('packages', file)
    .replace(/^holdfast\/src\//, '')
    .replace(/^base\/src\//, 'base/');
}

function isOurs([file]: readonly [string, unknown]): boolean {
  return !file.startsWith('..');
}
