/** Reasons of events that the operator writes and the command line looks for. */

/** Of an event about what passed and would have been refused. */
export const observedReason = 'DisruptionObserved';

/** Of an event about calls of the webhook that did not prove to come from an API server. */
export const unprovenReason = 'UnprovenCalls';
