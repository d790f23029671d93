import type { JSX } from 'preact';
import type { WhatIfResult } from '../../model.ts';
import { Tag } from '../../parts/tag.tsx';
import { counted } from '../../words/counts.ts';
import { type Measure, measuresOf } from './measures.ts';

export function Comparison({
  comparison,
}: {
  readonly comparison: NonNullable<WhatIfResult['comparison']>;
}): JSX.Element {
  const { outage, different, same } = measuresOf(comparison.rows);
  return (
    <section class="panel" aria-labelledby="comparison-title">
      <h2 id="comparison-title">Compared: {comparison.changes.join(', ')}</h2>
      <table class="comparison">
        <thead>
          <tr>
            <td />
            <th scope="col">As it is</th>
            <th scope="col">Changed</th>
          </tr>
        </thead>
        <tbody>
          {outage === undefined ? null : (
            <tr>
              <th scope="row">{outage.name}</th>
              <td>
                <Outage length={outage.asItIs} />
              </td>
              <td>
                <Outage length={outage.changed} />
              </td>
            </tr>
          )}
          {different.map((measure) => (
            <Row key={measure.name} measure={measure} />
          ))}
        </tbody>
      </table>
      {same.length === 0 ? null : (
        <details>
          <summary>{counted(same.length, 'measure')} the same in both</summary>
          <p>{same.map(({ name, changed }) => `${name}: ${changed}`).join('; ')}</p>
        </details>
      )}
    </section>
  );
}

function Row({ measure: { name, asItIs, changed } }: { readonly measure: Measure }): JSX.Element {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{asItIs}</td>
      <td>
        <strong>{changed}</strong>
      </td>
    </tr>
  );
}

/** What is faster and has an outage must not look better. */
function Outage({ length }: { readonly length: string }): JSX.Element {
  const never = length === 'never';
  return (
    <Tag icon={never ? 'now' : 'blocked'} tone={never ? 'now' : 'blocked'}>
      {length}
    </Tag>
  );
}
