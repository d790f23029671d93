import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { testbedFolder } from '../modules.ts';

/** Which of Kubernetes' own specs are run, kept as data in `config/upstream-e2e.yaml`. */
export interface Selection {
  /** How long one spec may take: some wait without an end for what does not come. */
  readonly specMinutes: number;
  readonly slices: readonly Slice[];
  readonly leftOut: readonly Omission[];
}

export interface Slice {
  readonly name: string;
  /** A regular expression on the whole name of a spec. A spec belongs to the first slice that it matches. */
  readonly focus: string;
  /** Nothing more of it is begun after this time. */
  readonly minutes: number;
}

/** Specs that cannot pass on either cluster and would only wait in vain, and why. */
export interface Omission {
  readonly reason: string;
  /** Not a word is lost about it in the table: it is what the slices are not about. */
  readonly outOfScope?: boolean;
  /** Regular expressions on the whole name of a spec. */
  readonly specs: readonly string[];
}

export type Place =
  | { readonly kind: 'run'; readonly slice: string }
  | { readonly kind: 'leftOut'; readonly slice: string; readonly reason: string }
  | { readonly kind: 'elsewhere' };

export function readSelection(): Selection {
  return parse(readFileSync(join(testbedFolder, 'config/upstream-e2e.yaml'), 'utf8')) as Selection;
}

export function placeOf(spec: string, { slices, leftOut }: Selection): Place {
  const slice = slices.find(({ focus }) => new RegExp(focus).test(spec))?.name;
  if (slice === undefined) return { kind: 'elsewhere' };
  const omission = leftOut.find(({ specs }) => specs.some((pattern) => new RegExp(pattern).test(spec)));
  if (omission === undefined) return { kind: 'run', slice };
  return omission.outOfScope === true ? { kind: 'elsewhere' } : { kind: 'leftOut', slice, reason: omission.reason };
}
