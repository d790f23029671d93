import { isThere, numberAt, objectAt, objectsAt, specOf, statusOf, textAt } from '../kinds/builtin/checks/read.ts';
import type { Cells } from '../kinds/builtin-types.ts';
import type { JsonObject } from '../objects.ts';
import { ageOf } from './age.ts';
import { none, quantityText, unset } from './texts.ts';

const shownMetrics = 2;
const unknown = '<unknown>';

export const autoscalerCells: Cells = (object, nowMs) => {
  const spec = specOf(object);
  const target = objectAt(spec, 'scaleTargetRef');
  const least = numberAt(spec, 'minReplicas');
  return [
    object.metadata.name,
    `${textAt(target, 'kind')}/${textAt(target, 'name')}`,
    metricsText(objectsAt(spec, 'metrics'), objectsAt(statusOf(object), 'currentMetrics')),
    least === undefined ? unset : String(least),
    numberAt(spec, 'maxReplicas') ?? 0,
    numberAt(statusOf(object), 'currentReplicas') ?? 0,
    ageOf(object, nowMs),
  ];
};

function metricsText(metrics: readonly JsonObject[], statuses: readonly JsonObject[]): string {
  if (metrics.length === 0) return none;
  const texts = metrics.slice(0, shownMetrics).map((metric, index) => metricText(metric, statuses[index]));
  const more = metrics.length - texts.length;
  return more > 0 ? `${texts.join(', ')} + ${more} more...` : texts.join(', ');
}

/** Current and target value. The status of a metric stands at the same place in its list as the metric does. */
function metricText(metric: JsonObject, status: JsonObject | undefined): string {
  switch (textAt(metric, 'type')) {
    case 'Resource':
      return resourceText(objectAt(metric, 'resource'), objectAt(status, 'resource'));
    case 'ContainerResource':
      return resourceText(objectAt(metric, 'containerResource'), objectAt(status, 'containerResource'));
    case 'Pods':
      return averageText(objectAt(metric, 'pods'), objectAt(status, 'pods'));
    case 'Object':
      return valueText(objectAt(metric, 'object'), objectAt(status, 'object'));
    case 'External':
      return valueText(objectAt(metric, 'external'), objectAt(status, 'external'));
    default:
      return '<unknown type>';
  }
}

function resourceText(source: JsonObject | undefined, status: JsonObject | undefined): string {
  const target = objectAt(source, 'target');
  if (isThere(target?.['averageValue'])) return `${textAt(source, 'name')}: ${averageText(source, status)}`;
  const current = percent(objectAt(status, 'current')) ?? unknown;
  return `${textAt(source, 'name')}: ${current}/${percent(target) ?? '<auto>'}`;
}

function averageText(source: JsonObject | undefined, status: JsonObject | undefined): string {
  const current = status ? amount(objectAt(status, 'current'), 'averageValue') : unknown;
  return `${current}/${amount(objectAt(source, 'target'), 'averageValue')}`;
}

function valueText(source: JsonObject | undefined, status: JsonObject | undefined): string {
  const target = objectAt(source, 'target');
  const current = objectAt(status, 'current');
  if (isThere(target?.['averageValue'])) {
    const average = isThere(current?.['averageValue']) ? amount(current, 'averageValue') : unknown;
    return `${average}/${amount(target, 'averageValue')} (avg)`;
  }
  return `${status ? amount(current, 'value') : unknown}/${amount(target, 'value')}`;
}

function percent(values: JsonObject | undefined): string | undefined {
  const utilization = numberAt(values, 'averageUtilization');
  return utilization === undefined ? undefined : `${utilization}%`;
}

/** A quantity that is not there reads as the API server prints one. */
function amount(values: JsonObject | undefined, key: string): string {
  return isThere(values?.[key]) ? quantityText(values?.[key]) : '<nil>';
}
