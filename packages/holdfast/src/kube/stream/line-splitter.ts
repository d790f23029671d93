/** Cuts a byte stream into lines. Bytes are joined before they are decoded, so that no character is cut in two. */
export class LineSplitter {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that end in this chunk. Throws when a line is longer than allowed. */
  *push(chunk: Buffer): Generator<string, void, undefined> {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const line = this.#take(chunk, start, end);
      start = end + 1;
      if (line !== '') yield line;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  /** Whether the stream could end here without cutting a line. */
  get isBetweenLines(): boolean {
    return this.#size === 0;
  }

  #take(chunk: Buffer, start: number, end: number): string {
    if (this.#size === 0) {
      this.#check(end - start);
      return chunk.toString('utf8', start, end);
    }
    this.#keep(chunk.subarray(start, end));
    const line = Buffer.concat(this.#pieces, this.#size).toString('utf8');
    this.#pieces = [];
    this.#size = 0;
    return line;
  }

  #keep(piece: Buffer): void {
    this.#check(this.#size + piece.length);
    this.#pieces.push(piece);
    this.#size += piece.length;
  }

  #check(size: number): void {
    if (size > this.#maxBytes) throw new RangeError(`a line is longer than ${this.#maxBytes} bytes`);
  }
}

const newline = 0x0a;
