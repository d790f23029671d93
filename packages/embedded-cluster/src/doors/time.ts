/** Clocks and chance, which are arguments everywhere; virtual time for simulations. */

export { type Clock, realClock, sleep } from '../time/clock.ts';
export { seededRandom } from '../time/random.ts';
export { untilIdle, VirtualClock } from '../time/virtual-clock.ts';
