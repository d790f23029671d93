/**
 * What others write, such as webhooks in their refusals, ends up in terminals and logs. Control characters would let it move the cursor,
 * set the title of a window or write over what stands above; marks that turn the direction of text would let it read otherwise.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
const unprintable = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Line breaks and tabs stay; of everything else that is not to be seen a mark is. */
export function printable(text: string): string {
  return text.replace(unprintable, '\ufffd');
}
