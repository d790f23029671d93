export interface Screen {
  readonly isTTY?: boolean;
  readonly rows?: number;
  readonly columns?: number;
  write(text: string): unknown;
}

const home = '\u001b[H';
const eraseRestOfLine = '\u001b[K';
const eraseBelow = '\u001b[J';
const defaultRows = 24;
const defaultColumns = 80;

/** Draws over what was drawn before, line by line, so that nothing flickers; what does not fit is counted. */
export function redraw(screen: Screen, text: string, first: boolean): void {
  const room = Math.max(2, (screen.rows ?? defaultRows) - 1);
  const lines = text.trimEnd().split('\n');
  const hidden = lines.length - room;
  const shown = hidden <= 0 ? lines : [...lines.slice(0, room - 1), `... ${hidden + 1} more lines`];
  const columns = screen.columns ?? defaultColumns;
  const body = shown.map((line) => `${clipped(line, columns)}${eraseRestOfLine}\n`).join('');
  // The first time everything that was on the screen is kept above.
  screen.write(`${first ? '\n'.repeat(room) : ''}${home}${body}${eraseBelow}`);
}

/** A line that is longer would take two, and everything below would move. Colours take no room, and end with the line. */
function clipped(line: string, columns: number): string {
  let room = columns;
  let kept = '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours begin with
  for (const [piece] of line.matchAll(/\u001b\[[0-9;]*m|[^\u001b]+/g)) {
    if (piece.startsWith('\u001b')) kept += piece;
    else {
      kept += piece.slice(0, room);
      room = Math.max(0, room - piece.length);
    }
  }
  return kept;
}
