import type { JSX } from 'preact';
import type { WhatIfPlan, WhatIfWave } from '../../model.ts';
import { BudgetLink, NodeLink } from '../../parts/link.tsx';
import { counted, listText } from '../../words/counts.ts';
import { spanText } from '../../words/time.ts';

/** A wave of hundreds of nodes says enough with the first of them. */
const maxNodes = 24;
const maxWaves = 60;

export function Waves({ plan }: { readonly plan: WhatIfPlan }): JSX.Element {
  const { waves, never, atLeast, seconds } = plan;
  const total = waves.reduce((sum, { nodes }) => sum + nodes.length, 0);
  return (
    <section class="panel" aria-labelledby="waves-title">
      <h2 id="waves-title">
        Plan: {counted(total, 'node')} in {counted(waves.length, 'wave')}
      </h2>
      <p class="dim">
        No plan has fewer than {counted(atLeast, 'wave')}. About {spanText(seconds * 1_000)} without the maintenance of
        the nodes itself. A wave begins when the pods of the one before are back.
      </p>
      {never.length === 0 ? null : (
        <ul class="reasons">
          {never.map(({ node, why }) => (
            <li key={node} class="note blocked">
              <span>
                <NodeLink name={node} /> cannot be drained: {why}
              </span>
            </li>
          ))}
        </ul>
      )}
      <ol class="waves">
        {waves.slice(0, maxWaves).map((wave, index) => (
          <li key={index}>
            <Wave wave={wave} number={index + 1} />
          </li>
        ))}
      </ol>
      {waves.length > maxWaves ? <p class="dim">And {counted(waves.length - maxWaves, 'more wave')}.</p> : null}
    </section>
  );
}

function Wave({ wave, number }: { readonly wave: WhatIfWave; readonly number: number }): JSX.Element {
  const { nodes, budgets, seconds } = wave;
  const limits = budgets.filter(({ atLimit }) => atLimit);
  return (
    <article class="wave">
      <h3>
        Wave {number}{' '}
        <span class="dim">
          {counted(nodes.length, 'node')}, about {spanText(seconds * 1_000)}
        </span>
      </h3>
      <ul>
        {nodes.slice(0, maxNodes).map(({ name, pods, groups }) => (
          <li key={name}>
            <NodeLink name={name} />{' '}
            <span class="dim">
              {counted(pods, 'pod')}
              {groups.length === 0 ? '' : `, takes ${listText(groups, 2)} down`}
            </span>
          </li>
        ))}
        {nodes.length > maxNodes ? <li class="dim">and {counted(nodes.length - maxNodes, 'more node')}</li> : null}
      </ul>
      {limits.length === 0 ? null : (
        <p class="dim">
          At its limit:{' '}
          {limits.map(({ budget, available, desired }, index) => (
            <span key={budget}>
              {index === 0 ? '' : ', '}
              <BudgetLink budget={budget} /> ({available} available, {desired} needed)
            </span>
          ))}
        </p>
      )}
    </article>
  );
}
