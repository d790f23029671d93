const separator = /^---(\s|$)/;

/** In which line each YAML document begins that has something in it; nothing for JSON, where everything is one document. */
export function startLines(text: string): readonly number[] {
  if (/^\s*[{[]/.test(text)) return [1];
  const starts: (number | undefined)[] = [undefined];
  let begun = false;
  for (const [index, line] of text.split('\n').entries()) {
    if (separator.test(line)) {
      // What stands before the first separator is a document only if it says something.
      if (begun || starts[0] !== undefined) starts.push(undefined);
      begun = true;
    } else if (starts.at(-1) === undefined && !/^\s*(#|$)/.test(line)) starts[starts.length - 1] = index + 1;
  }
  return starts.map((start) => start ?? 1);
}
