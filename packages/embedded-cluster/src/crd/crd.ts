import type { RawSchema } from '../kinds/schema.ts';
import type { KubeObject } from '../objects.ts';

/** A CustomResourceDefinition after defaulting, as far as the server works with it. */
export interface Crd extends KubeObject {
  spec: CrdSpec;
  status?: CrdStatus;
}

export interface CrdSpec {
  group: string;
  names: CrdNames;
  scope: string;
  versions: CrdVersion[];
  conversion?: CrdConversion;
  preserveUnknownFields?: boolean;
}

export interface CrdNames {
  plural: string;
  singular?: string;
  shortNames?: string[];
  kind: string;
  listKind?: string;
  categories?: string[];
}

export interface CrdVersion {
  name: string;
  served: boolean;
  storage: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  schema?: { openAPIV3Schema?: RawSchema };
  subresources?: CrdSubresources;
  additionalPrinterColumns?: PrinterColumn[];
  selectableFields?: { jsonPath: string }[];
}

export interface CrdSubresources {
  status?: object;
  scale?: ScalePaths;
}

export interface ScalePaths {
  specReplicasPath: string;
  statusReplicasPath: string;
  labelSelectorPath?: string;
}

export interface PrinterColumn {
  name: string;
  type: string;
  format?: string;
  description?: string;
  priority?: number;
  jsonPath: string;
}

export interface CrdConversion {
  strategy: string;
  webhook?: { clientConfig?: WebhookClientConfig; conversionReviewVersions?: string[] };
}

export interface WebhookClientConfig {
  url?: string;
  service?: { namespace: string; name: string; path?: string; port?: number };
  caBundle?: string;
}

export interface CrdStatus {
  conditions?: CrdCondition[];
  acceptedNames?: CrdNames;
  storedVersions?: string[];
}

export interface CrdCondition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
  lastTransitionTime?: string;
}

export function crdHasCondition(crd: Crd, type: string): boolean {
  return (crd.status?.conditions ?? []).some((condition) => condition.type === type && condition.status === 'True');
}

export function storageVersionOf(crd: Crd): CrdVersion | undefined {
  return crd.spec.versions.find((version) => version.storage);
}
