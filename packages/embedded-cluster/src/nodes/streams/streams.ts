import type { Duplex } from 'node:stream';
import type { PodObject } from '../../controllers/common/workloads.ts';
import { ApiError, badRequest, internalError, noSuchPath, notFound } from '../../errors.ts';
import type { Answer, Exchange } from '../../http/exchange.ts';
import { isTrue } from '../../http/request-info.ts';
import type { KubeObject } from '../../objects.ts';
import { mutated, type Registry, stored, type Target, validated } from '../../registry/registry.ts';
import type { View } from '../../view.ts';
import { isDown } from '../annotations.ts';
import { chosenContainer } from '../pods/pod-containers.ts';
import { canExec, type ExecRequest, handleExec } from './exec-socket.ts';
import { statusOfContainer } from './log.ts';
import { followLog } from './log-follower.ts';
import { logAnswer, readLogQuery } from './log-request.ts';

const pods = { group: '', resource: 'pods' };

/** `GET pods/NAME/log`. */
export function createLogHandler(view: View): (exchange: Exchange, target: Target) => Promise<Answer> {
  return async (exchange, target) => {
    const pod = view.get<PodObject>('pods', target.namespace, target.name);
    if (!pod) throw notFound(pods, target.name);
    const query = readLogQuery(exchange.query, target.name);
    const container = chosenContainer(pod, query.container);
    checkReachable(pod, view.get('nodes', '', pod.spec.nodeName ?? ''));
    const text = logAnswer(pod, container, query.options);
    if (!query.follow) return { code: 200, body: text, contentType: 'text/plain' };
    followLog({ view, pod, container, options: query.options, already: text }, exchange.response);
    return 'streaming';
  };
}

type Upgrade = Omit<Exchange, 'response'>;

/** Upgraded connections: `pods/NAME/exec`, and nothing else. */
export function createExecHandler(
  registry: Registry,
): (exchange: Upgrade, socket: Duplex, head: Buffer) => Promise<void> {
  return async (exchange, socket, head) => {
    const { info, request } = exchange;
    const type = registry.types.find(info.group, info.version, info.resource);
    if (!type || info.rest !== '' || info.name === '' || !type.subresources.has(info.subresource)) throw noSuchPath();
    const target: Target = { type, namespace: info.namespace, name: info.name };
    if (type.key !== 'pods' || info.subresource !== 'exec') throw badRequest('this connection cannot be upgraded');
    const pod = stored(registry, target)?.object as PodObject | undefined;
    if (!pod) throw notFound(pods, info.name);
    const exec = readExec(exchange.query, pod);
    await admit(registry, exchange, target, exec);
    checkReachable(pod, registry.store.get('nodes', pod.spec.nodeName ?? '')?.object);
    checkRunning(pod, exec.container);
    // Last, because kubectl shows the refusal of its second try, with a protocol that we do not speak.
    if (!canExec(request)) {
      throw badRequest('unable to upgrade: only WebSockets with v5.channel.k8s.io or v4.channel.k8s.io are understood');
    }
    handleExec(request, socket, head, exec);
  };
}

function readExec(query: URLSearchParams, pod: PodObject): ExecRequest {
  const command = query.getAll('command');
  if (command.length === 0) throw badRequest('you must specify at least 1 command for the container');
  const flag = (name: string) => isTrue(query.get(name));
  return {
    pod,
    container: chosenContainer(pod, query.get('container') ?? ''),
    command,
    stdin: flag('stdin'),
    stdout: flag('stdout'),
    stderr: flag('stderr'),
    tty: flag('tty'),
  };
}

async function admit(registry: Registry, exchange: Upgrade, target: Target, exec: ExecRequest): Promise<void> {
  const { stdin, stdout, stderr, tty, container, command } = exec;
  const object = { kind: 'PodExecOptions', apiVersion: 'v1', stdin, stdout, stderr, tty, container, command };
  const parts = {
    operation: 'CONNECT' as const,
    target,
    subresource: 'exec',
    kind: { group: '', version: 'v1', kind: 'PodExecOptions' },
    // Options of a connection have no metadata; nothing on this way reads any.
    object: object as unknown as KubeObject,
    oldObject: undefined,
    context: {
      user: exchange.user,
      dryRun: false,
      fieldManager: '',
      fieldValidation: 'Ignore' as const,
      warnings: exchange.warnings,
      options: {},
    },
  };
  await mutated(registry, parts, 'v1');
  await validated(registry, parts);
}

function checkReachable(pod: PodObject, node: KubeObject | undefined): void {
  if (!node || !isDown(node)) return;
  const message = `error dialing backend: dial tcp ${pod.status?.hostIP ?? ''}:10250: i/o timeout`;
  throw new ApiError({ code: 500, message });
}

function checkRunning(pod: PodObject, container: string): void {
  if (!pod.spec.nodeName) throw badRequest(`pod ${pod.metadata.name} does not have a host assigned`);
  if (statusOfContainer(pod, container)?.state?.running) return;
  throw internalError(`unable to upgrade connection: container not found ("${container}")`);
}
