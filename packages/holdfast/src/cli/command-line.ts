const plainWord = /^[A-Za-z0-9_\-./:=,@%+]+$/;

/** A command as a shell takes it, so that people can copy it. */
export function commandLine(words: readonly string[]): string {
  return ['holdfast', ...words.map(quoted)].join(' ');
}

function quoted(word: string): string {
  return plainWord.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The words of a command without `--wave N` and `--from-wave N`. */
export function withoutWave(words: readonly string[]): readonly string[] {
  const isFlag = (word: string | undefined) => word === '--wave' || word === '--from-wave';
  return words.filter((word, index) => !isFlag(word) && !isFlag(words[index - 1]) && !/^--(from-)?wave=/.test(word));
}
