const ordinalName = /^(.*)-([0-9]{1,10})$/;
const maxOrdinal = 2_147_483_647;

/** The parts of a name that a StatefulSet gave. */
export function splitOrdinal(name: string): { readonly parent: string; readonly ordinal: number } | undefined {
  const [, parent, digits] = ordinalName.exec(name) ?? [];
  const ordinal = Number(digits);
  return parent === undefined || ordinal > maxOrdinal ? undefined : { parent, ordinal };
}
