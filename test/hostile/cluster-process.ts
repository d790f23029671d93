import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Access, accessFrom, KubeHttp } from '../support/kube-http.ts';

export interface ToServer {
  readonly want: 'inspection';
}

export type FromServer =
  | { readonly is: 'ready'; readonly kubeconfig: string }
  | { readonly is: 'problem'; readonly text: string }
  | Inspection;

export interface Inspection {
  readonly is: 'inspection';
  readonly usedBytes: number;
  /** That are open. */
  readonly connections: number;
  /** Properties that were added to the prototype of all objects. */
  readonly sharedProperties: readonly string[];
}

/** A running cluster to be rude to, and a polite client of it. */
export interface ClusterProcess {
  readonly access: Access;
  readonly http: KubeHttp;
  inspect(): Promise<Inspection>;
  /** Fails where the server made mistakes of its own, or died. */
  close(): Promise<void>;
}

export async function startClusterProcess(): Promise<ClusterProcess> {
  const script = fileURLToPath(new URL('./server/run.ts', import.meta.url));
  const child = fork(script, { execArgv: ['--expose-gc', '--import', 'tsx'] });
  const problems: string[] = [];
  child.on('message', (message: FromServer) => {
    if (message.is === 'problem') problems.push(message.text);
  });
  const ready = await next(child, 'ready');
  const access = accessFrom(ready.kubeconfig);
  const http = new KubeHttp(access);
  return {
    access,
    http,
    async inspect() {
      const answer = next(child, 'inspection');
      child.send({ want: 'inspection' } satisfies ToServer);
      return answer;
    },
    async close() {
      http.close();
      const { exitCode, signalCode } = child;
      if (exitCode !== null || signalCode !== null) throw new Error(`the server died: ${exitCode ?? signalCode}`);
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.disconnect();
      await gone;
      if (problems.length > 0) throw new Error(`the server made mistakes of its own:\n${problems.join('\n')}`);
    },
  };
}

function next<Kind extends FromServer['is']>(
  child: ChildProcess,
  kind: Kind,
): Promise<Extract<FromServer, { is: Kind }>> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) => reject(new Error(`the server died: ${code}`));
    const onMessage = (message: FromServer) => {
      if (message.is !== kind) return;
      child.off('message', onMessage);
      child.off('exit', onExit);
      resolve(message as Extract<FromServer, { is: Kind }>);
    };
    child.on('message', onMessage);
    child.once('exit', onExit);
  });
}
