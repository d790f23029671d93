import type { LabelSelector, LabelSelectorRequirement } from 'kubernetes-types/meta/v1.js';

/** A selector as Kubernetes prints its own structures in the text of an event. */
export function selectorAsGoText(selector: LabelSelector | undefined): string {
  if (selector === undefined) return 'nil';
  const labels = Object.entries(selector.matchLabels ?? {})
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, value]) => `${key}: ${value},`);
  const expressions = (selector.matchExpressions ?? []).map((expression) => `${requirementText(expression)},`);
  const parts = [
    `MatchLabels:map[string]string{${labels.join('')}},`,
    `MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},`,
  ];
  return `&LabelSelector{${parts.join('')}}`;
}

function requirementText({ key, operator, values }: LabelSelectorRequirement): string {
  return `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${(values ?? []).join(' ')}],}`;
}
