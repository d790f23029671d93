import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AddOn } from './add-ons.ts';
import type { Credentials } from './credentials.ts';
import type { Wish } from './keeper.ts';
import { workloadFlags } from './kubernetes-version.ts';
import { testbedFolder } from './modules.ts';
import { type ProgramKey, programs } from './programs.ts';

/** Where things of one test bed are. */
export interface Site {
  readonly folder: string;
  readonly programs: Readonly<Partial<Record<ProgramKey, string>>>;
  readonly credentials: Credentials;
  readonly ports: Ports;
  /** Of Kubernetes. */
  readonly version: string;
  readonly kruiseFeatureGates?: string;
  /** A file: how the API server proves itself to webhooks, among others. */
  readonly admissionConfig?: string;
  /** Where real nodes find the API server. Undefined: nodes are simulated, and everything is on loopback. */
  readonly controlPlaneAddress?: string;
}

export interface Ports {
  readonly api: number;
  readonly etcd: number;
  readonly etcdPeer: number;
  readonly controllerManager: number;
  readonly scheduler: number;
  readonly kwok: number;
  readonly lws: number;
  readonly jobset: number;
  readonly kruise: number;
}

const host = '127.0.0.1';
/** The certificate of the API server names the first address of it. */
export const serviceRange = '10.96.0.0/16';

export function auditLogOf(folder: string): string {
  return join(folder, 'audit.log');
}

function wish(site: Site, key: ProgramKey, args: readonly string[]): Wish {
  const { name } = programs[key];
  const path = site.programs[key];
  if (path === undefined) throw new Error(`${name} was not asked for`);
  return { name, path, args, log: join(site.folder, `${name}.log`) };
}

/** Its data is gone with the test bed, so nothing waits for the disk. */
export function etcd(site: Site): Wish {
  const client = `http://${host}:${site.ports.etcd}`;
  const peer = `http://${host}:${site.ports.etcdPeer}`;
  return wish(site, 'etcd', [
    `--data-dir=${join(site.folder, 'etcd')}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    '--unsafe-no-fsync',
    '--quota-backend-bytes=4294967296',
    '--log-level=warn',
  ]);
}

export function apiServer(site: Site): Wish {
  const file = (name: string) => join(site.credentials.folder, name);
  const asked = wish(site, 'apiServer', [
    `--etcd-servers=http://${host}:${site.ports.etcd}`,
    ...listening(site, 'api', 'api'),
    ...forRealNodes(site),
    `--tls-cert-file=${file('server.crt')}`,
    `--tls-private-key-file=${file('server.key')}`,
    `--client-ca-file=${file('ca.crt')}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${file('sa.pub')}`,
    `--service-account-signing-key-file=${file('sa.key')}`,
    `--service-cluster-ip-range=${serviceRange}`,
    '--authorization-mode=Node,RBAC',
    '--allow-privileged=true',
    ...workloadFlags(site.version),
    ...(site.admissionConfig === undefined ? [] : [`--admission-control-config-file=${site.admissionConfig}`]),
    `--audit-policy-file=${join(testbedFolder, 'config/audit-policy.yaml')}`,
    `--audit-log-path=${auditLogOf(site.folder)}`,
    '--audit-log-mode=blocking',
  ]);
  return site.controlPlaneAddress === undefined ? asked : { ...asked, restarts: true };
}

/** Kubelets register and are asked for logs; what they may do is limited to their own node, as clusters have it. */
function forRealNodes({ controlPlaneAddress, credentials }: Site): string[] {
  if (controlPlaneAddress === undefined) return [];
  return [
    // The last one counts.
    '--bind-address=0.0.0.0',
    `--advertise-address=${controlPlaneAddress}`,
    '--enable-admission-plugins=NodeRestriction',
    '--kubelet-preferred-address-types=InternalIP',
    `--kubelet-client-certificate=${join(credentials.folder, 'admin.crt')}`,
    `--kubelet-client-key=${join(credentials.folder, 'admin.key')}`,
  ];
}

export function controllerManager(site: Site): Wish {
  return wish(site, 'controllerManager', [
    ...ofTheControlPlane(site, 'controller-manager'),
    ...listening(site, 'controllerManager', 'controller-manager'),
    `--service-account-private-key-file=${join(site.credentials.folder, 'sa.key')}`,
    `--root-ca-file=${join(site.credentials.folder, 'ca.crt')}`,
    // Each controller as its own user, as clusters run it: Holdfast tells them apart.
    '--use-service-account-credentials=true',
  ]);
}

export function scheduler(site: Site): Wish {
  const more = listening(site, 'scheduler', 'scheduler');
  return wish(site, 'scheduler', [...ofTheControlPlane(site, 'scheduler'), ...more]);
}

/** Plays the kubelets of all nodes. */
export function kwok(site: Site): Wish {
  return wish(site, 'kwok', [
    `--kubeconfig=${site.credentials.kubeconfig('kwok')}`,
    `--config=${join(testbedFolder, 'config/stages.yaml')}`,
    '--manage-all-nodes=true',
    '--node-lease-duration-seconds=40',
    `--server-address=${host}:${site.ports.kwok}`,
  ]);
}

export function addOnManager(site: Site, addOn: AddOn): Wish {
  const { key, settings } = addOn;
  const certDir = join(site.folder, `${key}-certificates`);
  mkdirSync(certDir, { recursive: true, mode: 0o700 });
  if (settings.by === 'environment') return kruiseManager(site, addOn, certDir);
  for (const kind of ['crt', 'key']) {
    copyFileSync(join(site.credentials.folder, `server.${kind}`), join(certDir, `tls.${kind}`));
  }
  const config = join(site.folder, `${key}.json`);
  writeFileSync(config, JSON.stringify(configurationOf(settings.apiVersion, site.ports[key], certDir)));
  return wish(site, key, [`--config=${config}`, `--kubeconfig=${site.credentials.kubeconfig(key)}`]);
}

/** It has no pod and no service here: its certificates are files, and its webhooks listen on loopback. */
function configurationOf(apiVersion: string, port: number, certDir: string): object {
  return {
    apiVersion,
    kind: 'Configuration',
    webhook: { host, port, certDir },
    leaderElection: { leaderElect: false },
    internalCertManagement: { enable: false },
    metrics: { bindAddress: '0' },
    health: { healthProbeBindAddress: '0' },
    clientConnection: { qps: 500, burst: 1000 },
  };
}

/**
 * It makes certificates of its own for the host that it is told, and registers them. Feature gates, unless they are given, and the limits
 * of its client are left as they come, because comparisons are with what people run; of several managers, which elect a leader, there is one.
 */
function kruiseManager(site: Site, { key, namespace }: AddOn, certDir: string): Wish {
  const args = [
    `--kubeconfig=${site.credentials.kubeconfig(key)}`,
    '--enable-leader-election=false',
    '--enable-pprof=false',
    '--metrics-addr=0',
    '--health-probe-addr=0',
    ...(site.kruiseFeatureGates === undefined ? [] : [`--feature-gates=${site.kruiseFeatureGates}`]),
  ];
  const env = {
    POD_NAMESPACE: namespace,
    WEBHOOK_HOST: host,
    WEBHOOK_PORT: String(site.ports[key]),
    WEBHOOK_CERT_DIR: certDir,
  };
  return { ...wish(site, key, args), env };
}

function listening(site: Site, port: keyof Ports, name: string): string[] {
  return [
    `--secure-port=${site.ports[port]}`,
    `--bind-address=${host}`,
    `--cert-dir=${join(site.folder, 'generated', name)}`,
  ];
}

/** With the default limits of their clients, StatefulSets are several times slower than the API allows. */
function ofTheControlPlane(site: Site, identity: 'controller-manager' | 'scheduler'): string[] {
  return [
    `--kubeconfig=${site.credentials.kubeconfig(identity)}`,
    '--leader-elect=false',
    '--kube-api-qps=500',
    '--kube-api-burst=1000',
  ];
}
