import type { Finding, LintObject, Rule } from '../../core/lint/finding.ts';
import { objectName } from './lint-text.ts';
import type { SourcePlace } from './manifest-files.ts';

/** For programs: stable names, and what people see. */
export function lintJson(
  findings: readonly Finding[],
  placeOf: (object: LintObject, field?: string) => SourcePlace | undefined,
): object {
  return {
    findings: findings.map(({ rule, object, field, message }) => ({
      code: rule.code,
      name: rule.name,
      severity: rule.severity,
      object: { apiVersion: object.apiVersion, kind: object.kind, ...nameOf(object) },
      ...(field === undefined ? {} : { field }),
      message,
      why: rule.why,
      fix: rule.fix,
      ...placeOf(object, field),
    })),
  };
}

function nameOf({ metadata: { namespace, name } }: LintObject): object {
  return namespace === undefined ? { name } : { namespace, name };
}

/** SARIF 2.1.0, which code hosts show beside the lines. */
export function lintSarif(
  findings: readonly Finding[],
  rules: readonly Rule[],
  placeOf: (object: LintObject, field?: string) => SourcePlace | undefined,
): object {
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'holdfast', rules: rules.map(ruleEntry) } },
        results: findings.map(({ rule, object, field, message }) => ({
          ruleId: rule.code,
          ruleIndex: rules.indexOf(rule),
          level: rule.severity,
          message: { text: `${objectName(object)}: ${message}` },
          locations: [locationOf(object, placeOf(object, field))],
        })),
      },
    ],
  };
}

function ruleEntry({ code, name, severity, why, fix }: Rule): object {
  return {
    id: code,
    name,
    shortDescription: { text: why },
    help: { text: fix },
    defaultConfiguration: { level: severity },
  };
}

function locationOf(object: LintObject, place: SourcePlace | undefined): object {
  const logicalLocations = [{ fullyQualifiedName: objectName(object), kind: 'object' }];
  if (place === undefined) return { logicalLocations };
  const region = place.line === undefined ? {} : { region: { startLine: place.line } };
  return { physicalLocation: { artifactLocation: { uri: encodeURI(place.file) }, ...region }, logicalLocations };
}
