import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { UpProcess } from '../../../packages/holdfast/test/cli/up-process.ts';
import { ConnectionProxy } from '../../support/connection-proxy.ts';
import { accessFrom } from '../../support/kube-http.ts';

const mergePatch = 'application/merge-patch+json';

/** The demo of `npm start`, and a way to it that can be cut. */
export class Demo {
  /** Leads through `link`. */
  readonly kubeconfig: string;
  readonly link: ConnectionProxy;
  readonly #cluster: UpProcess;
  readonly #folder: string;

  private constructor(folder: string, cluster: UpProcess, link: ConnectionProxy, kubeconfig: string) {
    this.#folder = folder;
    this.#cluster = cluster;
    this.link = link;
    this.kubeconfig = kubeconfig;
  }

  static async start(): Promise<Demo> {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-ui-'));
    const cluster = await new UpProcess(folder, ['--port', '0', '--speed', '5', '--no-ui']).ready();
    const { server } = accessFrom(cluster.kubeconfig());
    const link = await ConnectionProxy.start({ server: new URL(server) });
    const kubeconfig = join(folder, 'through-the-link');
    writeFileSync(kubeconfig, cluster.kubeconfig().replaceAll(server, link.origin.origin));
    return new Demo(folder, cluster, link, kubeconfig);
  }

  /** A pod of the demo says that it is not ready, or that it is again. */
  async setReady(namespace: string, name: string, ready: boolean): Promise<void> {
    const annotations = { 'sim.holdfast.dev/ready': ready ? null : 'false' };
    const { code, text } = await this.#cluster.http.request('PATCH', `/api/v1/namespaces/${namespace}/pods/${name}`, {
      body: { metadata: { annotations } },
      contentType: mergePatch,
    });
    if (code !== 200) throw new Error(text);
  }

  async nodeOf(namespace: string, name: string): Promise<string> {
    const { body } = await this.#cluster.http.request('GET', `/api/v1/namespaces/${namespace}/pods/${name}`);
    return String(body.spec['nodeName']);
  }

  /** `holdfast drain` in a terminal; resolves with its exit code. */
  drain(node: string): Promise<number | null> {
    const args = ['drain', node, '--ignore-daemonsets', '--delete-emptydir-data', '--kubeconfig', this.kubeconfig];
    const child = spawn(process.execPath, [resolve('dist/holdfast.js'), ...args], { stdio: 'ignore' });
    return new Promise((done) => child.on('close', done));
  }

  async uncordon(node: string): Promise<void> {
    await this.#cluster.http.request('PATCH', `/api/v1/nodes/${node}`, {
      body: { spec: { unschedulable: null } },
      contentType: mergePatch,
    });
  }

  async stop(): Promise<void> {
    await this.link.close();
    await this.#cluster.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
