import { PatternError } from './regexp-classes.ts';
import { type Assertion, type Pattern, parsePattern } from './regexp-syntax.ts';

/** What a pattern is turned into: steps of a machine that can be at several of them at once. */
export type Instruction =
  | { readonly op: 'set'; readonly matches: (codePoint: number) => boolean }
  | { readonly op: 'assert'; readonly at: Assertion }
  /** Tries the first way before the second. */
  | { readonly op: 'split'; first: number; second: number }
  | { readonly op: 'jump'; to: number }
  | { readonly op: 'match' };

/** Repetitions are written out, so `((a{1000}){1000})` must not become a million instructions. */
const maxInstructions = 10_000;
export function compileProgram(source: string): readonly Instruction[] {
  const program: Instruction[] = [];
  emit(parsePattern(source), program);
  program.push({ op: 'match' });
  return program;
}

function emit(pattern: Pattern, program: Instruction[]): void {
  if (program.length > maxInstructions) throw new PatternError('error parsing regexp: expression too large');
  switch (pattern.kind) {
    case 'set':
      program.push({ op: 'set', matches: pattern.matches });
      return;
    case 'assert':
      program.push({ op: 'assert', at: pattern.at });
      return;
    case 'concat':
      for (const part of pattern.parts) emit(part, program);
      return;
    case 'choice':
      emitChoice(pattern.options, program);
      return;
    case 'repeat':
      emitRepeat(pattern, program);
  }
}

function emitChoice(options: readonly Pattern[], program: Instruction[]): void {
  const ends: { op: 'jump'; to: number }[] = [];
  for (const [index, option] of options.entries()) {
    if (index === options.length - 1) {
      emit(option, program);
      break;
    }
    const split = { op: 'split' as const, first: program.length + 1, second: 0 };
    program.push(split);
    emit(option, program);
    const end = { op: 'jump' as const, to: 0 };
    program.push(end);
    ends.push(end);
    split.second = program.length;
  }
  for (const end of ends) end.to = program.length;
}

function emitRepeat(pattern: Extract<Pattern, { kind: 'repeat' }>, program: Instruction[]): void {
  for (let copy = 0; copy < pattern.min; copy += 1) emit(pattern.of, program);
  if (pattern.max === Number.POSITIVE_INFINITY) {
    const split = pushSplit(program);
    emit(pattern.of, program);
    program.push({ op: 'jump', to: split.at });
    aim(split, pattern.greedy, program.length);
    return;
  }
  const splits: Split[] = [];
  for (let copy = pattern.min; copy < pattern.max; copy += 1) {
    splits.push(pushSplit(program));
    emit(pattern.of, program);
  }
  for (const split of splits) aim(split, pattern.greedy, program.length);
}

interface Split {
  readonly at: number;
  readonly instruction: { op: 'split'; first: number; second: number };
}

function pushSplit(program: Instruction[]): Split {
  const instruction = { op: 'split' as const, first: 0, second: 0 };
  program.push(instruction);
  return { at: program.length - 1, instruction };
}

function aim({ at, instruction }: Split, greedy: boolean, exit: number): void {
  instruction.first = greedy ? at + 1 : exit;
  instruction.second = greedy ? exit : at + 1;
}
