import { type FieldError, forbidden, invalid, notSupported, required } from '@holdfast/base/field-errors';
import { CelCache } from '../../cel/cel.ts';
import type { Schema, ValidationRule } from '../../kinds/schema.ts';
import { ruleVariables } from '../../schema/cel-rules.ts';
import { addAll } from '../../schema/result.ts';
import { schemaAt } from './crd-parts-validation.ts';
import { type Cardinality, costProblem, within } from './rule-cost.ts';
import { undefinedField, withTypeAndMetadata } from './rule-fields.ts';

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const programs = new CelCache();

/** The rules of a schema must be complete, compile, and look back only where it is known what a value was before. */
export function schemaRuleErrors(schema: Schema, field: string): FieldError[] {
  return errorsAt(schema, field, { lost: undefined, times: 1 }, true);
}

interface AncestorLimits {
  /** The first place above from which on old values cannot be found. */
  readonly lost: string | undefined;
  readonly times: Cardinality;
}

function errorsAt(schema: Schema, field: string, around: AncestorLimits, root = false): FieldError[] {
  const { lost, times } = around;
  const typed = root ? withTypeAndMetadata(schema) : schema;
  const errors = (schema['x-kubernetes-validations'] ?? []).flatMap((rule, index) =>
    ruleErrorsAt(rule, typed, `${field}.x-kubernetes-validations[${index}]`, around),
  );
  const atomic = schema['x-kubernetes-map-type'] === 'atomic' ? field : undefined;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    addAll(errors, errorsAt(property, `${field}.properties[${name}]`, { lost: lost ?? atomic, times }));
  }
  if (typeof schema.additionalProperties === 'object') {
    const inside = { lost, times: within(times, schema.maxProperties) };
    addAll(errors, errorsAt(schema.additionalProperties, `${field}.additionalProperties`, inside));
  }
  if (schema.items) {
    const unkeyed = schema['x-kubernetes-list-type'] === 'map' ? undefined : field;
    const inside = { lost: lost ?? unkeyed, times: within(times, schema.maxItems) };
    addAll(errors, errorsAt(schema.items, `${field}.items`, inside));
  }
  return errors;
}

function ruleErrorsAt(rule: ValidationRule, schema: Schema, field: string, around: AncestorLimits): FieldError[] {
  const { lost, times } = around;
  const errors = textErrors(rule, schema, field);
  if (errors.length > 0) return errors;
  const compiled = programs.compile(rule.rule, ruleVariables);
  if (!compiled.ok) return [invalid(`${field}.rule`, rule, compiled.message)];
  const { program } = compiled;
  const unknown = undefinedField(program, schema, rule.optionalOldSelf === true);
  if (unknown !== undefined) return [invalid(`${field}.rule`, rule, unknown)];
  if (program.type !== 'bool' && program.type !== 'dyn') {
    errors.push(invalid(`${field}.rule`, rule, 'cel expression must evaluate to a bool'));
  }
  if (program.reads.has('oldSelf')) {
    if (lost !== undefined) {
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${lost}`;
      errors.push(invalid(`${field}.rule`, rule.rule, detail));
    }
  } else if (rule.optionalOldSelf !== undefined) {
    const detail = 'may not be set if oldSelf is not used in rule';
    errors.push(invalid(`${field}.optionalOldSelf`, rule.optionalOldSelf, detail));
  }
  const expensive = costProblem(program.loops, schema, times);
  if (expensive !== undefined) errors.push(forbidden(`${field}.rule`, expensive));
  return [...errors, ...messageErrors(rule, field)];
}

function messageErrors(rule: ValidationRule, field: string): FieldError[] {
  if (!rule.messageExpression) return [];
  const compiled = programs.compile(rule.messageExpression, ruleVariables);
  const at = `${field}.messageExpression`;
  if (!compiled.ok) return [invalid(at, rule, `messageExpression ${compiled.message}`)];
  const { type } = compiled.program;
  return type === 'string' || type === 'dyn' ? [] : [invalid(at, rule, 'messageExpression must evaluate to a string')];
}

function textErrors(rule: ValidationRule, schema: Schema, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const message = rule.message ?? '';
  const lines = /[\n\r]/;
  if ((rule.rule ?? '').trim() === '') errors.push(required(`${field}.rule`, 'rule is not specified'));
  else if (message !== '' && message.trim() === '') {
    errors.push(invalid(`${field}.message`, message, 'must be non-empty if specified'));
  } else if (lines.test(message.trim())) {
    errors.push(invalid(`${field}.message`, message, 'must not contain line breaks'));
  } else if (lines.test(rule.rule.trim()) && message.trim() === '') {
    errors.push(required(`${field}.message`, 'message must be specified if rule contains line breaks'));
  }
  if (rule.messageExpression && rule.messageExpression.trim() === '') {
    errors.push(required(`${field}.messageExpression`, 'messageExpression must be non-empty if specified'));
  }
  if (rule.reason !== undefined && !reasons.includes(rule.reason)) {
    errors.push(notSupported(`${field}.reason`, rule.reason, reasons));
  }
  return [...errors, ...fieldPathErrors(rule.fieldPath, schema, `${field}.fieldPath`)];
}

function fieldPathErrors(path: string | undefined, schema: Schema, field: string): FieldError[] {
  if (!path) return [];
  if (path.trim() === '') return [invalid(field, path, 'must be non-empty if specified')];
  if (/[\n\r]/.test(path)) return [invalid(field, path, 'must not contain line breaks')];
  const parts = /^(?:\.[^.[\]]+|\['(?:[^'\\]|\\.)*'\])+$/.test(path)
    ? [...path.matchAll(/\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\]/g)].map((part) => part[1] ?? part[2] ?? '')
    : undefined;
  return parts && schemaAt(schema, parts) ? [] : [invalid(field, path, 'must be a valid path')];
}
