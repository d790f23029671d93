import type { GroupRow, PodDot } from '../../model.ts';
import { counted, numberText } from '../../words/counts.ts';
import { dotWords, probeWords } from '../../words/states.ts';

/** `2 of 3 pods up, needs 3`. */
export function groupNumbers({ healthy, size, minimum, missing }: GroupRow): string {
  const absent = missing === 0 ? '' : `, ${numberText(missing)} missing`;
  return `${numberText(healthy)} of ${counted(size, 'pod')} up, needs ${numberText(minimum)}${absent}`;
}

/** What the disruption probes of a group say, without when. */
export function probeText({ probe }: GroupRow): string | undefined {
  if (probe === undefined) return undefined;
  const { yes, no, unconfirmed } = probe;
  const parts = [
    ...(no === 0 ? [] : [`${numberText(no)} cannot be lost`]),
    ...(unconfirmed === 0 ? [] : [`${numberText(unconfirmed)} not confirmed`]),
    ...(yes === 0 ? [] : [`${numberText(yes)} can be lost`]),
  ];
  return `probe: ${parts.length === 0 ? 'no answer yet' : parts.join(', ')}`;
}

export function dotText({ name, node, state, why, probe }: PodDot): string {
  return [
    `${name}: ${dotWords[state]}`,
    ...(why === undefined ? [] : [why]),
    ...(probe === undefined ? [] : [`probe says: ${probeWords[probe]}`]),
    ...(node === undefined ? [] : [`on ${node}`]),
  ].join(', ');
}

/** Groups that do not serve first, in the order in which they came otherwise. */
export function groupOrder(groups: readonly GroupRow[]): readonly GroupRow[] {
  return groups.toSorted((a, b) => Number(a.available) - Number(b.available));
}

/** Up to so many dots keep their places; of larger groups the members that are not up come first. */
export const fewDots = 16;
/** Three rows of small dots; what is left out is up, or counted in the text beside them. */
const maxDots = 48;

export function shownDots(dots: readonly PodDot[]): readonly PodDot[] {
  if (dots.length <= fewDots) return dots;
  return dots.toSorted((a, b) => Number(a.state === 'up') - Number(b.state === 'up')).slice(0, maxDots);
}
