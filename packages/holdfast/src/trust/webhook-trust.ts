import { webhookPaths } from '../api/installation-names.ts';
import { caBundleOf } from './apply-step.ts';
import { bare, type CalledPath, joinPath, splitPath } from './path-segments.ts';
import { readBundle } from './read-certificates.ts';
import type { CertificateFacts } from './rotation-plan.ts';

export interface CalledAt {
  readonly caBundle?: string;
  readonly url?: string;
  readonly service?: { readonly path?: string };
}

/** As much of a webhook configuration as trust is about: whom API servers trust, and the path that proves them to us. */
export interface TrustingConfiguration {
  readonly webhooks?: readonly { readonly clientConfig: CalledAt }[];
}

/** What each webhook trusts now. */
export function bundlesOf({ webhooks = [] }: TrustingConfiguration): readonly (readonly CertificateFacts[])[] {
  return webhooks.map(({ clientConfig: { caBundle = '' } }) => readBundle(Buffer.from(caBundle, 'base64').toString()));
}

/**
 * The path segments by which API servers may call now. A webhook that says nothing about whom to trust cannot be called: what it
 * carries counts only once it does, and by then the operator has written a segment.
 */
export function segmentsOf({ webhooks = [] }: TrustingConfiguration): readonly string[] {
  const callable = webhooks.filter(({ clientConfig }) => (clientConfig.caBundle ?? '') !== '');
  const segments = callable.map(({ clientConfig }) => calledAt(clientConfig)?.segment);
  return [...new Set(segments.filter((segment) => segment !== undefined))];
}

/** Whether some webhook is called without a segment: by an installation from before, or since its manifest was applied again. */
export function isBare(configuration: TrustingConfiguration): boolean {
  return segmentsOf(configuration).includes(bare);
}

const bases: ReadonlySet<string> = new Set(Object.values(webhookPaths));

/** Undefined: it is called at no path of ours, and left as it is. */
function calledAt(client: CalledAt): CalledPath | undefined {
  const called = splitPath(pathOf(client));
  return called !== undefined && bases.has(called.base) ? called : undefined;
}

function pathOf({ service, url }: CalledAt): string {
  if (service !== undefined) return service.path ?? '';
  return url !== undefined && URL.canParse(url) ? new URL(url).pathname : '';
}

/** What a webhook configuration is to say. Undefined: as it is. */
export interface WantedTrust {
  readonly authorities: readonly CertificateFacts[] | undefined;
  readonly segment: string | undefined;
}

/** The configuration as it should be, in which all else is as it was. Undefined: it is so already. */
export function withTrust<T extends TrustingConfiguration>(configuration: T, wanted: WantedTrust): T | undefined {
  const caBundle = wanted.authorities && caBundleOf(wanted.authorities);
  const { webhooks = [] } = configuration;
  const after = webhooks.map((webhook) => {
    const clientConfig = withSegment(withBundle(webhook.clientConfig, caBundle), wanted.segment);
    return clientConfig === webhook.clientConfig ? webhook : { ...webhook, clientConfig };
  });
  return after.every((webhook, index) => webhook === webhooks[index])
    ? undefined
    : { ...configuration, webhooks: after };
}

function withBundle(client: CalledAt, caBundle: string | undefined): CalledAt {
  return caBundle === undefined || client.caBundle === caBundle ? client : { ...client, caBundle };
}

function withSegment(client: CalledAt, segment: string | undefined): CalledAt {
  const called = calledAt(client);
  if (segment === undefined || called === undefined || called.segment === segment) return client;
  const path = joinPath({ segment, base: called.base });
  if (client.service !== undefined) return { ...client, service: { ...client.service, path } };
  return { ...client, url: `${new URL(client.url ?? '').origin}${path}` };
}
