import type { RefusalCode } from '../../api/refusals/reasons.ts';

/** A right that the user lacks, and which answers cannot be given without it. */
export interface MissingRight {
  readonly verb: 'get' | 'list';
  /** As `kubectl auth can-i` takes it: `podunavailablebudgets.policy.kruise.io`. */
  readonly resource: string;
  /** `all`: no pod can be judged. Otherwise: refusals with these codes may come from the missing right alone. */
  readonly hides: 'all' | readonly RefusalCode[];
}

/** Something that could not be read, and what follows: it is told, and never guessed. */
export interface Gap {
  /** Kinds, in the plural, and where. */
  readonly what: string;
  readonly why: string;
  readonly follows: string;
  /** Absent: nothing is refused because of it. */
  readonly right?: MissingRight;
}

export function gapText({ what, why, follows }: Gap): string {
  return `${what} cannot be read (${why}): ${follows}`;
}

export function listRight(group: string, plural: string, hides: MissingRight['hides']): MissingRight {
  return { verb: 'list', resource: resourceText(group, plural), hides };
}

export function resourceText(group: string, plural: string): string {
  return group === '' ? plural : `${plural}.${group}`;
}
