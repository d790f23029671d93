import { sameJson } from '@holdfast/base/json';
import type { Client } from '../../client.ts';
import { isApiError } from '../../errors.ts';
import { type KubeObject, keyOf, type ResourceKey } from '../../objects.ts';
import type { View } from '../../view.ts';
import { type EndpointsObject, endpointsDocument, sliceDocument } from './documents.ts';
import type { Slice } from './slice-set.ts';
import type { Subsets } from './subsets.ts';
import type { ServiceObject } from './types.ts';

export const endpointSlices = 'discovery.k8s.io/endpointslices';

/** Objects that are being written right now: the events of these writes are no news. */
export type Writing = Set<string>;

export function writingKey(resource: ResourceKey, object: KubeObject): string {
  return `${resource} ${keyOf(object)}`;
}

export class EndpointsWriter {
  readonly #view: View;
  readonly #client: Client;
  readonly #writing: Writing;

  constructor(view: View, client: Client, writing: Writing) {
    this.#view = view;
    this.#client = client;
    this.#writing = writing;
  }

  async writeSlice(service: ServiceObject, slice: Slice): Promise<void> {
    const document = sliceDocument(service, slice);
    slice.dirty = false;
    slice.object = slice.object
      ? await this.#marked(endpointSlices, document, () => this.#client.update(endpointSlices, document))
      : await this.#client.create(endpointSlices, document);
  }

  async removeSlice(slice: KubeObject): Promise<void> {
    const { namespace = '', name } = slice.metadata;
    await this.#marked(endpointSlices, slice, () => gone(this.#client.delete(endpointSlices, namespace, name)));
  }

  async writeEndpoints(service: ServiceObject, subsets: Subsets): Promise<void> {
    const { namespace = '', name } = service.metadata;
    const current = this.#view.get<EndpointsObject>('endpoints', namespace, name);
    const wanted = endpointsDocument(service, current, subsets);
    if (!current) await this.#client.create('endpoints', wanted);
    else if (!isSame(current, wanted)) {
      await this.#marked('endpoints', wanted, () => this.#client.update('endpoints', wanted));
    }
  }

  async removeEndpoints(namespace: string, name: string): Promise<void> {
    if (this.#view.get('endpoints', namespace, name)) await gone(this.#client.delete('endpoints', namespace, name));
  }

  async #marked<T>(resource: ResourceKey, object: KubeObject, write: () => Promise<T>): Promise<T> {
    const key = writingKey(resource, object);
    this.#writing.add(key);
    try {
      return await write();
    } finally {
      this.#writing.delete(key);
    }
  }
}

function isSame(current: EndpointsObject, wanted: EndpointsObject): boolean {
  const { labels = {}, annotations = {} } = current.metadata;
  return (
    sameJson(current.subsets ?? [], wanted.subsets ?? []) &&
    sameJson(labels, wanted.metadata.labels ?? {}) &&
    sameJson(annotations, wanted.metadata.annotations ?? {})
  );
}

async function gone(removal: Promise<void>): Promise<void> {
  try {
    await removal;
  } catch (error) {
    if (!isApiError(error, 404)) throw error;
  }
}
