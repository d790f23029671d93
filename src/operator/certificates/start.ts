import { randomBytes as secureBytes } from 'node:crypto';
import type { ServerTraits } from '../../kube/reflector/reflector.ts';
import type { OperatorContext } from '../context.ts';
import { certificateSecret, operatorName } from '../install/names.ts';
import { createCertificateMetrics } from './certificate-metrics.ts';
import type { Certificates } from './certificates.ts';
import { CertificateKeeper } from './keeper.ts';
import { leadCertificates } from './lead.ts';
import type { ServerNames } from './material.ts';
import { Nudge } from './nudge.ts';
import { type CertificatePolicy, defaultCertificatePolicy, policyProblems } from './policy.ts';
import { kubeCertificateStore } from './store.ts';

export interface CertificateOptions {
  readonly context: Omit<OperatorContext, 'world' | 'identity'>;
  readonly traits: ServerTraits;
  readonly names: ServerNames;
  readonly policy?: CertificatePolicy;
  /** Bytes that nobody can guess, for serial numbers. */
  readonly randomBytes?: (size: number) => Buffer;
}

/** Certificates that we make ourselves: the leader keeps them in a Secret, and every replica serves what is there. */
export function startCertificates(options: CertificateOptions): Certificates {
  const { context, traits, names, policy = defaultCertificatePolicy, randomBytes = secureBytes } = options;
  const problems = policyProblems(policy);
  if (problems.length > 0) throw new RangeError(problems.join('; '));
  const { clock, random, clients, namespace } = context;
  const log = context.log.with({ part: 'certificates' });
  const metrics = createCertificateMetrics(context.metrics);
  const changes = new Nudge();
  const places = { secret: { namespace, name: certificateSecret }, configuration: operatorName };
  const keeper = new CertificateKeeper({
    watch: { client: clients.watch, traits, clock, random, log },
    places,
    names,
    policy,
    clock,
    log,
    metrics,
    changed: () => changes.give(),
  });
  const store = kubeCertificateStore(clients.upkeep, places);
  const lead = { store, names, policy, randomBytes, clock, random, log, metrics, changes };
  return {
    first: keeper.pair.first,
    current: () => keeper.pair.current,
    onChange: (changed) => keeper.pair.onChange(changed),
    ready: () => keeper.ready(),
    lead: (signal) => leadCertificates(lead, signal),
    close: () => keeper.close(),
  };
}
