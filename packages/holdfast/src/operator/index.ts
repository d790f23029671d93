/** The door of the operator: start it, register its webhooks; for simulations, run it without sockets. */

export { type InProcessWebhooks, serveInProcess } from './admission/wire/in-process.ts';
export { barePaths } from './certificates/caller-paths.ts';
export type { Certificates } from './certificates/certificates.ts';
export type { OperatorEdges } from './edges.ts';
export { type RunningOperator, runOperator, startOperator } from './operator.ts';
export { registerWebhooks } from './registration/register.ts';
export { untilTrusted } from './registration/trust.ts';
export type { OperatorSettings } from './settings.ts';
