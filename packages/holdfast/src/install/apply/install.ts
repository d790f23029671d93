import { type ApiOptions, ClusterApi } from '../cluster-api.ts';
import { endedBy, refusedWith, type Went, went } from '../failures.ts';
import { apiServerCidrs, callsArrive, reportExposure, wantsAddresses } from '../manifests/api-servers.ts';
import type { Manifest } from '../manifests/manifests.ts';
import { networkPolicyOf } from '../manifests/network.ts';
import { reportNodeTokens } from '../manifests/node-tokens.ts';
import { ownKind } from '../manifests/own-kinds.ts';
import { missingRights } from '../manifests/rights.ts';
import { type ObjectRef, refKey, refKindText, refOf } from '../object-ref.ts';
import { done, type Ended, type Reporter } from '../outcome.ts';
import { reportLeftovers } from '../remove/leftovers.ts';
import type { InstallValues } from '../values/values.ts';
import { applyObject, type Located } from './apply-object.ts';
import { awaitStep } from './await-step.ts';
import { elsewhere } from './elsewhere.ts';
import { registrable } from './registrable.ts';
import { type InstallMode, type InstallStep, installSteps } from './steps.ts';
import { removeFormerRights } from './superseded.ts';

export interface InstallRequest {
  readonly values: InstallValues;
  readonly mode: InstallMode;
  readonly timeoutMs: number;
}

export interface InstallPorts extends ApiOptions {
  readonly report: Reporter;
}

/** Installs, or brings an older installation up to date; done twice, it changes nothing. */
export async function install(request: InstallRequest, ports: InstallPorts): Promise<Ended> {
  const api = new ClusterApi(ports);
  const cidrs = !request.mode.crdsOnly && wantsAddresses(request.values) ? await apiServerCidrs(api) : [];
  const values = cidrs.length === 0 ? request.values : { ...request.values, apiServerCidrs: cidrs };
  const ended = await installWith(api, { ...request, values }, ports);
  if (ended.kind !== 'done' || request.mode.crdsOnly) return ended;
  reportExposure(values, ports.report);
  return cidrs.length === 0 || request.mode.dryRun ? ended : openWhereNeeded(api, request, cidrs, ports);
}

/** Takes the limit to addresses back where it keeps the API servers out. */
async function openWhereNeeded(
  api: ClusterApi,
  { values, mode }: InstallRequest,
  cidrs: readonly string[],
  { client, clock, signal, report }: InstallPorts,
): Promise<Ended> {
  const note = (text: string) => report({ kind: 'note', text });
  if (await callsArrive(client, clock, signal)) {
    note(
      `only ${cidrs.join(', ')} may call the webhooks (EndpointSlices of default/kubernetes; or set apiServerCidrs)`,
    );
    return done;
  }
  note(
    `calls of API servers do not come from ${cidrs.join(', ')}: any address may call the webhooks until apiServerCidrs is set`,
  );
  const policy = networkPolicyOf(values);
  const resource = await api.resourceOf({ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' });
  if (policy === undefined || !resource.ok) return done;
  const manifest: Manifest = policy;
  return applyStep(api, { manifest, ref: refOf(manifest), resource: resource.value }, mode, report, new Map());
}

async function installWith(api: ClusterApi, request: InstallRequest, ports: InstallPorts): Promise<Ended> {
  const untilMs = ports.clock.monotonic() + request.timeoutMs;
  const steps = installSteps(request.values, request.mode);
  const located = await locate(api, steps, ports.report);
  if (!located.ok) return located.ended;
  const obstacle = await obstacleBefore(api, request, located.value);
  if (obstacle.kind !== 'done') return obstacle;
  const applied = new Map<string, Located>();
  for (const step of steps) {
    const ended =
      step.kind === 'apply'
        ? await applyStep(api, located.value.get(refKey(refOf(step.manifest))), request.mode, ports.report, applied)
        : await awaitStep(api, step.what, present(step.objects, applied), { untilMs, report: ports.report });
    if (ended.kind !== 'done') return ended;
  }
  return request.mode.crdsOnly ? done : afterwards(api, request, steps, ports.report);
}

/** What is left to say and to take away when everything is in place. */
async function afterwards(
  api: ClusterApi,
  { values, mode }: InstallRequest,
  steps: readonly InstallStep[],
  report: Reporter,
): Promise<Ended> {
  const removed = mode.dryRun ? done : await removeFormerRights(api, values.namespace, report);
  if (removed.kind !== 'done') return removed;
  await reportNodeTokens(api, values, report);
  return reportLeftovers(api, steps, report);
}

/** Where each object goes. What the server does not have, and an installation can do without, is left out. */
async function locate(
  api: ClusterApi,
  steps: readonly InstallStep[],
  report: Reporter,
): Promise<Went<ReadonlyMap<string, Located>>> {
  const located = new Map<string, Located>();
  for (const step of steps) {
    if (step.kind !== 'apply') continue;
    const { manifest } = step;
    const ref = refOf(manifest);
    const found = await api.resourceOf({ apiVersion: manifest.apiVersion ?? '', kind: ref.kind });
    if (found.ok) {
      located.set(refKey(ref), { manifest, ref, resource: found.value });
      continue;
    }
    if (found.failure.kind !== 'notFound') return endedBy(found.failure, 'the cluster cannot be asked what it serves');
    const { spare, from } = ownKind(ref.kind) ?? {};
    if (spare === undefined) return unserved(ref, from);
    report({
      kind: 'object',
      ref,
      result: { kind: 'skipped', why: `this cluster has no ${refKindText(ref)}: ${spare}` },
    });
  }
  return went(located);
}

function unserved(ref: ObjectRef, from: string | undefined) {
  const advice = from ?? 'Holdfast needs Kubernetes 1.30 or later, with its own APIs switched on.';
  return refusedWith(`this cluster has no ${refKindText(ref)} of version ${ref.version}`, advice);
}

/** What makes the whole of it pointless is found out before anything is written. */
async function obstacleBefore(
  api: ClusterApi,
  { values, mode }: InstallRequest,
  located: ReadonlyMap<string, Located>,
): Promise<Ended> {
  const intents = [...located.values()].map(({ ref, resource }) => ({
    resource,
    verbs: ['get', 'create', 'patch'],
    namespace: ref.namespace,
    name: ref.name,
  }));
  const missing = await missingRights(api, intents);
  if (!missing.ok) return endedBy(missing.failure, 'the cluster cannot be asked what you may do').ended;
  if (missing.value.length > 0) return { kind: 'denied', missing: missing.value };
  if (mode.crdsOnly) return done;
  const taken = await elsewhere(api, values.namespace);
  if (taken.kind !== 'done') return taken;
  const registered = await registrable(api, values, located.values());
  return registered.kind === 'done' ? grantable(api, located) : registered;
}

/** No user can grant more rights than they have; only the server can tell, and it also does so in a dry run. */
async function grantable(api: ClusterApi, located: ReadonlyMap<string, Located>): Promise<Ended> {
  const missing: string[] = [];
  for (const role of located.values()) {
    if (role.ref.kind !== 'ClusterRole') continue;
    const tried = await api.apply(role.resource, role.ref, role.manifest, true);
    if (!tried.ok && tried.failure.kind === 'denied') missing.push(...tried.failure.message.split('\n'));
  }
  return missing.length === 0 ? done : { kind: 'denied', missing };
}

async function applyStep(
  api: ClusterApi,
  located: Located | undefined,
  { dryRun }: InstallMode,
  report: Reporter,
  applied: Map<string, Located>,
): Promise<Ended> {
  if (located === undefined) return done;
  const result = await applyObject(api, located, dryRun);
  if (!result.ok) return result.ended;
  report({ kind: 'object', ref: located.ref, result: result.value });
  if (result.value.kind !== 'skipped') applied.set(refKey(located.ref), located);
  return done;
}

function present(objects: readonly ObjectRef[], applied: ReadonlyMap<string, Located>): readonly Located[] {
  return objects.flatMap((ref) => applied.get(refKey(ref)) ?? []);
}
