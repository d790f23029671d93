/** One line that changes on a terminal; a line for each step elsewhere. */
export interface UpProgress {
  /** What is going on now. */
  step(text: string): void;
  /** It is over: what follows starts on a line of its own. */
  end(): void;
}

export interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const eraseLine = '\r\u001b[2K';

export function upProgressOn(output: Output): UpProgress {
  const onTerminal = output.isTTY === true;
  let last = '';
  return {
    step(text) {
      if (text !== last) output.write(onTerminal ? `${eraseLine}${text}` : `${text}\n`);
      last = text;
    },
    end() {
      if (onTerminal && last !== '') output.write(eraseLine);
      last = '';
    },
  };
}
