import { createAdmission } from './admission/admission-chain.ts';
import {
  mutatingPolicyBindingStrategy,
  mutatingPolicyStrategy,
} from './admission/mutating-policies/mutating-policy-strategies.ts';
import { mutatingPolicies, mutatingPolicyBindings } from './admission/mutating-policies/run-mutating-policies.ts';
import { policyBindingStrategy, policyStrategy } from './admission/policies/policy-strategies.ts';
import { policies, policyBindings } from './admission/policies/run-policies.ts';
import type { ConnectWebhook } from './admission/webhooks/webhook-client.ts';
import {
  mutatingWebhookConfigurationStrategy,
  validatingWebhookConfigurationStrategy,
} from './admission/webhooks/webhook-configuration-strategy.ts';
import type { ResolveService } from './admission/webhooks/webhook-endpoint.ts';
import { createRbacAuthorizer, type RbacAuthorizer } from './auth/rbac/rbac.ts';
import { escalationProblem } from './auth/rbac/rbac-escalation.ts';
import { rbacStrategies } from './auth/rbac/rbac-strategies.ts';
import { controllerUser, type User } from './auth/user.ts';
import type { Client } from './client.ts';
import { crdStrategy } from './crd/crd-strategy.ts';
import { FlowControl } from './flowcontrol/flow-control.ts';
import { builtinStrategies } from './kinds/builtin/strategies.ts';
import type { ResourceType } from './kinds/resource-type.ts';
import { createResourceTypes, type MutableResourceTypes } from './kinds/resource-types.ts';
import type { Strategy } from './kinds/strategy.ts';
import type { JsonObject, KubeObject, ResourceKey } from './objects.ts';
import { Quotas } from './quota/quotas.ts';
import { inProcessClient } from './registry/client.ts';
import { convertTo } from './registry/convert.ts';
import type { Registry, RegistryHooks, Wire } from './registry/registry.ts';
import type { WriteContext } from './registry/write-context.ts';
import { ServiceAddresses } from './service-addresses.ts';
import type { Store } from './store/store.ts';
import { builtinCells } from './tables/cells.ts';
import { type Clock, realClock } from './time/clock.ts';
import type { Random } from './time/random.ts';
import { createView, type View } from './view.ts';

export interface ControlPlaneOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  /** Absent: a network. */
  readonly wire?: Wire;
  /** How webhooks are reached; absent: over TLS. */
  readonly connectWebhook?: ConnectWebhook;
}

/** The API without its wire: everything that a request passes between HTTP and the store. */
export interface ControlPlane {
  readonly registry: Registry;
  readonly types: MutableResourceTypes;
  readonly view: View;
  readonly authorizer: RbacAuthorizer;
  readonly quotas: Quotas;
  readonly flows: FlowControl;
  /** A client for one of our own parts. */
  clientFor(user: User, fieldManager: string): Client;
  /** A client with the identity of a built-in controller. */
  controllerClient(controller: string): Client;
  close(): void;
}

const strategies: ReadonlyMap<ResourceKey, Strategy> = new Map([
  ...builtinStrategies,
  ...rbacStrategies,
  ['admissionregistration.k8s.io/validatingwebhookconfigurations', validatingWebhookConfigurationStrategy],
  ['admissionregistration.k8s.io/mutatingwebhookconfigurations', mutatingWebhookConfigurationStrategy],
  [mutatingPolicies, mutatingPolicyStrategy],
  [mutatingPolicyBindings, mutatingPolicyBindingStrategy],
  [policies, policyStrategy],
  [policyBindings, policyBindingStrategy],
  ['apiextensions.k8s.io/customresourcedefinitions', crdStrategy],
]);

/** A write costs the same for one line as for many, so that with hundreds of watchers each is served less often. */
const network: Wire = { clock: realClock, batchMsEach: 0.5 };

/** The scheduler is a program of its own on a real cluster, and webhooks know it by that name. */
const schedulerName = 'kube-scheduler';
const schedulerUser: User = { name: 'system:kube-scheduler', groups: ['system:authenticated'] };

export function createControlPlane({
  store,
  clock,
  random,
  wire = network,
  connectWebhook,
}: ControlPlaneOptions): ControlPlane {
  const types = createResourceTypes({ strategies, cells: builtinCells });
  const view = createView(store);
  const authorizer = createRbacAuthorizer(view);
  const quotas = new Quotas(store);
  const flows = new FlowControl(view);
  const admission = createAdmission({
    view,
    types,
    clock,
    random,
    resolveService: serviceResolver(view),
    ...(connectWebhook === undefined ? {} : { connectWebhook }),
    convert: convertTo,
    applyDefaults: (kind, draft) => types.byKind(kind.group, kind.version, kind.kind)?.strategy.applyDefaults?.(draft),
  });
  const hooks = hooksOf(view, authorizer, quotas);
  const registry: Registry = { store, types, admission, clock, random, hooks, wire };
  return {
    registry,
    types,
    view,
    authorizer,
    quotas,
    flows,
    clientFor: (user, fieldManager) => inProcessClient(registry, user, fieldManager),
    controllerClient: (name) =>
      name === schedulerName
        ? inProcessClient(registry, schedulerUser, schedulerName)
        : inProcessClient(registry, controllerUser(name), 'kube-controller-manager'),
    close() {
      admission.close();
      authorizer.close();
      quotas.close();
      flows.close();
      view.close();
    },
  };
}

function hooksOf(view: View, authorizer: RbacAuthorizer, quotas: Quotas): RegistryHooks {
  const addresses = new ServiceAddresses(view);
  const check = (type: ResourceType, object: KubeObject, old: KubeObject | undefined, { user }: WriteContext): void => {
    if (type.group !== 'rbac.authorization.k8s.io') return;
    const namespace = object.metadata.namespace ?? '';
    const pathName = old === undefined ? '' : object.metadata.name;
    const problem = escalationProblem({ user, resource: type.plural, namespace, pathName, object, old }, authorizer);
    if (problem) throw problem;
  };
  return {
    beforeCreate(type, draft, context) {
      if (type.key === 'services') addresses.allocate(draft);
      if (type.key === 'certificates.k8s.io/certificatesigningrequests') nameRequestor(draft, context.user);
      check(type, draft, undefined, context);
    },
    beforeUpdate: check,
    beforeStore: (type, object, old) => quotas.check(type, object, old),
  };
}

/** Signers decide by the requesting user, so the server fills it in, and a client cannot claim to be another. */
function nameRequestor(request: KubeObject, { name, uid, groups }: User): void {
  const { extra: _, uid: __, ...spec } = request['spec'] as JsonObject;
  request['spec'] = { ...spec, username: name, groups: [...groups], ...(uid ? { uid } : {}) };
}

interface EndpointsLike {
  readonly subsets?: readonly {
    readonly addresses?: readonly { readonly ip: string }[];
    readonly ports?: readonly { readonly name?: string; readonly port: number }[];
  }[];
}

interface ServiceLike {
  readonly spec?: { readonly ports?: readonly { readonly name?: string; readonly port: number }[] };
}

/** Nothing routes to a service's address here, so that a webhook behind a service is called at one of its endpoints. */
export function serviceResolver(view: View): ResolveService {
  return (namespace, name, port, path) => {
    const service = view.get('services', namespace, name) as ServiceLike | undefined;
    const wanted = service?.spec?.ports?.find((candidate) => candidate.port === port);
    if (!wanted) return undefined;
    const endpoints = view.get('endpoints', namespace, name) as EndpointsLike | undefined;
    for (const subset of endpoints?.subsets ?? []) {
      const address = subset.addresses?.[0]?.ip;
      const target = subset.ports?.find((candidate) => (candidate.name ?? '') === (wanted.name ?? ''));
      if (address && target) {
        return { url: `https://${address}:${target.port}${path}`, serverName: `${name}.${namespace}.svc` };
      }
    }
    return undefined;
  };
}
