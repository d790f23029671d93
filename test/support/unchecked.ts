import fc from 'fast-check';

/** Gives unchecked JSON the type that a valid object would have: what arrives from the network is that. */
export function unchecked<T>(json: unknown): T {
  return json as T;
}

/**
 * Objects that use the given words as keys and, now and then, as values, nested at random: plain random JSON would
 * hardly ever get past the first look at a field.
 */
export function hostileJson(words: readonly string[]): fc.Arbitrary<unknown> {
  const word = fc.constantFrom(...words);
  const { node } = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 6, withCrossShrink: true },
      fc.oneof(word, fc.integer({ min: -1, max: 3 }), fc.constantFrom(null, '', '50%'), fc.anything()),
      fc.dictionary(word, tie('node'), { maxKeys: 5 }),
      fc.array(tie('node'), { maxLength: 3 }),
    ),
  }));
  return fc.oneof(fc.anything(), fc.jsonValue(), node, fc.dictionary(word, node, { maxKeys: 8 }));
}
