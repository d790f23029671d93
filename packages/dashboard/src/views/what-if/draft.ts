import { signal } from '@preact/signals';

/** What the reader has filled in: it stays while other views are looked at. */
export interface Draft {
  readonly kind: 'drain' | 'plan' | 'upgrade' | 'zone';
  readonly nodes: ReadonlySet<string>;
  readonly zone: string;
  readonly maxUnavailable: string;
  readonly nodeSeconds: string;
  /** YAML; empty: nothing is changed. */
  readonly changes: string;
}

export const emptyDraft: Draft = {
  kind: 'drain',
  nodes: new Set(),
  zone: '',
  maxUnavailable: '1',
  nodeSeconds: '180',
  changes: '',
};

export const draft = signal<Draft>(emptyDraft);

export function change(part: Partial<Draft>): void {
  draft.value = { ...draft.value, ...part };
}

/** Begins with a budget to edit. */
export function draftBudget(manifest: string): void {
  change({ changes: manifest });
}
