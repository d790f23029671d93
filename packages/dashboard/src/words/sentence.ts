/** With a capital letter: the server's texts are parts of sentences, as logs have them. */
export function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
