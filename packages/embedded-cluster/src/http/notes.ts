import type { Classification } from '../flowcontrol/flow-control.ts';

/** What is known of a request beside its answer, and goes with the answer, also where that is a refusal. */
export interface Notes {
  /** They become Warning headers. */
  readonly warnings: string[];
  /** Headers that say to which flow it belongs, once it is known who asks. */
  flow: Readonly<Record<string, string>>;
}

export function newNotes(): Notes {
  return { warnings: [], flow: {} };
}

export function flowHeaders(flow: Classification | undefined): Readonly<Record<string, string>> {
  if (!flow) return {};
  return {
    'x-kubernetes-pf-flowschema-uid': flow.flowSchemaUid,
    'x-kubernetes-pf-prioritylevel-uid': flow.priorityLevelUid,
  };
}
