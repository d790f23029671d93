import { holes } from './holes.ts';
import { ledgerMistakes } from './ledger-mistakes.ts';
import type { Mistake } from './mistake.ts';

export const mistakes: readonly Mistake[] = [...holes, ...ledgerMistakes];
