/** Something that could not be read, and what follows: it is told, and never guessed. */
export interface Gap {
  /** Kinds, in the plural, and where. */
  readonly what: string;
  readonly why: string;
  readonly follows: string;
}

export function gapText({ what, why, follows }: Gap): string {
  return `${what} cannot be read (${why}): ${follows}`;
}
