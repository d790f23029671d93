import { type LogValue, logValue } from './log-value.ts';

const levels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof levels)[number];

/** `json`: one object on a line, for collectors; `text`: keys and values, for a terminal. */
export type LogFormat = 'json' | 'text';

export type LogFields = Readonly<Record<string, unknown>>;

export interface Logger {
  /** The message is a constant, so that lines can be counted by it; what varies stands in the fields. */
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger whose every line carries these fields, too. */
  with(fields: LogFields): Logger;
}

export interface LogOptions {
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** Takes one line, with its newline. What it throws is dropped: nothing fails because it could not be logged. */
  readonly write: (line: string) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** More fields than this are counted, not shown. */
const maxFields = 32;

export function createLogger(options: LogOptions): Logger {
  return loggerWith(options, []);
}

type Entry = readonly [key: string, value: LogValue];

function loggerWith(options: LogOptions, context: readonly Entry[]): Logger {
  const lowest = levels.indexOf(options.level);
  const at = (level: LogLevel) => {
    if (levels.indexOf(level) < lowest) return () => undefined;
    return (message: string, fields?: LogFields) =>
      writeLine(options, level, message, [...context, ...entries(fields)]);
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    with: (fields) => loggerWith(options, [...context, ...entries(fields)]),
  };
}

function writeLine(options: LogOptions, level: LogLevel, message: string, fields: readonly Entry[]): void {
  try {
    const shown = fields.slice(0, maxFields);
    const left = fields.length - shown.length;
    const all: readonly Entry[] = [
      ['time', timeText(options.now())],
      ['level', level],
      ['msg', logValue(message)],
      ...shown,
      ...(left > 0 ? [['fieldsLeftOut', left] as const] : []),
    ];
    options.write(`${escaped(options.format === 'json' ? asJson(all) : asText(all))}\n`);
  } catch {
    // Logging itself has failed: there is no other place to report it.
  }
}

/** A clock that is out of all bounds still gets its line. */
function timeText(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? String(ms) : date.toISOString();
}

const reserved: ReadonlySet<string> = new Set(['time', 'level', 'msg']);

function entries(fields: LogFields | undefined): readonly Entry[] {
  const out: Entry[] = [];
  for (const key of keysOf(fields)) {
    const value = readField(fields, key);
    if (value !== undefined) out.push([reserved.has(key) ? `_${key}` : key, logValue(value)]);
  }
  return out;
}

function keysOf(fields: LogFields | undefined): readonly string[] {
  try {
    return fields === undefined ? [] : Object.keys(fields);
  } catch {
    return [];
  }
}

function readField(fields: LogFields | undefined, key: string): unknown {
  try {
    return fields?.[key];
  } catch {
    return '(unreadable)';
  }
}

/** JSON leaves these as they are, and terminals obey them; what reads a line as JSON gets them back. */
const obeyed = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

function escaped(line: string): string {
  return line.replace(obeyed, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function asJson(all: readonly Entry[]): string {
  return `{${all.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`;
}

function asText(all: readonly Entry[]): string {
  return all.map(([key, value]) => `${plain(key)}=${plain(value)}`).join(' ');
}

/** What needs no quotes to be read back as one word. */
const word = /^[\w.:/@+-]+$/;

function plain(value: LogValue): string {
  if (typeof value === 'string') return word.test(value) ? value : JSON.stringify(value);
  const text = JSON.stringify(value);
  return word.test(text) ? text : JSON.stringify(text);
}
