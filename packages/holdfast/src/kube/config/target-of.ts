import { readFile } from 'node:fs/promises';
import type { Clock } from '../time/clock.ts';
import type { ClientIdentity, ServerTarget } from '../transport/target.ts';
import { type Access, ConfigError, type Impersonation, type TextSource } from './access.ts';
import { ExecPlugin, type PluginCredentials } from './exec-plugin.ts';

/** The server that an access names, with an identity that is kept fresh. */
export function targetOf(access: Access, clock: Clock): ServerTarget {
  const { server, serverName, verify, proxy } = access;
  const wallet = new Wallet(access, clock);
  return { server, serverName, verify, proxy, identity: () => wallet.identity(), forget: () => wallet.forget() };
}

const noPlugin: PluginCredentials = { token: undefined, certificate: undefined, key: undefined, expiresAt: undefined };

class Wallet {
  readonly #access: Access;
  readonly #ca: FileText | undefined;
  readonly #certificate: FileText | undefined;
  readonly #key: FileText | undefined;
  readonly #token: FileText | undefined;
  readonly #plugin: ExecPlugin | undefined;

  constructor(access: Access, clock: Clock) {
    const file = (source: TextSource | undefined) => (source === undefined ? undefined : new FileText(source, clock));
    this.#access = access;
    this.#ca = file(access.ca);
    this.#certificate = file(access.user.certificate);
    this.#key = file(access.user.key);
    this.#token = file(access.user.token);
    this.#plugin = access.user.exec === undefined ? undefined : new ExecPlugin(access.user.exec, clock);
  }

  async identity(): Promise<ClientIdentity> {
    // No credentials are sent over plain HTTP, where they could be read on the way; kubectl sends none, either.
    if (this.#access.server.protocol === 'http:') {
      return { tls: { ca: undefined, certificate: undefined, key: undefined }, headers: {} };
    }
    const ca = await this.#ca?.read();
    const plugin = await this.#fromPlugin(ca);
    const certificate = plugin.certificate ?? (await this.#certificate?.read());
    const key = plugin.key ?? (await this.#key?.read());
    const token = (await this.#token?.read()) ?? plugin.token;
    return { tls: { ca, certificate, key }, headers: this.#headers(token) };
  }

  forget(): boolean {
    const files = [this.#ca, this.#certificate, this.#key, this.#token];
    for (const file of files) file?.forget();
    this.#plugin?.forget();
    return this.#plugin !== undefined || files.some((file) => file?.isFile === true);
  }

  #fromPlugin(ca: string | undefined): Promise<PluginCredentials> {
    const { server, serverName, verify } = this.#access;
    if (this.#plugin === undefined) return Promise.resolve(noPlugin);
    return this.#plugin.credentials({ server: server.href.replace(/\/$/, ''), serverName, verify, ca });
  }

  #headers(token: string | undefined): Record<string, string | readonly string[]> {
    const { basic, impersonate } = this.#access.user;
    const headers: Record<string, string | readonly string[]> = impersonate === undefined ? {} : asOther(impersonate);
    if (token !== undefined) headers['authorization'] = `Bearer ${printable(token.trim(), 'the token')}`;
    else if (basic !== undefined) {
      headers['authorization'] = `Basic ${Buffer.from(`${basic.username}:${basic.password}`).toString('base64')}`;
    }
    return headers;
  }
}

function asOther({ user, uid, groups, extra }: Impersonation): Record<string, string | readonly string[]> {
  const headers: Record<string, string | readonly string[]> = { 'impersonate-user': printable(user, 'the user') };
  if (uid !== undefined) headers['impersonate-uid'] = printable(uid, 'the uid');
  if (groups.length > 0) headers['impersonate-group'] = groups.map((group) => printable(group, 'a group'));
  for (const [key, values] of Object.entries(extra)) {
    const name = `impersonate-extra-${encodeURIComponent(key.toLowerCase())}`;
    headers[name] = values.map((value) => printable(value, 'an extra field'));
  }
  return headers;
}

function printable(text: string, what: string): string {
  if (!/^[\x20-\x7e]+$/.test(text))
    throw new ConfigError(`${what} is empty, or has characters that no header can have`);
  return text;
}

/** Tokens of service accounts are rotated long before they end; a minute late is early enough. */
const maxAgeMs = 60_000;

/** A text that may be a file which others rewrite. */
class FileText {
  readonly #source: TextSource;
  readonly #clock: Clock;
  #text: string | undefined;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(source: TextSource, clock: Clock) {
    this.#source = source;
    this.#clock = clock;
  }

  get isFile(): boolean {
    return this.#source.kind === 'file';
  }

  async read(): Promise<string> {
    if (this.#source.kind === 'inline') return this.#source.text;
    const now = this.#clock.monotonic();
    if (this.#text !== undefined && now - this.#readAt < maxAgeMs) return this.#text;
    try {
      this.#text = await readFile(this.#source.path, 'utf8');
      this.#readAt = now;
    } catch (error) {
      // A file is missing for a moment while it is replaced. What was read before may still be good.
      if (this.#text === undefined) throw error;
    }
    return this.#text;
  }

  /** Read again when it is asked for next. */
  forget(): void {
    this.#readAt = Number.NEGATIVE_INFINITY;
  }
}
