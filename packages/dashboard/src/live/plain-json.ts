/**
 * Characters that turn the direction of the text after them: with one in a message, a refusal could read as an approval. They have no
 * place in names of Kubernetes, and in messages they become visible.
 */
const turning = /[\u202a-\u202e\u2066-\u2069]/g;

/** What the server sent. It writes JSON without escapes for these characters, so they are found before it is parsed. */
export function plainJson<T>(text: string): T {
  return JSON.parse(text.replace(turning, '\ufffd')) as T;
}
