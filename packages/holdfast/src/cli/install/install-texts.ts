import { type Ended, type ObjectResult, type Report, refText } from '../../install/index.ts';

/** As kubectl has it: `deployment.apps/holdfast configured (server dry run)`. */
export function outcomeLine(report: Exclude<Report, { kind: 'waiting' }>, dryRun = false): string {
  if (report.kind === 'note') return `note: ${report.text}`;
  const mark = dryRun ? ' (server dry run)' : '';
  return `${refText(report.ref)} ${resultText(report.result, dryRun)}${mark}${detailOf(report.result, dryRun)}`;
}

function resultText(result: ObjectResult, dryRun: boolean): string {
  switch (result.kind) {
    case 'skipped':
      return dryRun ? 'would be left as it is' : 'left as it is';
    case 'unchecked':
      return 'cannot be checked';
    case 'unlabelled':
      return `unlabelled (${result.label})`;
    default:
      return result.kind;
  }
}

const maxFields = 8;

/** Which fields change is of interest before they do. */
function detailOf(result: ObjectResult, dryRun: boolean): string {
  if (result.kind === 'skipped' || result.kind === 'unchecked') return `: ${result.why}`;
  if (result.kind !== 'configured' || !dryRun) return '';
  const more = result.fields.length - maxFields;
  return `: ${result.fields.slice(0, maxFields).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** What to say at the end, when the command did not succeed. */
export function endText(ended: Exclude<Ended, { kind: 'done' }>, dryRunCommand: string | undefined): string {
  switch (ended.kind) {
    case 'stopped':
      return 'stopped; run the same command again to continue';
    case 'denied':
      return `error: you may not do what this needs:\n${indented(ended.missing)}\n${forOthers(dryRunCommand)}`;
    case 'refused':
    case 'failed':
      return `error: ${ended.message}\n${ended.advice}`;
    case 'late': {
      const events = ended.events.length === 0 ? [] : ['Last warnings:', indented(ended.events)];
      const reasons = ended.reasons.length === 0 ? [] : [indented(ended.reasons)];
      return [`error: timed out: ${ended.message}`, ...reasons, ...events, ended.advice].join('\n');
    }
  }
}

function forOthers(dryRunCommand: string | undefined): string {
  const ask = 'Nothing was changed. Ask a cluster administrator to do it';
  return dryRunCommand === undefined ? `${ask}.` : `${ask}, or to apply what \`${dryRunCommand}\` prints.`;
}

function indented(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}`).join('\n');
}

/** 0: done; 1: it could not be done; 2: it makes no sense. */
export function exitCodeOf(ended: Ended): number {
  if (ended.kind === 'done') return 0;
  return ended.kind === 'refused' ? 2 : 1;
}
