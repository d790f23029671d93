import { ledgerGroup, maxJudges, maxReservations, maxRestarts, maxSizes } from '../ledger.ts';
import { protectOperations } from '../pub/pub.ts';
import { age, type CustomResourceDefinition, type PrinterColumn, rootSchema, type Schema } from './schema.ts';

const reservation: Schema = {
  type: 'object',
  required: ['pod', 'uid', 'operation', 'time', 'view'],
  properties: {
    pod: { type: 'string', description: 'Name of the pod that may be disrupted.' },
    uid: { type: 'string', description: 'Uid of that pod: another pod of the same name has no part in it.' },
    operation: { type: 'string', enum: protectOperations, description: 'What was allowed.' },
    time: { type: 'string', format: 'date-time', description: 'When it was allowed.' },
    view: { type: 'string', description: 'The resourceVersion of the pods that the verdict was made from.' },
    generation: {
      type: 'integer',
      format: 'int64',
      description: "The pod's generation when it was allowed; a newer one shows that an update happened.",
    },
    change: {
      type: 'object',
      required: ['from'],
      description: 'What an UPDATE or RESIZE does to the pod: it ends when the pod shows that this is over.',
      properties: {
        from: { type: 'string', description: 'The resourceVersion of the pod that the change was asked for.' },
        restarts: {
          type: 'array',
          maxItems: maxRestarts,
          'x-kubernetes-list-type': 'atomic',
          items: { type: 'string' },
          description:
            'The containers that it restarts: name, digest of the container ID, restart count, number of changes to come, and digest of what was asked of it before.',
        },
        announced: {
          type: 'boolean',
          description: 'The pod was taken out of service for an update in place that was not asked for yet.',
        },
        open: { type: 'boolean', description: 'Nothing in the status of the pod will show when the change is over.' },
      },
    },
    conditional: {
      type: 'boolean',
      description:
        'It was allowed only if pods were still as the operator saw them. No other pod is disrupted because of it until its own pod is terminating or deleted.',
    },
    claim: {
      type: 'string',
      description: 'The request that it was made for, which may take it back when the condition does not hold.',
    },
    judgedBy: {
      type: 'array',
      description:
        'Digests of the budgets that allowed it, of their uids and rules. A repeated request is answered by the reservation only while the budgets are the same.',
      'x-kubernetes-list-type': 'atomic',
      maxItems: maxJudges,
      items: { type: 'string' },
    },
    overdue: {
      type: 'object',
      required: ['phase', 'by', 'since'],
      description: 'Set when the disruption was not seen in time. It ends when a newer view shows the pod alive.',
      properties: {
        phase: {
          type: 'string',
          enum: ['waiting', 'closed'],
          description: 'Whether a request that was admitted may still be under way, or none can be any more.',
        },
        by: { type: 'string', description: 'The leader whose clock is meant.' },
        since: { type: 'string', format: 'date-time', description: 'When that leader began to wait.' },
        podsVersion: {
          type: 'string',
          description: 'Only a view of the pods at least as new as this resourceVersion may end the reservation.',
        },
      },
    },
  },
};

const spec: Schema = {
  type: 'object',
  description: 'The reservations, and up to which resourceVersion they have been followed.',
  properties: {
    reservations: {
      type: 'array',
      description: 'Disruptions that were allowed and are not yet seen to have happened, the oldest first.',
      // The list is replaced as a whole by compare-and-swap; a merge of two lists could overspend a budget.
      'x-kubernetes-list-type': 'atomic',
      maxItems: maxReservations,
      items: reservation,
    },
    watermark: {
      type: 'string',
      description: 'Reservations seen to have happened up to this resourceVersion of the pods are gone from the list.',
    },
    sizes: {
      type: 'array',
      description:
        'The sizes of groups whose size nothing states: what each had when its owner last had all the pods it wants.',
      'x-kubernetes-list-type': 'atomic',
      maxItems: maxSizes,
      items: {
        type: 'object',
        required: ['group', 'unit', 'size'],
        properties: {
          group: { type: 'string', description: 'A digest of its label key, its label value and its root owner.' },
          unit: { type: 'string', description: 'Its name.' },
          size: { type: 'integer', format: 'int32', minimum: 1, description: 'How many pods make it whole.' },
          emptySince: {
            type: 'string',
            format: 'date-time',
            description: 'Since when it has had no pod. A day later its size is forgotten.',
          },
        },
      },
    },
  },
};

/** A column cannot count a list, so the first entry stands for it: none is an empty cell. */
const columns: readonly PrinterColumn[] = [
  {
    name: 'Reserved',
    type: 'string',
    jsonPath: '.spec.reservations[0].pod',
    description: 'The pod of the first reservation',
  },
  { name: 'Since', type: 'date', jsonPath: '.spec.reservations[0].time', description: 'How long it has been reserved' },
  age,
];

export const disruptionLedgerCrd: CustomResourceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `disruptionledgers.${ledgerGroup}` },
  spec: {
    group: ledgerGroup,
    names: {
      kind: 'DisruptionLedger',
      listKind: 'DisruptionLedgerList',
      plural: 'disruptionledgers',
      singular: 'disruptionledger',
    },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        additionalPrinterColumns: columns,
        schema: {
          openAPIV3Schema: rootSchema(
            'Remembers which disruptions were allowed in its namespace, so that no budget is spent twice. Kept by Holdfast; there is nothing to edit.',
            { spec },
          ),
        },
      },
    ],
  },
};
