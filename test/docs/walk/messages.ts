import type { Access } from '../../../packages/holdfast/src/kube/config/access.ts';

export interface StartMessage {
  readonly kind: 'start';
  readonly access: Omit<Access, 'server'> & { readonly server: string };
  readonly namespace: string;
}

/** To the process of the operator. `reset` begins to count, `take` asks for what ran since. */
export type ToOperator = StartMessage | { readonly kind: 'reset' } | { readonly kind: 'take' };

export type FromOperator =
  | { readonly kind: 'ready'; readonly port: number }
  /** The files of which a function ran, with the names of those functions. */
  | { readonly kind: 'ran'; readonly files: readonly (readonly [string, readonly string[]])[] };
