import type { IntOrString } from '@holdfast/base/int-or-string';
import type { ObjectMeta } from '@holdfast/base/meta';

export interface StatefulSet {
  readonly metadata: ObjectMeta;
  readonly spec?: {
    readonly replicas?: number;
    readonly podManagementPolicy?: string;
    readonly minReadySeconds?: number;
    readonly volumeClaimTemplates?: readonly { readonly metadata?: { readonly name?: string } }[];
    readonly ordinals?: { readonly start?: number };
    readonly updateStrategy?: {
      readonly type?: string;
      readonly rollingUpdate?: { readonly partition?: number; readonly maxUnavailable?: IntOrString };
    };
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly currentRevision?: string;
    readonly updateRevision?: string;
  };
}
