/** The structural subset of OpenAPI v3 that CustomResourceDefinitions are written in, and the pieces that several share. */

export interface Schema {
  readonly description?: string;
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'boolean';
  readonly format?: 'int32' | 'int64' | 'date-time';
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly enum?: readonly string[];
  readonly default?: string | number | boolean;
  readonly minimum?: number;
  readonly minLength?: number;
  readonly maxItems?: number;
  readonly 'x-kubernetes-int-or-string'?: true;
  readonly 'x-kubernetes-preserve-unknown-fields'?: true;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular';
}

export interface PrinterColumn {
  readonly name: string;
  readonly type: 'integer' | 'string' | 'date';
  readonly jsonPath: string;
  readonly description?: string;
}

export interface CustomResourceDefinition {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly names: {
      readonly kind: string;
      readonly listKind: string;
      readonly plural: string;
      readonly singular: string;
      readonly shortNames?: readonly string[];
    };
    readonly scope: 'Namespaced';
    readonly conversion?: { readonly strategy: 'None' };
    readonly versions: readonly CrdVersion[];
  };
}

export interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly subresources?: { readonly status: Readonly<Record<string, never>> };
  readonly additionalPrinterColumns: readonly PrinterColumn[];
  readonly schema: { readonly openAPIV3Schema: Schema };
}

export const age: PrinterColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

/** The root of every kind: what it is, its metadata (which the API server knows), and the given parts. */
export function rootSchema(description: string, parts: Readonly<Record<string, Schema>>): Schema {
  return {
    description,
    type: 'object',
    properties: {
      apiVersion: { type: 'string', description: 'The API group and version that this object is written in.' },
      kind: { type: 'string', description: 'The kind of this object.' },
      metadata: { type: 'object' },
      ...parts,
    },
  };
}

export function count(description: string): Schema {
  return { type: 'integer', format: 'int32', description };
}

/** The API server lets integers and strings through; which of them make sense is checked on admission. */
export function intOrPercent(description: string): Schema {
  return { 'x-kubernetes-int-or-string': true, description };
}

export function timesByName(description: string): Schema {
  return { type: 'object', description, additionalProperties: { type: 'string', format: 'date-time' } };
}

/** Atomic: half of one selector merged with half of another selects what neither author wanted. */
export function labelSelector(description: string): Schema {
  return {
    type: 'object',
    description,
    'x-kubernetes-map-type': 'atomic',
    properties: {
      matchLabels: {
        type: 'object',
        description: 'Labels that a pod must have, with exactly these values.',
        additionalProperties: { type: 'string' },
      },
      matchExpressions: {
        type: 'array',
        description: 'Further requirements; a pod must meet all of them.',
        'x-kubernetes-list-type': 'atomic',
        items: requirement,
      },
    },
  };
}

const requirement: Schema = {
  type: 'object',
  required: ['key', 'operator'],
  properties: {
    key: { type: 'string', description: 'The label that this is about.' },
    operator: {
      type: 'string',
      description: 'How the label relates to the values: In, NotIn, Exists or DoesNotExist.',
    },
    values: {
      type: 'array',
      description: 'At least one value for In and NotIn; none for Exists and DoesNotExist.',
      'x-kubernetes-list-type': 'atomic',
      items: { type: 'string' },
    },
  },
};

export function conditions(description: string): Schema {
  return {
    type: 'array',
    description,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
    items: {
      type: 'object',
      required: ['type', 'status'],
      properties: {
        type: { type: 'string', description: 'What this condition is about.' },
        status: { type: 'string', enum: ['True', 'False', 'Unknown'], description: 'Whether it holds.' },
        reason: { type: 'string', description: 'Why, in one word for programs.' },
        message: { type: 'string', description: 'Why, in a sentence for people.' },
        lastTransitionTime: { type: 'string', format: 'date-time', description: 'When the status last changed.' },
        observedGeneration: {
          type: 'integer',
          format: 'int64',
          description: 'The generation of the spec that this was found for.',
        },
      },
    },
  };
}
