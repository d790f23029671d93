/** Chance is an argument, so that tests choose it. In [0, 1). */
export type Random = () => number;

/** Spreads clients apart; nothing secret comes from it. */
export const systemRandom: Random = () => Math.random();
