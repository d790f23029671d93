import { isUnset } from '@holdfast/base/json';
import type { KubeObject } from '../objects.ts';

/**
 * Events exist twice, in the core group and in events.k8s.io, and are the same objects: what is written in one can be
 * read in the other. Only the names of the fields differ.
 */

type Names = readonly (readonly [core: string, events: string])[];

const fieldNames: Names = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
];

const toEvents: ReadonlyMap<string, string> = new Map(fieldNames);
const toCore: ReadonlyMap<string, string> = new Map(fieldNames.map(([core, events]) => [events, core]));

/** Fields that an answer always has, with or without a value. */
const coreAlways: Readonly<Record<string, unknown>> = {
  source: {},
  firstTimestamp: null,
  lastTimestamp: null,
  eventTime: null,
  reportingComponent: '',
  reportingInstance: '',
};
const eventsAlways: Readonly<Record<string, unknown>> = {
  eventTime: null,
  deprecatedSource: {},
  deprecatedFirstTimestamp: null,
  deprecatedLastTimestamp: null,
};
/** Fields that events.k8s.io leaves out where the core group writes an empty text. */
const eventsNeverEmpty = ['reportingController', 'reportingInstance'];

export function convertEvent(event: KubeObject, apiVersion: string): KubeObject {
  if (event.apiVersion === apiVersion) return event;
  const core = apiVersion === 'v1';
  const converted = rename(event, core ? toCore : toEvents, apiVersion);
  for (const [field, value] of Object.entries(core ? coreAlways : eventsAlways)) {
    if (isUnset(converted[field])) converted[field] = value;
  }
  if (!core) for (const field of eventsNeverEmpty) if (converted[field] === '') delete converted[field];
  return converted;
}

function rename(event: KubeObject, names: ReadonlyMap<string, string>, apiVersion: string): KubeObject {
  const renamed: KubeObject = { apiVersion, kind: event.kind, metadata: event.metadata };
  for (const [field, value] of Object.entries(event)) {
    if (field !== 'apiVersion') renamed[names.get(field) ?? field] = value;
  }
  return renamed;
}
