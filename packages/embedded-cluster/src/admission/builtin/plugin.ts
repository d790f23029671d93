import type { KubeObject } from '../../objects.ts';
import type { Clock } from '../../time/clock.ts';
import type { Random } from '../../time/random.ts';
import type { View } from '../../view.ts';
import type { AdmissionRequest } from '../admission.ts';

export interface PluginContext {
  readonly view: View;
  readonly clock: Clock;
  readonly random: Random;
}

/** A rule of the API server itself. Refusals are thrown as ApiError. */
export interface Plugin {
  /** May change the draft, which is the request's own copy of its object, except in requests to its status. */
  admit?(request: AdmissionRequest, draft: KubeObject | undefined, context: PluginContext): void | Promise<void>;
  validate?(request: AdmissionRequest, context: PluginContext): void;
}
