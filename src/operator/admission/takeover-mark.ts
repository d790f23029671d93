/**
 * By this, and by our name, API servers know the deletion with which we complete an eviction, and do not ask about it again. It is
 * what pods are deleted with anyway; our other deletions, the repairs of rollouts, say nothing of it and are judged.
 */
export const takeoverPropagation = 'Background';
