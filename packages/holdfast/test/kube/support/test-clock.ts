import { VirtualClock } from '../../../../embedded-cluster/src/time/virtual-clock.ts';
import type { Clock } from '../../../src/kube/time/clock.ts';

/** Time that moves only when told to. Its wall clock can be wrong; its monotonic one cannot. */
export class TestClock extends VirtualClock implements Clock {
  skewMs = 0;

  override now(): number {
    return super.now() + this.skewMs;
  }
}
