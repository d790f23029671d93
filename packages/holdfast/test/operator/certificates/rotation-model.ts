import { nothingSeen, observeBundles, type Sightings } from '../../../src/operator/certificates/observe.ts';
import { confirms, mayServe } from '../../../src/operator/certificates/serving.ts';
import type { CertificatePolicy } from '../../../src/trust/certificate-policy.ts';
import {
  type CertificateFacts,
  type CertificateStep,
  type LeafFacts,
  planCertificates,
  type StoredCertificates,
} from '../../../src/trust/rotation-plan.ts';

/** Seconds instead of months, so that a short run sees many rotations. */
export const quickPolicy: CertificatePolicy = {
  authorityLifetimeMs: 40_000,
  authorityRenewBeforeMs: 16_000,
  leafLifetimeMs: 12_000,
  leafRenewBeforeMs: 6_000,
  skewMs: 1_000,
  settleMs: 1_000,
  confirmWithinMs: 1_500,
  pickupMs: 2_000,
  pathLifetimeMs: 5_000,
  pathGraceMs: 2_000,
};

interface Versioned<T> {
  readonly version: number;
  readonly value: T;
}

interface Leader {
  readonly offsetMs: number;
  sightings: Sightings;
  /** What it read, and in this order: the configurations, the Secret, the configurations again. */
  configurations?: readonly Versioned<readonly CertificateFacts[]>[];
  secret?: Versioned<StoredCertificates | undefined>;
}

interface Replica {
  readonly offsetMs: number;
  leaf: LeafFacts | undefined;
  confirmedMs: number;
}

/** A cluster as far as certificates go: two leaders that may both believe in themselves, two replicas, two API servers. */
export class RotationModel {
  nowMs = 1_000_000;
  secret: Versioned<StoredCertificates | undefined> = { version: 1, value: undefined };
  readonly configurations: Versioned<readonly CertificateFacts[]>[] = [
    { version: 1, value: [] },
    { version: 1, value: [] },
  ];
  readonly leaders: readonly Leader[];
  readonly replicas: readonly Replica[];
  /** What each API server trusts for each configuration, and since when it has not looked. */
  readonly views: { bundle: readonly CertificateFacts[]; lookedMs: number }[][];
  readonly policy: CertificatePolicy;
  /** What the leaders go by; where it is another one, they are wrong about the cluster. */
  readonly planned: CertificatePolicy;
  made = 0;
  losses = 0;

  constructor(policy: CertificatePolicy, planned = policy) {
    this.policy = policy;
    this.planned = planned;
    const apart = policy.skewMs / 2;
    this.leaders = [0, apart].map((offsetMs) => ({ offsetMs, sightings: nothingSeen }));
    this.replicas = [0, -apart].map((offsetMs) => ({ offsetMs, leaf: undefined, confirmedMs: 0 }));
    this.views = [0, 1].map(() => this.configurations.map(() => ({ bundle: [], lookedMs: this.nowMs })));
  }

  readConfigurations(index: number): void {
    const leader = this.leaders[index] as Leader;
    leader.configurations = [...this.configurations];
    delete leader.secret;
  }

  readSecret(index: number): void {
    const leader = this.leaders[index] as Leader;
    leader.secret = this.secret;
    const bundles = this.configurations.map(({ value }) => value);
    const now = this.nowMs + leader.offsetMs;
    leader.sightings = observeBundles(leader.sightings, bundles, this.secret.value?.leaf?.id, now);
  }

  /** Writes what follows from what was read, unless another replica wrote in between. */
  act(index: number): void {
    const leader = this.leaders[index] as Leader;
    const { configurations, secret } = leader;
    if (configurations === undefined || secret === undefined) return;
    const now = this.nowMs + leader.offsetMs;
    const plan = planCertificates(secret.value, leader.sightings, now, this.planned);
    const { bundle } = plan;
    if (bundle !== undefined) {
      for (const [at, read] of configurations.entries()) this.publish(at, read.version, bundle);
    }
    if (secret.version === this.secret.version) this.store(this.after(plan.step, secret.value, now));
    delete leader.secret;
  }

  crash(index: number): void {
    const leader = this.leaders[index] as Leader;
    leader.sightings = nothingSeen;
    delete leader.secret;
  }

  refresh(index: number): void {
    const replica = this.replicas[index] as Replica;
    const { value } = this.secret;
    replica.leaf = value?.leaf ?? replica.leaf;
    if (replica.leaf && confirms(value, replica.leaf)) replica.confirmedMs = this.nowMs + replica.offsetMs;
  }

  look(server: number, configuration: number): void {
    const view = this.views[server]?.[configuration];
    if (view === undefined) return;
    view.bundle = this.configurations[configuration]?.value ?? [];
    view.lookedMs = this.nowMs;
  }

  /** No API server's view of a configuration is ever older than the time to settle. */
  advance(ms: number): void {
    this.views.forEach((ofServer, server) => {
      ofServer.forEach((view, configuration) => {
        if (this.nowMs + ms - view.lookedMs >= this.policy.settleMs) this.look(server, configuration);
      });
    });
    this.nowMs += ms;
  }

  store(value: StoredCertificates | undefined): void {
    if (value === this.secret.value) return;
    this.secret = { version: this.secret.version + 1, value };
  }

  /** A served leaf that some API server would not trust. */
  violation(): string | undefined {
    for (const [index, replica] of this.replicas.entries()) {
      const { leaf } = replica;
      if (leaf === undefined || !this.serves(replica)) continue;
      for (const view of this.views.flat()) {
        // Before the first bundle, and when all in it has ended, there is nothing left to break.
        const alive = view.bundle.filter(({ notAfterMs }) => notAfterMs >= this.nowMs);
        if (alive.length === 0 || alive.some(({ id }) => id === leaf.issuer)) continue;
        return `replica ${index} serves ${leaf.id} of ${leaf.issuer}, trusted are ${view.bundle.map(({ id }) => id)}`;
      }
    }
    return undefined;
  }

  serves(replica: Replica): boolean {
    return (
      replica.leaf !== undefined &&
      mayServe(replica.leaf, replica.confirmedMs, this.nowMs + replica.offsetMs, this.policy)
    );
  }

  private publish(at: number, version: number, bundle: readonly CertificateFacts[]): void {
    const current = this.configurations[at];
    if (current?.version !== version) return;
    if (current.value.map(({ id }) => id).join() === bundle.map(({ id }) => id).join()) return;
    this.configurations[at] = { version: version + 1, value: bundle };
  }

  private after(
    step: CertificateStep,
    stored: StoredCertificates | undefined,
    now: number,
  ): StoredCertificates | undefined {
    switch (step.kind) {
      case 'keep':
        return stored;
      case 'addAuthority': {
        const signer = this.certificate('ca', now, this.policy.authorityLifetimeMs);
        const leaf = step.withLeaf ? this.leaf(signer, now) : stored?.leaf;
        return { trusted: [signer, ...step.retain], signer: signer.id, signerLimited: true, leaf };
      }
      case 'issueLeaf': {
        const signer = stored?.trusted.find(({ id }) => id === stored.signer);
        return stored && signer ? { ...stored, leaf: this.leaf(signer, now) } : stored;
      }
      case 'dropAuthorities':
        return stored && { ...stored, trusted: stored.trusted.filter(({ id }) => !step.ids.includes(id)) };
    }
  }

  private leaf(signer: CertificateFacts, now: number): LeafFacts {
    const facts = this.certificate('leaf', now, this.policy.leafLifetimeMs);
    return { ...facts, notAfterMs: Math.min(facts.notAfterMs, signer.notAfterMs), issuer: signer.id, covers: true };
  }

  private certificate(kind: string, now: number, lifetimeMs: number): CertificateFacts {
    this.made += 1;
    const id = `${kind}-${this.made}`;
    return { id, pem: `${id}\n`, notBeforeMs: now - this.policy.skewMs, notAfterMs: now + lifetimeMs };
  }
}
