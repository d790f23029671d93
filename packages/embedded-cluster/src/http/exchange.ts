import type { IncomingMessage, ServerResponse } from 'node:http';
import type { User } from '../auth/user.ts';
import type { Reply } from './reply.ts';
import type { ResourceRequest } from './request-info.ts';

/** One request on its way through the server, after it is known who asks and that they may. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
  readonly info: ResourceRequest;
  readonly user: User;
  /** They become Warning headers of the answer. */
  readonly warnings: string[];
}

/** 'streaming': the handler has taken over the response. */
export type Answer = Reply | 'streaming';
