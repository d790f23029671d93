import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLogger, type LogOptions } from '../../src/telemetry/log.ts';

function recorded(options: Partial<LogOptions> = {}) {
  const lines: string[] = [];
  const log = createLogger({
    level: 'info',
    format: 'json',
    now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 6),
    write: (line) => lines.push(line),
    ...options,
  });
  return { log, lines };
}

const cycle: Record<string, unknown> = { name: 'a' };
cycle['self'] = cycle;

const throwing = {
  get value(): string {
    throw new Error('no');
  },
};

describe('a log line', () => {
  it('is one JSON object with time, level, message and fields', () => {
    const { log, lines } = recorded();
    log.warn('eviction refused', { pod: 'web-0', code: 429 });
    expect(lines).toEqual([
      '{"time":"2026-01-02T03:04:05.006Z","level":"warn","msg":"eviction refused","pod":"web-0","code":429}\n',
    ]);
  });

  it.each(['json', 'text'] as const)('has no control characters in %s, and JSON gives them back', (format) => {
    const { log, lines } = recorded({ format });
    const evil = 'no\u001b[2J\u009b31m\u007f\u202e';
    log.info('refused', { error: evil, [evil]: [evil] });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
    expect(lines.join('')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    if (format === 'json') expect(JSON.parse(lines[0] ?? '')).toMatchObject({ error: evil, [evil]: [evil] });
  });

  it('is keys and values in text, quoted where a value is more than a word', () => {
    const { log, lines } = recorded({ format: 'text' });
    log.info('pod gone', { pod: 'shop/web-0', why: 'two words\nand a line', list: [1, 'b'], none: undefined });
    expect(lines).toEqual([
      'time=2026-01-02T03:04:05.006Z level=info msg="pod gone" pod=shop/web-0 why="two words\\nand a line" list="[1,\\"b\\"]"\n',
    ]);
  });

  it.each([
    ['debug', ['debug', 'info', 'warn', 'error']],
    ['info', ['info', 'warn', 'error']],
    ['warn', ['warn', 'error']],
    ['error', ['error']],
  ] as const)('is written at level %s only from that level up', (level, expected) => {
    const { log, lines } = recorded({ level });
    for (const one of ['debug', 'info', 'warn', 'error'] as const) log[one]('said');
    expect(lines.map((line) => JSON.parse(line).level)).toEqual(expected);
  });

  it('carries the fields of the loggers before it, first ones first', () => {
    const { log, lines } = recorded();
    log.with({ a: 1 }).with({ b: 2 }).info('said', { c: 3 });
    log.info('alone');
    expect(lines.map((line) => Object.keys(JSON.parse(line)).slice(3))).toEqual([['a', 'b', 'c'], []]);
  });

  it('keeps its own keys when a field has the name of one', () => {
    const { log, lines } = recorded();
    log.info('said', { level: 'x', msg: 'y', time: 'z' });
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'info',
      msg: 'said',
      _level: 'x',
      _msg: 'y',
      _time: 'z',
    });
  });

  it.each([
    ['a long text', 'x'.repeat(1_000_000)],
    ['a huge list', Array.from({ length: 100_000 }, (_, index) => index)],
    ['a wide tree', Array.from({ length: 50 }, () => Array.from({ length: 50 }, () => ['y'.repeat(10)]))],
    ['many long texts', Array.from({ length: 50 }, () => 'z'.repeat(1_000))],
    ['a cycle', cycle],
    ['an object whose getter throws', throwing],
    ['a symbol', Symbol('s')],
    ['a function', () => 1],
    ['a bigint', 12n],
    ['NaN', Number.NaN],
    ['an error with a cause', new Error('outer', { cause: new Error('inner') })],
    ['a date that is none', new Date(Number.NaN)],
    ['an object without a prototype', Object.assign(Object.create(null), { a: 1 })],
  ])('stays readable and short with %s', (_, value) => {
    const { log, lines } = recorded();
    log.info('said', { value });
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toHaveProperty('value');
    expect(lines[0]?.length).toBeLessThan(10_000);
  });

  it('counts the fields beyond the limit', () => {
    const { log, lines } = recorded();
    log.info('said', Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`f${index}`, index])));
    const line = JSON.parse(lines[0] ?? '');
    expect(line).toMatchObject({ f31: 31, fieldsLeftOut: 8 });
    expect(line).not.toHaveProperty('f32');
  });

  it('that cannot be written, or has no time, does no harm', () => {
    const failing = recorded({
      write: () => {
        throw new Error('disk full');
      },
    });
    expect(() => failing.log.error('said')).not.toThrow();
    const { log, lines } = recorded({ now: () => Number.NaN });
    log.info('said');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ time: 'NaN', msg: 'said' });
  });

  it('is one line of JSON, whatever is logged', () => {
    const { log, lines } = recorded();
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.dictionary(fc.string(), fc.anything()), (message, fields) => {
        lines.length = 0;
        log.info(message, fields);
        expect(lines).toHaveLength(1);
        expect(lines[0]?.slice(0, -1)).not.toContain('\n');
        expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'info' });
      }),
    );
  });
});
