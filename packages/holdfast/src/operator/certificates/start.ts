import { randomBytes as secureBytes } from 'node:crypto';
import { certificateSecret, operatorName, pathSecret } from '../../api/installation-names.ts';
import type { ServerTraits } from '../../kube/reflector/reflector.ts';
import type { OperatorContext } from '../../observe/context.ts';
import { type CertificatePolicy, defaultCertificatePolicy, policyProblems } from '../../trust/certificate-policy.ts';
import type { ServerNames } from '../../trust/material.ts';
import { type AcceptedPaths, CallerPaths } from './caller-paths.ts';
import { createCertificateMetrics } from './certificate-metrics.ts';
import type { Certificates } from './certificates.ts';
import { ChangeSignal } from './change-signal.ts';
import { CertificateKeeper } from './keeper.ts';
import { leadCertificates } from './lead.ts';
import { areAllOneVersion } from './old-replicas.ts';
import { kubeCertificateStore } from './store.ts';

export interface CertificateOptions {
  readonly context: Omit<OperatorContext, 'world' | 'identity'>;
  readonly traits: ServerTraits;
  readonly names: ServerNames;
  readonly policy?: CertificatePolicy;
  /** Unguessable bytes, for serial numbers and paths. */
  readonly randomBytes?: (size: number) => Buffer;
}

/** Certificates that we make ourselves: the leader keeps them in a Secret, and every replica serves what is there. */
export function startCertificates(options: CertificateOptions): Certificates {
  const { keeper, paths, lead } = startTrust(options, { ownCertificates: true, secret: certificateSecret });
  return {
    paths,
    first: keeper.pair.first,
    current: () => keeper.pair.current,
    onChange: (changed) => keeper.pair.onChange(changed),
    ready: () => keeper.ready(),
    lead,
    close: () => keeper.close(),
  };
}

/** The paths that prove API servers, where others make the certificates. */
export interface PathUpkeep {
  readonly paths: AcceptedPaths;
  lead(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export function startPaths(options: CertificateOptions): PathUpkeep {
  const { keeper, paths, lead } = startTrust(options, { ownCertificates: false, secret: pathSecret });
  return { paths, lead, close: () => keeper.close() };
}

function startTrust(
  options: CertificateOptions,
  { ownCertificates, secret }: { readonly ownCertificates: boolean; readonly secret: string },
) {
  const { context, traits, names, policy = defaultCertificatePolicy, randomBytes = secureBytes } = options;
  const problems = policyProblems(policy);
  if (problems.length > 0) throw new RangeError(problems.join('; '));
  const { clock, random, clients, namespace } = context;
  const log = context.log.with({ part: 'certificates' });
  const metrics = createCertificateMetrics(context.metrics);
  const changes = new ChangeSignal();
  const places = { secret: { namespace, name: secret }, configuration: operatorName };
  const store = kubeCertificateStore(clients.upkeep, places);
  const paths = new CallerPaths(store, clock, log);
  const watch = { client: clients.watch, traits, clock, random, log };
  const changed = () => changes.give();
  const keeper = new CertificateKeeper({ watch, places, names, policy, clock, log, metrics, paths, changed });
  const allKnowPaths = (signal: AbortSignal) => areAllOneVersion(clients.upkeep, clock, namespace, signal);
  const leading = {
    store,
    names,
    ownCertificates,
    allKnowPaths,
    policy,
    randomBytes,
    clock,
    random,
    log,
    metrics,
    changes,
  };
  return { keeper, paths, lead: (signal: AbortSignal) => leadCertificates(leading, signal) };
}
