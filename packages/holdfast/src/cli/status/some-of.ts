export const maxListed = 5;

/** The first few names of a list, and how many there are besides. */
export function someOf(names: readonly string[]): string {
  const more = names.length - maxListed;
  return `${names.slice(0, maxListed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
