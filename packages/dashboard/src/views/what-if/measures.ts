export interface Measure {
  readonly name: string;
  readonly asItIs: string;
  readonly changed: string;
}

export interface Measures {
  /** For how long nothing served: the server's first row, which is always shown. */
  readonly outage?: Measure;
  readonly different: readonly Measure[];
  readonly same: readonly Measure[];
}

/** What a reader decides by, apart from what did not change. */
export function measuresOf(rows: readonly (readonly string[])[]): Measures {
  const measures = rows.map(([name = '', asItIs = '', changed = '']): Measure => ({ name, asItIs, changed }));
  const [outage, ...rest] = measures;
  return {
    ...(outage === undefined ? {} : { outage }),
    different: rest.filter(({ asItIs, changed }) => asItIs !== changed),
    same: rest.filter(({ asItIs, changed }) => asItIs === changed),
  };
}
