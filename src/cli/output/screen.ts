export interface Screen {
  readonly isTTY?: boolean;
  readonly rows?: number;
  write(text: string): unknown;
}

const home = '\u001b[H';
const eraseRestOfLine = '\u001b[K';
const eraseBelow = '\u001b[J';
const defaultRows = 24;

/** Draws over what was drawn before, line by line, so that nothing flickers; what does not fit is counted. */
export function redraw(screen: Screen, text: string, first: boolean): void {
  const room = Math.max(2, (screen.rows ?? defaultRows) - 1);
  const lines = text.trimEnd().split('\n');
  const hidden = lines.length - room;
  const shown = hidden <= 0 ? lines : [...lines.slice(0, room - 1), `... ${hidden + 1} more lines`];
  const body = shown.map((line) => `${line}${eraseRestOfLine}\n`).join('');
  // The first time everything that was on the screen is kept above.
  screen.write(`${first ? '\n'.repeat(room) : ''}${home}${body}${eraseBelow}`);
}
