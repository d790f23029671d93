import type { ComponentChildren, JSX } from 'preact';

export interface FactRow {
  readonly name: string;
  readonly value: ComponentChildren;
}

export function Facts({ rows }: { readonly rows: readonly FactRow[] }): JSX.Element {
  return (
    <dl class="fact-list">
      {rows.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
