import type { Finding, LintObject } from '../../core/lint/finding.ts';
import type { Paint } from '../output/paint.ts';
import type { SourcePlace } from './manifest-files.ts';

/** How a finding is told to people: where, what, why it matters, and what to do. */
export function lintText(
  findings: readonly Finding[],
  placeOf: (object: LintObject, field?: string) => SourcePlace | undefined,
  paint: Paint,
): string {
  const blocks = findings.map(({ rule, object, field, message }) => {
    const where = placeText(placeOf(object, field));
    const head = `${where}${paint(rule.severity === 'error' ? 'bad' : 'warn', `${rule.severity} ${rule.code}`)} ${objectName(object)}: ${message}`;
    return `${head}\n  ${rule.why}\n  ${paint('good', 'Fix:')} ${rule.fix}\n`;
  });
  return [...blocks, `${summary(findings)}\n`].join('\n');
}

export function objectName({ kind, metadata }: LintObject): string {
  return metadata.namespace === undefined
    ? `${kind} ${metadata.name}`
    : `${kind} ${metadata.namespace}/${metadata.name}`;
}

function placeText(place: SourcePlace | undefined): string {
  if (place === undefined) return '';
  return place.line === undefined ? `${place.file}: ` : `${place.file}:${place.line}: `;
}

function summary(findings: readonly Finding[]): string {
  if (findings.length === 0) return 'Nothing found.';
  const errors = findings.filter(({ rule }) => rule.severity === 'error').length;
  return `${counted(errors, 'error')}, ${counted(findings.length - errors, 'warning')}.`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
