import type { JSX } from 'preact';
import { pathOf } from '../../live/ask.ts';
import { useAnswer } from '../../live/use-answer.ts';
import type { PodDetail } from '../../model.ts';
import { NodeLink } from '../../parts/link.tsx';
import { counted } from '../../words/counts.ts';
import { Answered } from './answered.tsx';
import { Headline, InTerminal } from './explained.tsx';
import { Facts } from './facts.tsx';
import { PodBudgets } from './pod-budgets.tsx';
import { PodChecks } from './pod-checks.tsx';
import { PodProbePanel } from './pod-probe.tsx';
import { Reservations } from './reservations.tsx';

export function PodView({ namespace, name }: { readonly namespace: string; readonly name: string }): JSX.Element {
  const answer = useAnswer<PodDetail>(pathOf('pods', namespace, name));
  return (
    <Answered title={`Pod ${namespace}/${name}`} answer={answer}>
      {(detail) => (
        <>
          <Headline {...detail} />
          <div class="columns">
            <div class="column wide">
              <PodChecks detail={detail} />
              <PodBudgets budgets={detail.budgets} />
            </div>
            <div class="column">
              <PodFacts detail={detail} />
              {detail.probe === undefined ? null : <PodProbePanel probe={detail.probe} />}
              <Reservations reservations={detail.reservations} />
              <InTerminal commands={detail.commands} text={detail.text} />
            </div>
          </div>
        </>
      )}
    </Answered>
  );
}

function PodFacts({ detail: { pod, owners } }: { readonly detail: PodDetail }): JSX.Element {
  return (
    <section class="panel" aria-labelledby="facts-title">
      <h2 id="facts-title">This pod</h2>
      <Facts
        rows={[
          { name: 'Node', value: pod.node === undefined ? 'none yet' : <NodeLink name={pod.node} /> },
          { name: 'Ready', value: pod.ready ? 'yes' : 'no' },
          ...(pod.down === undefined ? [] : [{ name: 'Does not count as up', value: pod.down }]),
          ...owners.map(({ kind, name, replicas }, index) => ({
            name: index === 0 ? 'Owner' : 'owned by',
            value: `${kind} ${name}${replicas === undefined ? '' : `, ${counted(replicas, 'replica')}`}`,
          })),
        ]}
      />
    </section>
  );
}
