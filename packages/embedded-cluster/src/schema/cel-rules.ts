import type { FieldError } from '@holdfast/base/field-errors';
import { Optional } from '@marcbachmann/cel-js';
import { outOfBudget } from '../cel/budget.ts';
import { CelCache, type CelProgram } from '../cel/cel.ts';
import type { Schema, ValidationRule } from '../kinds/schema.ts';
import { celValueOf, withVisibleMetadata } from './cel-values.ts';
import { itemCorrelator } from './correlate.ts';
import { equalJson, getOwn, isJsonObject } from './json-values.ts';
import { noField } from './result.ts';

export const ruleVariables = ['self', 'oldSelf'] as const;

/** Steps that all rules on one object may take together. */
const maxTotalCost = 10_000_000;
const maxMessageLength = 5 * 1024;

const programs = new CelCache();

/** Rules that look at `oldSelf` hold only on updates, and only where it is known what a value was before. */
export function celRuleErrors(object: unknown, old: unknown, schema: Schema): FieldError[] {
  const run = new RuleRun();
  run.value(object, old, schema, '');
  return run.errors;
}

/** Whether there are rules in a schema is known after one look, so that most objects cost nothing. */
const withRules = new WeakMap<Schema, boolean>();

class RuleRun {
  readonly errors: FieldError[] = [];
  #budget = maxTotalCost;
  #stopped = false;

  value(value: unknown, old: unknown, schema: Schema, path: string): void {
    if (this.#stopped || value === null || value === undefined || !hasRules(schema, new Set())) return;
    this.#rules(value, old, schema, path);
    for (const part of schema.allOf ?? []) this.#rules(value, old, part, path);
    if (Array.isArray(value)) this.#list(value, old, schema, path);
    else if (isJsonObject(value)) this.#object(value, old, schema, path);
  }

  #list(list: readonly unknown[], old: unknown, schema: Schema, path: string): void {
    if (!schema.items) return;
    const oldOf = itemCorrelator(schema, old);
    for (const [index, item] of list.entries()) this.value(item, oldOf(item), schema.items, `${path}[${index}]`);
  }

  #object(object: Readonly<Record<string, unknown>>, old: unknown, schema: Schema, path: string): void {
    const correlatable = schema['x-kubernetes-map-type'] !== 'atomic' && isJsonObject(old);
    for (const key of Object.keys(object)) {
      const before = correlatable ? getOwn(old, key) : undefined;
      const property = getOwn(schema.properties, key);
      if (property) this.value(object[key], before, property, path === '' ? key : `${path}.${key}`);
      else if (typeof schema.additionalProperties === 'object') {
        this.value(object[key], before, schema.additionalProperties, `${path}[${key}]`);
      }
    }
  }

  #rules(value: unknown, old: unknown, schema: Schema, path: string): void {
    const rules = schema['x-kubernetes-validations'] ?? [];
    if (rules.length === 0) return;
    const field = path === '' ? noField : path;
    const type = schema.type ?? '';
    const self = bound(value, schema, path);
    const oldSelf = old === undefined || old === null ? undefined : bound(old, schema, path);
    for (const rule of rules) {
      if (this.#stopped) return;
      const compiled = programs.compile(rule.rule, ruleVariables);
      if (compiled.ok) this.#rule({ rule, program: compiled.program, value, old, self, oldSelf, field, type });
      else this.#fail(field, type, `rule compile error: ${compiled.message}`);
    }
  }

  #rule(subject: Subject): void {
    const { rule, program, field, type } = subject;
    const transition = program.reads.has('oldSelf');
    const optional = rule.optionalOldSelf === true;
    if (transition && subject.oldSelf === undefined && !optional) return;
    const oldSelf = optional ? Optional.of(subject.oldSelf) : subject.oldSelf;
    const bindings = { self: subject.self, ...(oldSelf === undefined ? {} : { oldSelf }) };
    const result = program.evaluate(bindings);
    this.#budget -= result.cost;
    const text = (rule.message ?? '').trim() || rule.rule.trim();
    if (!result.ok) this.#evaluationFailed(result.message, text, field, type);
    else if (this.#budget < 0) {
      this.#fail(
        field,
        type,
        'validation failed due to running out of cost budget, no further validation rules will be run',
      );
      this.#stopped = true;
    } else if (result.value !== true && (transition || !unchanged(subject))) {
      this.errors.push(refusal(subject, this.#message(rule, bindings) ?? defaultMessage(rule)));
    }
  }

  #evaluationFailed(message: string, rule: string, field: string, type: string): void {
    if (message.startsWith('no such overload')) {
      const why = 'call arguments did not match a supported operator, function or macro signature for rule';
      this.#fail(field, type, `'${message}': ${why}: ${rule}`);
    } else if (message === outOfBudget) {
      const why = 'no further validation rules will be run due to call cost exceeds limit for rule';
      this.#fail(field, type, `'${message}': ${why}: ${rule}`);
      this.#stopped = true;
    } else this.#fail(field, type, `${message} evaluating rule: ${rule}`);
  }

  /** An expression that gives no usable text is passed over. */
  #message(rule: ValidationRule, bindings: Readonly<Record<string, unknown>>): string | undefined {
    if (!rule.messageExpression) return undefined;
    const compiled = programs.compile(rule.messageExpression, ruleVariables);
    if (!compiled.ok) return undefined;
    const result = compiled.program.evaluate(bindings);
    this.#budget -= result.cost;
    if (!result.ok || typeof result.value !== 'string') return undefined;
    const text = result.value.trim();
    return text === '' || text.length > maxMessageLength || text.includes('\n') ? undefined : text;
  }

  #fail(field: string, type: string, detail: string): void {
    this.errors.push({ type: 'FieldValueInvalid', field, value: type, detail });
  }
}

interface Subject {
  readonly rule: ValidationRule;
  readonly program: CelProgram;
  readonly value: unknown;
  readonly old: unknown;
  readonly self: unknown;
  readonly oldSelf: unknown;
  readonly field: string;
  readonly type: string;
}

function bound(value: unknown, schema: Schema, path: string): unknown {
  return celValueOf(path === '' && isJsonObject(value) ? withVisibleMetadata(value) : value, schema);
}

function unchanged(subject: Subject): boolean {
  return subject.old !== undefined && equalJson(subject.value, subject.old);
}

function defaultMessage(rule: ValidationRule): string {
  const message = (rule.message ?? '').trim();
  return message === '' ? `failed rule: ${rule.rule.trim()}` : message;
}

/** Objects and lists are not printed; other values are. */
function refusal(subject: Subject, detail: string): FieldError {
  const { rule, type } = subject;
  const field = placed(subject.field, rule.fieldPath);
  const shown = type === 'object' || type === 'array' ? {} : { value: subject.value };
  switch (rule.reason) {
    case 'FieldValueForbidden':
    case 'FieldValueRequired':
      return { type: rule.reason, field, detail };
    case 'FieldValueDuplicate':
      return { type: rule.reason, field, detail: '', ...shown };
    default:
      return { type: 'FieldValueInvalid', field, detail, ...shown };
  }
}

/** `.a['b']` below `spec` is `spec.a[b]` or `spec.a.b`; quotes are how an author writes names with other characters. */
function placed(field: string, fieldPath: string | undefined): string {
  const below = (fieldPath ?? '')
    .trim()
    .replace(/\['((?:[^'\\]|\\.)*)'\]/g, '.$1')
    .replace(/^\./, '');
  if (below === '') return field;
  return field === noField ? below : `${field}.${below}`;
}

/** A schema that leads back to itself has no rules on that way. */
function hasRules(schema: Schema, seen: Set<Schema>): boolean {
  const known = withRules.get(schema);
  if (known !== undefined) return known;
  if (seen.has(schema)) return false;
  seen.add(schema);
  const parts = [...Object.values(schema.properties ?? {}), ...(schema.allOf ?? [])];
  if (schema.items) parts.push(schema.items);
  if (typeof schema.additionalProperties === 'object') parts.push(schema.additionalProperties);
  const found = (schema['x-kubernetes-validations'] ?? []).length > 0 || parts.some((part) => hasRules(part, seen));
  withRules.set(schema, found);
  return found;
}
