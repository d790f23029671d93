import type { JSX } from 'preact';
import type { WhatIfResult } from '../../model.ts';

export function Comparison({
  comparison,
}: {
  readonly comparison: NonNullable<WhatIfResult['comparison']>;
}): JSX.Element {
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
          {comparison.rows.map(([name = '', asItIs = '', changed = '']) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{asItIs}</td>
              <td>{asItIs === changed ? changed : <strong>{changed}</strong>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
