import type { Pod, ServiceAccount } from 'kubernetes-types/core/v1.js';
import type { ApiError } from '../../errors.ts';
import type { KubeObject } from '../../objects.ts';
import { sleep } from '../../time/clock.ts';
import type { AdmissionRequest } from '../admission.ts';
import { refuse } from '../refusal.ts';
import type { Plugin, PluginContext } from './plugin.ts';
import { mountToken } from './service-account-token.ts';

type StoredPod = KubeObject & Pod;
type StoredAccount = KubeObject & ServiceAccount;

export interface ServiceAccountOptions {
  /** Gives containers the volume with their account's token, as the real server does. It makes a small pod three times as large. */
  readonly mountTokens: boolean;
}

const defaultAccount = 'default';
const mirrorAnnotation = 'kubernetes.io/config.mirror';
/** A namespace's default account is made by a controller, soon after the namespace. */
const defaultAttempts = 10;

/** Every pod runs as a service account that exists. */
export function serviceAccount({ mountTokens }: ServiceAccountOptions): Plugin {
  return {
    async admit(request, draft, context) {
      if (!concernsNewPod(request) || !draft) return;
      const pod = draft as StoredPod;
      if (isMirror(pod)) return checkMirrorPod(request, pod);
      const spec = pod.spec ?? { containers: [] };
      pod.spec = spec;
      if (!spec.serviceAccountName) {
        spec.serviceAccountName = defaultAccount;
        spec.serviceAccount = defaultAccount;
      }
      const account = await findAccount(request, spec.serviceAccountName, context);
      const automount = spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
      if (mountTokens && automount) mountToken(spec, context.random);
      if (!spec.imagePullSecrets?.length && account.imagePullSecrets?.length) {
        spec.imagePullSecrets = account.imagePullSecrets.map(({ name }) => (name === undefined ? {} : { name }));
      }
    },
    validate(request, { view }) {
      if (!concernsNewPod(request) || !request.object) return;
      const pod = request.object as StoredPod;
      if (isMirror(pod)) return checkMirrorPod(request, pod);
      const name = pod.spec?.serviceAccountName;
      if (!name) {
        throw refuse(request, `no service account specified for pod ${request.namespace}/${pod.metadata.name ?? ''}`);
      }
      if (!view.get('serviceaccounts', request.namespace, name)) throw noAccount(request, name);
    },
  };
}

function isMirror(pod: StoredPod): boolean {
  return Object.hasOwn(pod.metadata.annotations ?? {}, mirrorAnnotation);
}

function concernsNewPod({ type, subresource, operation }: AdmissionRequest): boolean {
  return type.key === 'pods' && subresource === '' && operation === 'CREATE';
}

function checkMirrorPod(request: AdmissionRequest, pod: StoredPod): void {
  if (pod.spec?.serviceAccountName) throw refuse(request, 'a mirror pod may not reference service accounts');
  for (const volume of pod.spec?.volumes ?? []) {
    if (volume.secret) throw refuse(request, 'a mirror pod may not reference secrets');
    if (volume.projected?.sources?.some((source) => source.serviceAccountToken)) {
      throw refuse(request, 'a mirror pod may not use ServiceAccountToken volume projections');
    }
  }
}

async function findAccount(
  request: AdmissionRequest,
  name: string,
  { view, clock, random }: PluginContext,
): Promise<StoredAccount> {
  const look = () => view.get<StoredAccount>('serviceaccounts', request.namespace, name);
  const pauseMs = 100 + Math.floor(random.next() * 100);
  let account = look();
  for (let attempt = 1; !account && name === defaultAccount && attempt < defaultAttempts; attempt += 1) {
    await sleep(clock, pauseMs);
    account = look();
  }
  if (!account) throw noAccount(request, name);
  return account;
}

function noAccount(request: AdmissionRequest, name: string): ApiError {
  const where = `${request.namespace}/${name}`;
  return refuse(request, `error looking up service account ${where}: serviceaccount "${name}" not found`);
}
