import type { JSX } from 'preact';
import type { DrainPod, DrainProgress } from '../../model.ts';
import { Ago, For } from '../../parts/age.tsx';
import { Icon } from '../../parts/icon.tsx';
import { BudgetLink, NodeLink, PodLink } from '../../parts/link.tsx';
import { Tag } from '../../parts/tag.tsx';
import { counted } from '../../words/counts.ts';
import { drainPodWords, progressOf, progressText } from './drain-words.ts';

export function DrainCard({ drain }: { readonly drain: DrainProgress }): JSX.Element {
  const { key, state, since, sinceStart, lastEvictionAt, drainedAt, pods, podsLeftOut } = drain;
  const text = progressText(drain);
  return (
    <article class={`card ${state}`}>
      <div class="card-head">
        <Icon name={state} />
        <h3>
          <NodeLink name={key} />
        </h3>
        <span>{text}</span>
        <span class="when dim">
          {drainedAt === undefined ? (
            <>
              cordoned <For since={since} atLeast={sinceStart} />
              {lastEvictionAt === undefined ? null : (
                <>
                  , last eviction <Ago at={lastEvictionAt} />
                </>
              )}
            </>
          ) : (
            <>
              drained <Ago at={drainedAt} />
            </>
          )}
        </span>
      </div>
      <div
        class="progress"
        role="progressbar"
        aria-label={`${key}: ${text}`}
        aria-valuenow={Math.round(progressOf(drain))}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <div style={{ width: `${progressOf(drain)}%` }} />
      </div>
      {pods.length === 0 ? null : <DrainPods pods={pods} label={key} />}
      {podsLeftOut === 0 ? null : <p class="dim">And {counted(podsLeftOut, 'more pod')}.</p>}
    </article>
  );
}

function DrainPods({ pods, label }: { readonly pods: readonly DrainPod[]; readonly label: string }): JSX.Element {
  return (
    <table class="stacked" aria-label={`Pods that are left on ${label}`}>
      <thead>
        <tr>
          <th scope="col">Pod</th>
          <th scope="col">State</th>
          <th scope="col">Waits for</th>
        </tr>
      </thead>
      <tbody>
        {pods.map((pod) => (
          <tr key={`${pod.namespace}/${pod.name}`}>
            <th scope="row">
              <PodLink namespace={pod.namespace} name={pod.name} />
            </th>
            <td>
              <Tag icon={looks[pod.state].icon} tone={looks[pod.state].tone}>
                {drainPodWords[pod.state]}
                {pod.since === undefined ? null : (
                  <>
                    {' '}
                    <For since={pod.since} />
                  </>
                )}
              </Tag>
            </td>
            <td>
              {pod.why ?? ''}
              {pod.budget === undefined ? null : (
                <>
                  {' '}
                  <BudgetLink budget={pod.budget} />
                </>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const looks = {
  leaving: { icon: 'draining', tone: 'draining' },
  ready: { icon: 'now', tone: 'now' },
  waits: { icon: 'later', tone: 'later' },
  blocked: { icon: 'blocked', tone: 'blocked' },
} as const;
