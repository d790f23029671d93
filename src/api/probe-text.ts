import { parseDocument } from 'yaml';
import { failed, invalid, type Parsed, parsed } from './field-errors.ts';

/** A probe is a few hundred bytes. Kubernetes allows 256 KiB of annotations, which nobody should have to parse. */
const maxBytes = 16 * 1024;

/** Reads JSON or YAML (every JSON text is YAML). Never throws. */
export function parseProbeText(text: string, field: string): Parsed<unknown> {
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > maxBytes)
    return failed(invalid(field, abbreviated(text), `must be at most ${maxBytes} bytes, has ${bytes}`));
  try {
    return readDocument(text, field);
  } catch (error) {
    // Aliases beyond the limit and nesting deeper than the stack come as exceptions.
    return failed(invalid(field, abbreviated(text), `cannot be read as JSON or YAML: ${firstLine(error)}`));
  }
}

function readDocument(text: string, field: string): Parsed<unknown> {
  const document = parseDocument(text, { logLevel: 'error', prettyErrors: false });
  // A warning is a tag that we do not know, whose value would be guessed.
  const problem = document.errors[0] ?? document.warnings[0];
  if (problem !== undefined) {
    return failed(invalid(field, abbreviated(text), `cannot be read as JSON or YAML: ${firstLine(problem)}`));
  }
  // No alias at all: a probe has nothing to repeat, and a few lines of them can stand for gigabytes.
  return parsed(document.toJS({ maxAliasCount: 0 }));
}

function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : 'cannot be read';
  return message.split('\n', 1)[0] ?? message;
}

function abbreviated(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}...` : text;
}
