import type { KubeClient } from './client.ts';

/** The verbs that change nothing. What is given only this cannot write, whatever mistake is made in it. */
export type KubeReader = Pick<
  KubeClient,
  'get' | 'getMetadata' | 'collectionVersion' | 'document' | 'stream' | 'watch'
>;

/** Also while it runs: the object that comes of it has no other method, and does not lead to the client. */
export function readerOf(client: KubeReader): KubeReader {
  return Object.freeze<KubeReader>({
    get: (...call) => client.get(...call),
    getMetadata: (...call) => client.getMetadata(...call),
    collectionVersion: (...call) => client.collectionVersion(...call),
    document: (...call) => client.document(...call),
    stream: (...call) => client.stream(...call),
    watch: (...call) => client.watch(...call),
  });
}
