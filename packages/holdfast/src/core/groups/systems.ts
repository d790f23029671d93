import type { GroupSystem } from './system.ts';
import { aibrix } from './systems/aibrix.ts';
import { coscheduling } from './systems/coscheduling.ts';
import { grove } from './systems/grove.ts';
import { jobSet } from './systems/job-set.ts';
import { kubeRay } from './systems/kube-ray.ts';
import { kueue } from './systems/kueue.ts';
import { leaderWorkerSet } from './systems/leader-worker-set.ts';
import { native } from './systems/native.ts';
import { roleBasedGroup } from './systems/role-based-group.ts';
import { volcano } from './systems/volcano.ts';

/** The groups of the Kubernetes API itself. A pod may have one of these beside one of a convention. */
export const nativeSystem = native;

/** In the order in which their claims are tried: the more exact claim first (Kueue wraps LWS groups, coscheduling wraps anything). */
export const conventions: readonly GroupSystem[] = [
  leaderWorkerSet,
  jobSet,
  kubeRay,
  grove,
  roleBasedGroup,
  aibrix,
  kueue,
  volcano,
  coscheduling,
];

export const groupSystems: readonly GroupSystem[] = [nativeSystem, ...conventions];
