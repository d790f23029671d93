import { type KubeObject, keyOf, objectKey, splitKey } from '../../objects.ts';
import { timestamp } from '../../time/clock.ts';
import { writeStatus } from '../common/status-writer.ts';
import { type Controller, type ControllerContext, Reconciler } from '../controller.ts';
import {
  boundStatus,
  namingClaim,
  takenVolume,
  type Volume,
  type VolumeClaim,
  volumeFor,
  volumePhase,
} from './bind.ts';

const name = 'persistent-volume-binder';
const volumes = 'persistentvolumes';
const claims = 'persistentvolumeclaims';
const classes = 'storage.k8s.io/storageclasses';

/** Gives claims the volumes that are there. None is made for a claim: there is nothing to make volumes of. */
export function startVolumeBinder(context: ControllerContext): Controller {
  const { view, clock } = context;
  const client = context.clientFor(name);

  async function bindClaim(key: string): Promise<void> {
    const { namespace, name: claimName } = splitKey(key);
    const claim = view.get<VolumeClaim>(claims, namespace, claimName);
    if (!claim || claim.metadata.deletionTimestamp !== undefined || claim.status?.phase === 'Bound') return;
    const chosen = volumeFor(claim, view.list<Volume>(volumes), waitsForPod(claim));
    if (!chosen) return;
    // The volume first: a second claim then finds it taken.
    const taken = takenVolume(chosen, claim);
    const volume = taken ? await client.update(volumes, taken) : chosen;
    const named = await client.update(claims, namingClaim(claim, volume.metadata.name));
    await writeStatus(client, claims, named, { ...(named.status ?? {}), ...boundStatus(volume) });
  }

  function waitsForPod({ spec }: VolumeClaim): boolean {
    const storageClass = spec.storageClassName ? view.get(classes, '', spec.storageClassName) : undefined;
    return storageClass?.['volumeBindingMode'] === 'WaitForFirstConsumer';
  }

  async function describeVolume(volumeName: string): Promise<void> {
    const volume = view.get<Volume>(volumes, '', volumeName);
    if (!volume || volume.metadata.deletionTimestamp !== undefined) return;
    const { namespace = '', name: claimName = '' } = volume.spec.claimRef ?? {};
    const phase = volumePhase(volume, view.get<VolumeClaim>(claims, namespace, claimName));
    if (volume.status?.phase === phase) return;
    await writeStatus(client, volumes, volume, { phase, lastPhaseTransitionTime: timestamp(clock.now()) });
  }

  const bindings = new Reconciler(context, { name, concurrency: 1, reconcile: done(bindClaim) });
  const phases = new Reconciler(context, { name, concurrency: 1, reconcile: done(describeVolume) });
  const waiting = () =>
    view.list<VolumeClaim>(claims).filter(({ status }) => status?.phase === undefined || status.phase === 'Pending');
  const watching = [
    view.watch(claims, ({ object }) => {
      bindings.add(keyOf(object));
      for (const volume of volumesOf(object, view.list<Volume>(volumes))) phases.add(volume.metadata.name);
    }),
    view.watch(volumes, ({ object }) => {
      phases.add(object.metadata.name);
      for (const claim of waiting()) bindings.add(keyOf(claim));
    }),
  ];
  return {
    stop() {
      for (const watch of watching) watch.stop();
      bindings.stop();
      phases.stop();
    },
  };
}

function done(work: (key: string) => Promise<void>): (key: string) => Promise<undefined> {
  return (key) => work(key).then(() => undefined);
}

/** Those that name a claim. */
function volumesOf({ metadata }: KubeObject, all: readonly Volume[]): readonly Volume[] {
  const key = objectKey(metadata.namespace, metadata.name);
  return all.filter(
    ({ spec }) => spec.claimRef && objectKey(spec.claimRef.namespace, spec.claimRef.name ?? '') === key,
  );
}
