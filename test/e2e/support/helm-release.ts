import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { chartFolder, helm, withValuesFile } from '../../deploy/helm.ts';
import { builtCommand } from '../../support/built.ts';
import { made, type TestCluster } from '../../support/cluster.ts';
import { serviceAccountAccess } from '../../support/installed.ts';

/** A release of the chart, and the process that its Deployment would run: nodes of a test cluster start no containers. */
export class HelmRelease {
  readonly #cluster: TestCluster;
  readonly #folder = mkdtempSync(join(tmpdir(), 'holdfast-release-'));
  readonly #kubeconfig: string;
  readonly namespace: string;
  #operator: ChildProcess | undefined;
  /** What the operator said. */
  log = '';

  constructor(cluster: TestCluster, namespace: string) {
    this.#cluster = cluster;
    this.namespace = namespace;
    this.#kubeconfig = join(this.#folder, 'admin');
    writeFileSync(this.#kubeconfig, cluster.kubeconfig, { mode: 0o600 });
  }

  get kubeconfigPath(): string {
    return this.#kubeconfig;
  }

  /** Runs helm, which must succeed. */
  async helm(...args: readonly string[]): Promise<string> {
    const { status, stdout, stderr } = await helm([...args, '--namespace', this.namespace], {
      KUBECONFIG: this.#kubeconfig,
    });
    if (status !== 0) throw new Error(`helm ${args[0]} failed: ${stderr}${stdout}`);
    return stdout;
  }

  apply(command: 'install' | 'upgrade', values: unknown, ...more: readonly string[]): Promise<string> {
    return withValuesFile(values, (path) => this.helm(command, 'holdfast', chartFolder, '--values', path, ...more));
  }

  /** An upgrade to another version of the chart, in which one template is different. */
  applyOther(values: unknown, template: string, change: (text: string) => string): Promise<string> {
    const folder = join(this.#folder, 'chart');
    cpSync(chartFolder, folder, { recursive: true });
    const path = join(folder, `templates/${template}.yaml`);
    writeFileSync(path, change(readFileSync(path, 'utf8')));
    return withValuesFile(values, (file) => this.helm('upgrade', 'holdfast', folder, '--values', file));
  }

  /** With the arguments of the Deployment that is there now, as its service account, on a port of this machine. */
  async startOperator(port: number): Promise<void> {
    const deployment = await made(
      this.#cluster.request('GET', `/apis/apps/v1/namespaces/${this.namespace}/deployments/holdfast`),
    );
    const { args } = containerOf(deployment);
    const kubeconfig = join(this.#folder, 'operator');
    writeFileSync(kubeconfig, await this.#operatorKubeconfig(), { mode: 0o600 });
    const ports = [`--webhook-port=${port}`, '--health-port=0', `--kubeconfig=${kubeconfig}`];
    const env = { PATH: process.env['PATH'], POD_NAME: 'holdfast-test', POD_NAMESPACE: this.namespace };
    const child = spawn(process.execPath, [builtCommand, ...args, ...ports], { env });
    const hear = (chunk: unknown) => {
      this.log += String(chunk);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    this.#operator = child;
  }

  async #operatorKubeconfig(): Promise<string> {
    const { user } = await serviceAccountAccess(this.#cluster, { namespace: this.namespace, name: 'holdfast' });
    const token = user.token?.kind === 'inline' ? user.token.text : '';
    const { clusters } = parse(this.#cluster.kubeconfig) as {
      readonly clusters: readonly { readonly cluster: object }[];
    };
    return JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'a',
      contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
      clusters: [{ name: 'a', cluster: clusters[0]?.cluster }],
      users: [{ name: 'a', user: { token } }],
    });
  }

  async stopOperator(): Promise<void> {
    const child = this.#operator;
    this.#operator = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  }

  async close(): Promise<void> {
    await this.stopOperator();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function containerOf(deployment: unknown): { readonly args: readonly string[] } {
  const { spec } = deployment as {
    readonly spec: { readonly template: { readonly spec: { readonly containers: readonly { args: string[] }[] } } };
  };
  const [container] = spec.template.spec.containers;
  if (container === undefined) throw new Error('the Deployment has no container');
  return container;
}
