/**
 * What others write, such as webhooks in their refusals, ends up in terminals and logs. Control characters would let it move the cursor,
 * set the title of a window or write over what stands above; marks that turn the direction of text would let it read otherwise.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
const unprintable = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** The same text as JSON, in which what would not be printed is an escape: programs read the text as it was. */
export function printableJson(json: string): string {
  return json.replace(unprintable, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Line breaks and tabs stay; of everything else that is not to be seen a mark is. */
export function printable(text: string): string {
  return text.replace(unprintable, '\ufffd');
}
