import type { JSX } from 'preact';
import type { BudgetDetail } from '../../model.ts';
import { Tag } from '../../parts/tag.tsx';
import { counted } from '../../words/counts.ts';
import { askedText } from './words.ts';

/** Our number beside Kubernetes' own: they differ where a budget counts groups, and that is why a drain is refused. */
export function BudgetChecks({ detail }: { readonly detail: BudgetDetail }): JSX.Element {
  const { budget, kubernetes, asked, evictable } = detail;
  const allowed = budget.allowed ?? 0;
  const tone = allowed > 0 ? 'now' : 'blocked';
  return (
    <section class="panel" aria-labelledby="checks-title">
      <h2 id="checks-title">Two checks</h2>
      <div class="pair">
        <div>
          <h3>Holdfast</h3>
          <Tag icon={tone} tone={tone}>
            {allowed === 0 ? `no ${budget.unit}` : counted(allowed, budget.unit)} may be disrupted now
          </Tag>
          <p>
            {counted(evictable, 'pod')} of {budget.pods} could be evicted now, each alone.
          </p>
          <p class="dim">{askedText(asked)}</p>
        </div>
        <div>
          <h3>Kubernetes' own check</h3>
          {kubernetes === undefined ? (
            <p class="dim">Kubernetes by itself does not know this kind of budget.</p>
          ) : (
            <>
              <Tag icon={kubernetes.allowed > 0 ? 'now' : 'blocked'} tone={kubernetes.allowed > 0 ? 'now' : 'blocked'}>
                {kubernetes.allowed === 0 ? 'no pod' : counted(kubernetes.allowed, 'pod')} may be disrupted
              </Tag>
              <p>{kubernetes.text}</p>
            </>
          )}
        </div>
      </div>
    </section>
  );
}
