/** Controllers of others that bring a custom kind and webhooks of their own. */
export interface AddOn {
  readonly key: AddOnKey;
  readonly title: string;
  readonly namespace: string;
  readonly user: string;
  /** Where its manifests are in its Go module. */
  readonly manifests: Manifests;
  readonly settings: Settings;
  /** Its webhooks for pods are called for those that have this label. Undefined: for all, as its own deployment has it. */
  readonly podLabel?: string;
  /** Where its kind is served, and one of them that its webhooks accept. */
  readonly api: string;
  readonly plural: string;
  readonly trial: object;
}

/** A file, or a folder of them. */
interface Manifests {
  readonly crd: string;
  readonly webhooks: string;
  /** What its deployment adds to the webhooks, by their names. */
  readonly webhookPatches?: string;
}

/** How it is told where to listen, and what to leave out: by a file of this apiVersion, or by flags and environment variables. */
type Settings = { readonly by: 'file'; readonly apiVersion: string } | { readonly by: 'environment' };

export type AddOnKey = 'lws' | 'jobset' | 'kruise';

/** What a test bed has unless it is told otherwise. Kruise's PodUnavailableBudgets are the same objects as Holdfast's: never both. */
export const usualAddOns: readonly AddOnKey[] = ['lws', 'jobset'];

const template = { spec: { containers: [{ name: 'c', image: 'i' }], restartPolicy: 'Never' } };

export const addOns: Readonly<Record<AddOnKey, AddOn>> = {
  lws: {
    key: 'lws',
    title: 'LeaderWorkerSet',
    namespace: 'lws-system',
    user: 'system:serviceaccount:lws-system:lws-controller-manager',
    manifests: {
      crd: 'config/crd/bases/leaderworkerset.x-k8s.io_leaderworkersets.yaml',
      webhooks: 'config/webhook/manifests.yaml',
    },
    settings: { by: 'file', apiVersion: 'config.lws.x-k8s.io/v1alpha1' },
    podLabel: 'leaderworkerset.sigs.k8s.io/name',
    api: '/apis/leaderworkerset.x-k8s.io/v1',
    plural: 'leaderworkersets',
    trial: {
      apiVersion: 'leaderworkerset.x-k8s.io/v1',
      kind: 'LeaderWorkerSet',
      metadata: { name: 'trial' },
      spec: {
        replicas: 1,
        leaderWorkerTemplate: { size: 1, workerTemplate: { spec: { containers: template.spec.containers } } },
      },
    },
  },
  jobset: {
    key: 'jobset',
    title: 'JobSet',
    namespace: 'jobset-system',
    user: 'system:serviceaccount:jobset-system:jobset-controller-manager',
    manifests: {
      crd: 'config/components/crd/bases/jobset.x-k8s.io_jobsets.yaml',
      webhooks: 'config/components/webhook/manifests.yaml',
    },
    settings: { by: 'file', apiVersion: 'config.jobset.x-k8s.io/v1alpha1' },
    podLabel: 'jobset.sigs.k8s.io/jobset-name',
    api: '/apis/jobset.x-k8s.io/v1alpha2',
    plural: 'jobsets',
    trial: {
      apiVersion: 'jobset.x-k8s.io/v1alpha2',
      kind: 'JobSet',
      metadata: { name: 'trial' },
      spec: { replicatedJobs: [{ name: 'r', replicas: 1, template: { spec: { template } } }] },
    },
  },
  kruise: {
    key: 'kruise',
    title: 'OpenKruise',
    namespace: 'kruise-system',
    user: 'system:serviceaccount:kruise-system:kruise-manager',
    manifests: {
      crd: 'config/crd/bases',
      webhooks: 'config/webhook/manifests.yaml',
      webhookPatches: 'config/webhook/patch_manifests.yaml',
    },
    settings: { by: 'environment' },
    api: '/apis/apps.kruise.io/v1alpha1',
    plural: 'clonesets',
    // A CloneSet, and no PodUnavailableBudget: Kruise refuses those while their feature gates are off.
    trial: {
      apiVersion: 'apps.kruise.io/v1alpha1',
      kind: 'CloneSet',
      metadata: { name: 'trial' },
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: 'trial' } },
        template: { metadata: { labels: { app: 'trial' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    },
  },
};

export function isAddOn(key: string): key is AddOnKey {
  return Object.hasOwn(addOns, key);
}
