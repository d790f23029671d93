import type { Removal } from './state.ts';
import type { Member } from './view.ts';

export function removalOf(member: Member, why: Removal['why']): Removal {
  const { name, ordinal, uid, resourceVersion } = member;
  return { why, pod: name, ordinal, uid, resourceVersion };
}
