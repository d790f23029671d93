import { annotationField } from '@holdfast/base/annotations';
import { type FieldError, invalid, misspelt } from '@holdfast/base/field-errors';
import { nearest } from '@holdfast/base/nearest';
import { annotation } from '../../api/names.ts';
import type { StatefulSet } from '../../api/statefulset.ts';

export const enforcedRollingUpdate = 'EnforcedRollingUpdate';

/** Long enough for a pod that only restarts to come back, short against the hours in which a person would notice. */
const defaultSettleSeconds = 30;

export const strategyField = 'spec.updateStrategy.type';

/** A type that the API server will refuse, and that is almost ours: its answer names only its own two. */
export function misspeltStrategy({ spec }: StatefulSet): FieldError | undefined {
  const type = spec?.updateStrategy?.type;
  if (type === undefined || type === '' || builtinStrategies.includes(type) || type === enforcedRollingUpdate)
    return undefined;
  const known = [...builtinStrategies, enforcedRollingUpdate];
  return nearest(type, known) === enforcedRollingUpdate ? misspelt(strategyField, type, known) : undefined;
}

const builtinStrategies: readonly string[] = ['RollingUpdate', 'OnDelete'];

export type NotOptedIn =
  | { readonly why: 'notAsked' }
  /** OnDelete and Recreate replace pods by rules of their own, which leave no room for a repair in order. */
  | { readonly why: 'otherStrategy'; readonly strategy: string }
  /** With Parallel the built-in controller never waits for a broken pod, so there is nothing to repair. */
  | { readonly why: 'parallel' }
  /** A person pauses the repair for a while, and leaves the opt-in in place. */
  | { readonly why: 'stopped' };

export type RolloutOptIn =
  | { readonly kind: 'on'; readonly settleSeconds: number }
  | ({ readonly kind: 'off' } & NotOptedIn)
  | { readonly kind: 'invalid'; readonly errors: readonly FieldError[] };

/** A word that we do not know is an error that its author gets to see: silence would look like consent, or like a refusal. */
export function parseRolloutOptIn(set: StatefulSet): RolloutOptIn {
  const annotations = set.metadata.annotations ?? {};
  const word = annotations[annotation.updateStrategy];
  if (word !== undefined && word !== enforcedRollingUpdate) {
    return {
      kind: 'invalid',
      errors: [misspelt(annotationField(annotation.updateStrategy), word, [enforcedRollingUpdate])],
    };
  }
  const strategy = set.spec?.updateStrategy?.type || 'RollingUpdate';
  if (strategy !== 'RollingUpdate' && strategy !== enforcedRollingUpdate)
    return { kind: 'off', why: 'otherStrategy', strategy };
  if (word === undefined && strategy !== enforcedRollingUpdate) return { kind: 'off', why: 'notAsked' };
  if (set.spec?.podManagementPolicy === 'Parallel') return { kind: 'off', why: 'parallel' };
  const stop = annotations[annotation.rolloutStop];
  if (stop !== undefined && stop !== 'true' && stop !== 'false') {
    const field = annotationField(annotation.rolloutStop);
    return { kind: 'invalid', errors: [misspelt(field, stop, ['true', 'false'])] };
  }
  const settle = parseSettleSeconds(annotations[annotation.rolloutSettleSeconds]);
  return settle.kind === 'on' && stop === 'true' ? { kind: 'off', why: 'stopped' } : settle;
}

function parseSettleSeconds(value: string | undefined): RolloutOptIn {
  if (value === undefined) return { kind: 'on', settleSeconds: defaultSettleSeconds };
  if (/^[0-9]{1,9}$/.test(value)) return { kind: 'on', settleSeconds: Number(value) };
  const detail = 'must be a whole number of seconds, 0 or more, of at most nine digits';
  return { kind: 'invalid', errors: [invalid(annotationField(annotation.rolloutSettleSeconds), value, detail)] };
}
