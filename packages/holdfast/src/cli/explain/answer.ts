import type { Verdict } from '../../core/verdict.ts';
import type { BuiltinAnswer } from './builtin-check.ts';
import type { DryRun } from './dry-run.ts';

/** Whether the API server asks Holdfast about the pods of a namespace. */
export type Asked =
  | { readonly kind: 'yes' }
  /** It is asked, and lets everything pass. */
  | { readonly kind: 'observed'; readonly why: string }
  | { readonly kind: 'no'; readonly why: string }
  /** The user may not see it. It counts as a yes. */
  | { readonly kind: 'unknown'; readonly why: string };

/** May the pod go now, and who has the last word. */
export interface Answer {
  readonly may: boolean;
  readonly by: 'holdfast' | 'kubernetes';
  readonly text: string;
}

/** Two gates: Holdfast first, then Kubernetes' own check, unless Holdfast completes the eviction itself. */
export function combinedAnswerOf(ours: Verdict, builtin: BuiltinAnswer, asked: Asked): Answer {
  if (asked.kind === 'no') {
    return { may: builtin.allows, by: 'kubernetes', text: `Holdfast is not asked here: ${asked.why}` };
  }
  if (asked.kind === 'observed') return observedAnswer(ours, builtin);
  if (ours.result === 'deny') return { may: false, by: 'holdfast', text: ours.message };
  if (ours.effects.complete === 'takeover') {
    const besides = builtin.allows ? '' : ', so that the built-in check, which would refuse, is not asked';
    return { may: true, by: 'holdfast', text: `Holdfast allows it and completes the eviction itself${besides}` };
  }
  return {
    may: builtin.allows,
    by: 'kubernetes',
    text: `Holdfast allows it (${ours.reason}); Kubernetes' own check: ${builtin.text}`,
  };
}

function observedAnswer(ours: Verdict, builtin: BuiltinAnswer): Answer {
  const said =
    ours.result === 'deny'
      ? `it would be refused; observe mode lets it pass: ${ours.message}`
      : `Holdfast would allow it (${ours.reason}), and only observes here`;
  return { may: builtin.allows, by: 'kubernetes', text: `${said}; Kubernetes' own check: ${builtin.text}` };
}

/** Whether a no of ours is one: it is taken for one where it is not known whether we are asked. */
export function enforces({ kind }: Asked): boolean {
  return kind === 'yes' || kind === 'unknown';
}

/** How the API server's answer to a dry run compares with what we expect of it. */
export type DryRunComparison =
  | { readonly kind: 'agrees'; readonly text?: string }
  | { readonly kind: 'disagrees'; readonly text: string }
  | { readonly kind: 'none' };

/** A dry run is never completed by us, so that its answer is the built-in check's wherever Holdfast says yes. */
export function compare(ours: Verdict, builtin: BuiltinAnswer, asked: Asked, said: DryRun): DryRunComparison {
  if (said.kind !== 'allowed' && said.kind !== 'refused') return { kind: 'none' };
  const weRefuse = enforces(asked) && ours.result === 'deny';
  const expected = !weRefuse && builtin.allows;
  const refusedByWebhook = said.kind === 'refused' && said.by === 'webhook';
  if (expected !== (said.kind === 'allowed')) return { kind: 'disagrees', text: whyDifferent(weRefuse, said, asked) };
  if (weRefuse && !refusedByWebhook) {
    return {
      kind: 'disagrees',
      text: 'the API server refuses, but not because of Holdfast, which was not asked or said yes',
    };
  }
  if (!weRefuse && refusedByWebhook) return { kind: 'disagrees', text: 'a webhook refuses where Holdfast would not' };
  const taken = ours.result === 'allow' && ours.effects.complete === 'takeover' && enforces(asked);
  return taken && !builtin.allows
    ? {
        kind: 'agrees',
        text: 'Holdfast completes no dry run, so this is the answer of the built-in check; a real eviction goes through',
      }
    : { kind: 'agrees' };
}

function whyDifferent(weRefuse: boolean, said: DryRun, asked: Asked): string {
  if (said.kind === 'refused') {
    return said.by === 'webhook'
      ? 'the operator, or another webhook, knows something else than what was read here; look again in a moment'
      : "the built-in check refuses although its budget's status allows it; look again in a moment";
  }
  if (weRefuse) {
    return asked.kind === 'unknown'
      ? 'it lets the pod go, and Holdfast would not: perhaps no operator is asked here'
      : 'it lets the pod go, and Holdfast, as far as can be read here, would not: the operator saw something newer, or is not asked';
  }
  return "it lets the pod go although the built-in budget's status does not; look again in a moment";
}
