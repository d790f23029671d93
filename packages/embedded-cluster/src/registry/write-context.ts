import type { User } from '../auth/user.ts';

/** Who writes, and how it is to be done. The same for a request over HTTP and for a controller of our own. */
export interface WriteContext {
  readonly user: User;
  readonly dryRun: boolean;
  /** Under which name fields are owned. */
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  /** Filled on the way; they become Warning headers. */
  readonly warnings: string[];
  /** CreateOptions and the like as the client sent them: webhooks see them. */
  readonly options: Readonly<Record<string, unknown>>;
}

export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';
