/** The names by which LeaderWorkerSets mark what is theirs. */

const own = 'leaderworkerset.sigs.k8s.io';

/** Labels of pods; StatefulSets and revisions have some of them. */
export const setName = `${own}/name`;
export const groupIndex = `${own}/group-index`;
export const workerIndex = `${own}/worker-index`;
export const groupKey = `${own}/group-key`;
export const revisionHash = `${own}/template-revision-hash`;
export const subGroupIndex = `${own}/subgroup-index`;
export const subGroupKey = `${own}/subgroup-key`;

/** Annotations of pods. */
export const size = `${own}/size`;
export const leaderName = `${own}/leader-name`;
export const exclusiveTopology = `${own}/exclusive-topology`;
export const subGroupSize = `${own}/subgroup-size`;
export const subGroupPolicyType = `${own}/subgroup-policy-type`;
export const subGroupExclusiveTopology = `${own}/subgroup-exclusive-topology`;
export const subdomainPolicy = `${own}/subdomainPolicy`;

/** Annotation of the leaders' StatefulSet: the replicas that were asked for, without those of a surge. */
export const replicas = `${own}/replicas`;

/** Annotation of a LeaderWorkerSet: a group that has not come up completely is not recreated. */
export const recreateAfterStart = `${own}/experimental-recreate-group-after-start`;
