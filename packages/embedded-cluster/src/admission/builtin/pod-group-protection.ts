import { podGroups, protectionFinalizer } from '../../controllers/workload/pod-group.ts';
import type { Plugin } from './plugin.ts';

/** A pod group is not gone while pods belong to it: its controller takes the finalizer off again. */
export const podGroupProtection: Plugin = {
  admit({ type, subresource, operation }, draft) {
    if (type.key !== podGroups || subresource !== '' || operation !== 'CREATE' || !draft) return;
    const given = draft.metadata.finalizers ?? [];
    if (!given.includes(protectionFinalizer)) draft.metadata.finalizers = [...given, protectionFinalizer];
  },
};
