import { annotation } from '../../../packages/holdfast/src/api/names.ts';
import { Application, type Mood } from '../../../packages/holdfast/test/agent/support/application.ts';
import { made } from '../../support/cluster.ts';
import type { ProtectedCluster } from '../../support/protected-cluster.ts';
import { type Named, type PodWish, pod } from './objects.ts';
import type { Scene } from './scene.ts';

/** Addresses of this machine, for the pods of nodes that play no network of their own. */
const podCIDR = '127.99.0.0/16';

/** What the embedded cluster's pods are told to answer. */
const steering: Readonly<Record<Mood, string | null>> = { yes: null, no: 'fail', silent: 'slow' };
const steer = 'sim.holdfast.dev/probe';

/**
 * What the applications in pods answer when they are asked at the pod's own address. On the embedded cluster its nodes listen
 * there; elsewhere no containers run, and pods get addresses at which a server of the test's own listens.
 */
export class Applications {
  readonly #cluster: ProtectedCluster;
  readonly #server: Application;
  readonly #moods = new Map<string, Mood>();

  private constructor(cluster: ProtectedCluster, server: Application) {
    this.#cluster = cluster;
    this.#server = server;
  }

  static async start(cluster: ProtectedCluster): Promise<Applications> {
    return new Applications(cluster, await Application.start(cluster.embedded ? '127.0.0.1' : '0.0.0.0'));
  }

  /** What a node needs for its pods to be reached. */
  get nodeSpec(): object {
    return this.#cluster.embedded ? {} : { podCIDR, podCIDRs: [podCIDR] };
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  /** A pod that is asked every second. */
  probed(scene: Scene, name: string, { annotations = {}, ...wish }: PodWish = {}): Named {
    const mood = steering[this.#moods.get(placeOf(scene, name)) ?? 'yes'];
    const steered = this.#cluster.embedded && mood !== null ? { [steer]: mood } : {};
    const probe = { [annotation.disruptionProbe]: JSON.stringify(this.#probe(scene, name)) };
    return pod(name, { ...wish, annotations: { ...probe, ...steered, ...annotations } });
  }

  /** What a pod of that name will say from its beginning. */
  expect(scene: Scene, name: string, mood: Mood): void {
    this.#moods.set(placeOf(scene, name), mood);
    if (!this.#cluster.embedded) this.#server.says(placeOf(scene, name), mood);
  }

  /** A pod that is there says something else from now on. */
  async says(scene: Scene, name: string, mood: Mood): Promise<void> {
    this.expect(scene, name, mood);
    if (!this.#cluster.embedded) return;
    const annotations = { [steer]: steering[mood] };
    await made(scene.change('Pod', name, { metadata: { annotations } }));
  }

  #probe(scene: Scene, name: string): object {
    const httpGet = { path: `/${placeOf(scene, name)}`, port: this.#server.port };
    return { httpGet, periodSeconds: 15, timeoutSeconds: 15, failureThreshold: 1 };
  }
}

function placeOf({ namespace }: Scene, name: string): string {
  return `${namespace}.${name}`;
}
