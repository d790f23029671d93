import type { Fleet } from '../fleet.ts';
import type { DetailApi } from '../serve/ui-server.ts';

export function createDetailApi(_fleet: Fleet): DetailApi {
  return { get: async () => undefined, post: async () => undefined };
}
