import type { Container, PodSpec, Volume } from 'kubernetes-types/core/v1.js';
import { type Random, randomSuffix } from '../../time/random.ts';

const volumePrefix = 'kube-api-access-';
const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount';
/** An hour and seven seconds: the odd number marks a lifetime that the client did not ask for. */
const tokenSeconds = 3607;
const readableByAll = 0o644;

/** Mounts the account's token where clients look for it, in every container that has nothing there yet. */
export function mountToken(spec: PodSpec, random: Random): void {
  const existing = spec.volumes?.find((volume) => volume.name.startsWith(volumePrefix));
  const name = existing?.name ?? `${volumePrefix}${randomSuffix(random)}`;
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
  const without = containers.filter((container) => !hasMount(container));
  for (const container of without) {
    container.volumeMounts = [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath }];
  }
  if (!existing && without.length > 0) spec.volumes = [...(spec.volumes ?? []), tokenVolume(name)];
}

function hasMount(container: Container): boolean {
  return container.volumeMounts?.some((mount) => mount.mountPath === mountPath) ?? false;
}

function tokenVolume(name: string): Volume {
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: tokenSeconds, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        {
          downwardAPI: {
            items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
          },
        },
      ],
      defaultMode: readableByAll,
    },
  };
}
