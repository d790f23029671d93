import { execFile } from 'node:child_process';
import { type Fields, isObject } from '@holdfast/base/json';
import type { Clock } from '../time/clock.ts';
import { ConfigError, type ExecSettings } from './access.ts';
import { fieldsOf, textOf } from './fields.ts';

export interface PluginCredentials {
  readonly token: string | undefined;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
  /** Milliseconds since 1970. Undefined: until the server refuses them. */
  readonly expiresAt: number | undefined;
}

/** What a plugin is told of the cluster, if its settings say so. */
export interface PluginCluster {
  readonly server: string;
  readonly serverName: string | undefined;
  readonly verify: boolean;
  readonly ca: string | undefined;
}

const timeoutMs = 60_000;
const maxOutputBytes = 1024 * 1024;
const maxQuoted = 500;
/** Credentials that end while a request is under way are no use. */
const leewayMs = 10_000;

/** Credentials that a program provides, kept until they expire or are refused. */
export class ExecPlugin {
  readonly #settings: ExecSettings;
  readonly #clock: Clock;
  #kept: Promise<PluginCredentials> | undefined;

  constructor(settings: ExecSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** Those who ask at the same time share one run. Throws a ConfigError. */
  async credentials(cluster: PluginCluster): Promise<PluginCredentials> {
    const kept = this.#kept;
    if (kept !== undefined) {
      const { expiresAt } = await kept;
      if (expiresAt === undefined || this.#clock.now() < expiresAt - leewayMs) return kept;
      if (this.#kept === kept) this.#kept = undefined;
    }
    this.#kept ??= this.#run(cluster);
    return this.#kept;
  }

  forget(): void {
    this.#kept = undefined;
  }

  async #run(cluster: PluginCluster): Promise<PluginCredentials> {
    try {
      return parseExecCredential(await runPlugin(this.#settings, cluster, this.#clock), this.#settings.apiVersion);
    } catch (error) {
      this.#kept = undefined;
      const hint = this.#settings.installHint;
      const message = error instanceof Error ? error.message : String(error);
      throw new ConfigError(
        `exec plugin ${this.#settings.command}: ${message}${hint === undefined ? '' : `\n${hint}`}`,
      );
    }
  }
}

function runPlugin(settings: ExecSettings, cluster: PluginCluster, clock: Clock): Promise<string> {
  return new Promise((resolve, reject) => {
    const late = new AbortController();
    const timer = clock.after(timeoutMs, () => late.abort());
    const env = { ...process.env, ...settings.env, KUBERNETES_EXEC_INFO: JSON.stringify(execInfo(settings, cluster)) };
    const options = { env, maxBuffer: maxOutputBytes, signal: late.signal };
    const child = execFile(settings.command, [...settings.args], options, (error, stdout, stderr) => {
      timer.cancel();
      if (error === null) resolve(stdout);
      else
        reject(
          new Error(`${late.signal.aborted ? 'took too long' : error.message}: ${stderr.slice(0, maxQuoted).trim()}`),
        );
    });
    child.stdin?.end();
  });
}

function execInfo(settings: ExecSettings, cluster: PluginCluster): object {
  const about = {
    server: cluster.server,
    ...(cluster.serverName === undefined ? {} : { 'tls-server-name': cluster.serverName }),
    ...(cluster.verify ? {} : { 'insecure-skip-tls-verify': true }),
    ...(cluster.ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(cluster.ca).toString('base64') }),
  };
  const spec = { interactive: false, ...(settings.provideClusterInfo ? { cluster: about } : {}) };
  return { apiVersion: settings.apiVersion, kind: 'ExecCredential', spec };
}

/** Reads what a plugin printed. Throws. */
export function parseExecCredential(text: string, apiVersion: string): PluginCredentials {
  const value = parseJson(text);
  if (!isObject(value) || value['kind'] !== 'ExecCredential') throw new ConfigError('printed no ExecCredential');
  if (value['apiVersion'] !== apiVersion) {
    throw new ConfigError(`printed ${String(value['apiVersion'])} and was asked for ${apiVersion}`);
  }
  const status = fieldsOf(value, 'status') ?? {};
  const token = textOf(status, 'token');
  const certificate = textOf(status, 'clientCertificateData');
  const key = textOf(status, 'clientKeyData');
  if ((certificate === undefined) !== (key === undefined)) {
    throw new ConfigError('printed only one of certificate and key');
  }
  if (token === undefined && certificate === undefined) throw new ConfigError('printed neither token nor certificate');
  return { token, certificate, key, expiresAt: expiryOf(status) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ConfigError('printed something that is not JSON');
  }
}

function expiryOf(status: Fields): number | undefined {
  const text = textOf(status, 'expirationTimestamp');
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new ConfigError(`printed an expirationTimestamp that is not a time: ${text}`);
  return time;
}
