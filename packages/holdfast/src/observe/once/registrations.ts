import { type Fields, isObject } from '@holdfast/base/json';
import { operatorName } from '../../api/installation-names.ts';
import { isBare } from '../../trust/webhook-trust.ts';
import { evictionWebhooks, type ForeignWebhook } from '../foreign-webhooks/foreign.ts';
import { isKruiseForPubs } from '../foreign-webhooks/kruise.ts';
import { type ConfigurationView, projectConfiguration } from '../foreign-webhooks/webhook-view.ts';
import { resources } from '../resources.ts';
import type { KindReader } from './kind-reader.ts';
import { everywhere } from './scope.ts';

/** A webhook configuration, with whom it makes API servers trust. */
export interface SeenConfiguration extends ConfigurationView {
  /** Base64 of each webhook, in order. */
  readonly bundles: readonly string[];
  /** Some webhook is called by a path without the segment that proves API servers. */
  readonly bare: boolean;
  /** Namespace of the Service that it is called at. */
  readonly serviceNamespace: string | undefined;
}

/** Who is asked about what happens to pods. */
export type Registrations =
  | {
      readonly kind: 'known';
      /** Ours; undefined: not registered. */
      readonly validating: SeenConfiguration | undefined;
      readonly mutating: SeenConfiguration | undefined;
      readonly foreign: readonly ForeignWebhook[];
      /** Kruise answers for PodUnavailableBudgets. */
      readonly kruise: boolean;
    }
  | { readonly kind: 'unknown'; readonly why: string };

export async function readRegistrations(reader: KindReader): Promise<Registrations> {
  const validating = await reader.listResource(resources.validating, everywhere, projectSeen);
  const mutating = await reader.listResource(resources.mutating, everywhere, projectSeen);
  for (const read of [validating, mutating]) if (read.kind === 'denied') return { kind: 'unknown', why: read.why };
  return registrationsOf(
    validating.kind === 'read' ? validating.items : [],
    mutating.kind === 'read' ? mutating.items : [],
  );
}

export function registrationsOf(
  validating: readonly SeenConfiguration[],
  mutating: readonly SeenConfiguration[],
): Registrations {
  const isOurs = ({ metadata }: SeenConfiguration) => metadata.name === operatorName;
  const foreignIn = (kind: string, all: readonly SeenConfiguration[]) =>
    all.filter((one) => !isOurs(one)).flatMap((one) => evictionWebhooks(kind, one));
  return {
    kind: 'known',
    validating: validating.find(isOurs),
    mutating: mutating.find(isOurs),
    foreign: [
      ...foreignIn('ValidatingWebhookConfiguration', validating),
      ...foreignIn('MutatingWebhookConfiguration', mutating),
    ],
    kruise: [...validating, ...mutating].some((one) => !isOurs(one) && isKruiseForPubs(one)),
  };
}

export function projectSeen(object: Fields): SeenConfiguration {
  const webhooks = Array.isArray(object['webhooks']) ? object['webhooks'].filter(isObject) : [];
  const clients = webhooks.map(({ clientConfig }) => (isObject(clientConfig) ? clientConfig : {}));
  const services = clients.map(({ service }) => (isObject(service) ? service['namespace'] : undefined));
  const serviceNamespace = services.find((one) => typeof one === 'string');
  return {
    ...projectConfiguration(object),
    bundles: clients.map(({ caBundle }) => (typeof caBundle === 'string' ? caBundle : '')),
    bare: isBare({
      webhooks: webhooks.map(({ clientConfig }) => ({ clientConfig: isObject(clientConfig) ? clientConfig : {} })),
    }),
    serviceNamespace: typeof serviceNamespace === 'string' ? serviceNamespace : undefined,
  };
}
