import { type ChildProcess, spawn } from 'node:child_process';
import { parse, stringify } from 'yaml';
import { accessOf, parseKubeconfig } from '../../../packages/holdfast/src/kube/config/kubeconfig.ts';
import { kubeconfigFile } from '../../../packages/holdfast/test/cli/live/support.ts';
import { ApiProxy } from '../../support/api-proxy.ts';
import { builtCommand, ensureBuilt } from '../../support/built.ts';

ensureBuilt();

export interface Result {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** `holdfast` as a person runs it, in another process: the server may be in this one. */
export class HoldfastProcess {
  readonly ended: Promise<Result>;
  readonly #child: ChildProcess;
  #out = '';
  #err = '';

  constructor(kubeconfig: string, ...args: readonly string[]) {
    const { NO_COLOR: _, ...env } = process.env;
    this.#child = spawn(process.execPath, [builtCommand, ...args], {
      env: { ...env, KUBECONFIG: kubeconfigFile(kubeconfig) },
    });
    this.#child.stdout?.on('data', (chunk) => {
      this.#out += String(chunk);
    });
    this.#child.stderr?.on('data', (chunk) => {
      this.#err += String(chunk);
    });
    this.ended = new Promise((done) => {
      this.#child.on('close', (code) => done({ code, out: this.#out, err: this.#err }));
    });
  }

  get out(): string {
    return this.#out;
  }

  interrupt(): Promise<Result> {
    this.#child.kill('SIGINT');
    return this.ended;
  }
}

export function holdfast(kubeconfig: string, ...args: readonly string[]): Promise<Result> {
  return new HoldfastProcess(kubeconfig, ...args).ended;
}

/** The same user, by way of a proxy that sees and changes what is asked. The user must have a token. */
export async function throughProxy(
  kubeconfig: string,
): Promise<{ readonly proxy: ApiProxy; readonly kubeconfig: string }> {
  const access = accessOf(parseKubeconfig(kubeconfig, '/'), undefined);
  const proxy = await ApiProxy.start(access);
  const { server, ca } = proxy.through(access);
  const config = parse(kubeconfig) as { clusters: { name: string }[] };
  const authority = Buffer.from(ca?.kind === 'inline' ? ca.text : '').toString('base64');
  const cluster = { server: server.origin, 'certificate-authority-data': authority };
  const clusters = config.clusters.map(({ name }) => ({ name, cluster }));
  return { proxy, kubeconfig: stringify({ ...config, clusters }) };
}
