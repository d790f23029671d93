import { randomBytes } from 'node:crypto';
import { ns } from '../../../../test/support/builders.ts';
import type { Fields } from '../../../base/src/json.ts';
import type { Namespace } from '../../../base/src/meta.ts';
import { defaultNamespace } from '../../src/api/installation-names.ts';
import type { World } from '../../src/core/world/world.ts';
import { answeredPaths, webhookConfigurations } from '../../src/install/manifests/webhooks.ts';
import { defaultInstallValues } from '../../src/install/values/values.ts';
import type { LiveWorld } from '../../src/observe/once/live-world.ts';
import { projectSeen, type Registrations, registrationsOf } from '../../src/observe/once/registrations.ts';
import { only } from '../../src/observe/once/scope.ts';
import { webhookNames } from '../../src/operator/certificates/names.ts';
import { defaultCertificatePolicy } from '../../src/trust/certificate-policy.ts';
import { createAuthority } from '../../src/trust/material.ts';

/** When everything in these tests was read. */
export const readAt = Date.parse('2026-01-01T12:00:00Z');

/** The operator, as it is registered when all is well. */
export function registered(
  change: (configuration: Fields) => Fields = (same) => same,
  others: readonly Fields[] = [],
): Registrations {
  const authority = createAuthority(webhookNames(defaultNamespace, undefined), {
    nowMs: readAt,
    policy: defaultCertificatePolicy,
    randomBytes,
  });
  const caBundle = Buffer.from(authority.certificate).toString('base64');
  const configurations = webhookConfigurations(defaultInstallValues, answeredPaths, 'f'.repeat(64));
  const [validating, mutating] = configurations.map((configuration) => {
    const webhooks = (configuration.webhooks ?? []).map((one) => ({
      ...one,
      clientConfig: { ...one.clientConfig, caBundle },
    }));
    return projectSeen(change(JSON.parse(JSON.stringify({ ...configuration, webhooks })) as Fields));
  });
  return registrationsOf(
    [...(validating === undefined ? [] : [validating]), ...others.map(projectSeen)],
    mutating === undefined ? [] : [mutating],
  );
}

export const notRegistered: Registrations = registrationsOf([], []);

export function aNamespace(labels: Record<string, string> = { 'holdfast.dev/guard': 'enabled' }): Namespace {
  return { metadata: { name: ns, labels } };
}

/** A cluster in which an operator guards the namespace of the tests, unless told otherwise. */
export function aLiveWorld(world: World, more: Partial<LiveWorld> = {}): LiveWorld {
  return {
    world,
    scope: only(ns),
    readAt,
    gaps: [],
    namespaces: new Map([[ns, aNamespace()]]),
    builtin: new Map(),
    leases: new Map(),
    registrations: registered(),
    operatorNamespace: 'holdfast-system',
    ...more,
  };
}
