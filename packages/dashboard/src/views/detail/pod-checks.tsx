import type { JSX } from 'preact';
import type { PodDetail } from '../../model.ts';
import { Tag } from '../../parts/tag.tsx';
import { Blockers } from './blockers.tsx';
import { askedText } from './words.ts';

export function PodChecks({ detail }: { readonly detail: PodDetail }): JSX.Element {
  const { holdfast, kubernetes, asked, by } = detail;
  return (
    <section class="panel" aria-labelledby="checks-title">
      <h2 id="checks-title">Two checks</h2>
      <div class="pair">
        <div>
          <h3>Holdfast</h3>
          <May may={holdfast.may} />
          {holdfast.blockers.length === 0 ? <p>{holdfast.reason}</p> : <Blockers blockers={holdfast.blockers} />}
          <p class="dim">{askedText(asked)}</p>
        </div>
        <div>
          <h3>Kubernetes' own check</h3>
          <May may={kubernetes.may} />
          <p>{kubernetes.text}</p>
        </div>
      </div>
      <p class="dim">{by === 'holdfast' ? 'Holdfast' : "Kubernetes' own check"} has the last word here.</p>
    </section>
  );
}

function May({ may }: { readonly may: boolean }): JSX.Element {
  return (
    <Tag icon={may ? 'now' : 'blocked'} tone={may ? 'now' : 'blocked'}>
      {may ? 'allows the eviction' : 'refuses the eviction'}
    </Tag>
  );
}
