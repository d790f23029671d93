import type { JSX } from 'preact';
import type { NodeDetailPod } from '../../model.ts';
import { BudgetLink, PodLink } from '../../parts/link.tsx';
import { Tag } from '../../parts/tag.tsx';
import { counted } from '../../words/counts.ts';
import { Blockers } from './blockers.tsx';
import { podOrder } from './pod-order.ts';
import { roundText, unitText } from './words.ts';

/** A node has a few hundred pods at most; a kubelet's own limit is 110. */
const maxRows = 500;

export function NodePods({ pods }: { readonly pods: readonly NodeDetailPod[] }): JSX.Element {
  const ordered = podOrder(pods);
  return (
    <section class="panel" aria-labelledby="pods-title">
      <h2 id="pods-title">Pods that a drain would evict</h2>
      {pods.length === 0 ? <p class="dim">None.</p> : null}
      {pods.length === 0 ? null : (
        <table class="stacked">
          <thead>
            <tr>
              <th scope="col">Pod</th>
              <th scope="col">When</th>
              <th scope="col">What it costs</th>
              <th scope="col">Budget</th>
            </tr>
          </thead>
          <tbody>
            {ordered.slice(0, maxRows).map((pod) => (
              <PodRow key={`${pod.namespace}/${pod.name}`} pod={pod} />
            ))}
          </tbody>
        </table>
      )}
      {pods.length > maxRows ? <p class="dim">And {counted(pods.length - maxRows, 'more pod')}.</p> : null}
    </section>
  );
}

function PodRow({ pod }: { readonly pod: NodeDetailPod }): JSX.Element {
  const tone = pod.round === undefined ? 'blocked' : pod.round === 1 ? 'now' : 'later';
  return (
    <>
      <tr class={pod.blockers.length === 0 ? '' : 'has-more'}>
        <th scope="row">
          <PodLink namespace={pod.namespace} name={pod.name} />
        </th>
        <td>
          <Tag icon={tone} tone={tone}>
            {roundText(pod.round)}
          </Tag>
        </td>
        <td>{unitText(pod)}</td>
        <td>{pod.budget === undefined ? 'none' : <BudgetLink budget={pod.budget} />}</td>
      </tr>
      {pod.blockers.length === 0 ? null : (
        <tr class="more">
          <td colSpan={4}>
            <Blockers blockers={pod.blockers} />
          </td>
        </tr>
      )}
    </>
  );
}
