import { type Fields, isObject } from '@holdfast/base/json';

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

export interface ScannerLimits {
  readonly itemBytes: number;
  /** Everything around the items. */
  readonly envelopeBytes: number;
}

const scannerLimits: ScannerLimits = { itemBytes: 16 * 1024 * 1024, envelopeBytes: 1024 * 1024 };

/**
 * Reads a list of any length while it arrives. It only looks for where items begin and end; each item is handed out as soon as it
 * is whole, and what remains (the list with no items in it) is parsed at the end. Keys may come in any order. Throws on anything
 * that is not such a list.
 */
export class ListScanner {
  readonly #onItem: (json: string) => void;
  readonly #limits: ScannerLimits;
  #mode: 'envelope' | 'between' | 'item' = 'envelope';
  #inString = false;
  #escaped = false;
  /** Of the envelope, or within the item. */
  #depth = 0;

  readonly #envelope: number[] = [];
  #keyStart = -1;
  #expectsKey = false;
  #key = '';
  #sawItems = false;

  #previous: 'bracket' | 'item' | 'comma' = 'bracket';
  #pieces: Buffer[] = [];
  #pieceBytes = 0;

  constructor(onItem: (json: string) => void, limits: ScannerLimits = scannerLimits) {
    this.#onItem = onItem;
    this.#limits = limits;
  }

  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#mode === 'item') at = this.#scanItem(chunk, at);
      else if (this.#mode === 'between') at = this.#scanBetween(chunk, at);
      else at = this.#scanEnvelope(chunk, at);
    }
  }

  /** The list without its items. */
  end(): Fields {
    if (this.#mode !== 'envelope') throw new SyntaxError('the list ends within its items');
    const value: unknown = JSON.parse(Buffer.from(this.#envelope).toString('utf8'));
    if (!isObject(value)) throw new SyntaxError('a list is an object');
    return value;
  }

  /** From the first byte of an item, or of the rest of it. The loop is the hot one: state lives in locals. */
  #scanItem(chunk: Buffer, start: number): number {
    let depth = this.#depth;
    let inString = this.#inString;
    let escaped = this.#escaped;
    for (let at = start; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === backslash) escaped = true;
        else if (byte === quote) inString = false;
      } else if (byte === quote) inString = true;
      else if (byte === openBrace || byte === openBracket) depth += 1;
      else if (byte === closeBrace || byte === closeBracket) {
        depth -= 1;
        if (depth === 0) return this.#finishItem(chunk, start, at + 1);
      }
    }
    this.#depth = depth;
    this.#inString = inString;
    this.#escaped = escaped;
    this.#keep(chunk.subarray(start));
    return chunk.length;
  }

  #finishItem(chunk: Buffer, start: number, end: number): number {
    this.#mode = 'between';
    this.#previous = 'item';
    this.#inString = false;
    this.#escaped = false;
    if (this.#pieceBytes === 0) {
      this.#check(end - start);
      this.#onItem(chunk.toString('utf8', start, end));
      return end;
    }
    this.#keep(chunk.subarray(start, end));
    const json = Buffer.concat(this.#pieces, this.#pieceBytes).toString('utf8');
    this.#pieces = [];
    this.#pieceBytes = 0;
    this.#onItem(json);
    return end;
  }

  #scanBetween(chunk: Buffer, start: number): number {
    for (let at = start; at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      if (isSpace(byte)) continue;
      if (byte === openBrace && this.#previous !== 'item') {
        this.#mode = 'item';
        this.#depth = 0;
        return at;
      }
      if (byte === closeBracket && this.#previous !== 'comma') {
        this.#mode = 'envelope';
        this.#depth = 1;
        this.#note(byte);
        return at + 1;
      }
      if (byte !== comma || this.#previous !== 'item') throw new SyntaxError('items are objects with commas between');
      this.#previous = 'comma';
    }
    return chunk.length;
  }

  #scanEnvelope(chunk: Buffer, start: number): number {
    for (let at = start; at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      this.#note(byte);
      if (this.#inString) this.#stringByte(byte);
      else if (byte === quote) this.#openString();
      else if (this.#structureByte(byte)) return at + 1;
    }
    return chunk.length;
  }

  #openString(): void {
    this.#inString = true;
    if (this.#depth === 1 && this.#expectsKey) this.#keyStart = this.#envelope.length - 1;
  }

  #stringByte(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === backslash) this.#escaped = true;
    else if (byte === quote) {
      this.#inString = false;
      if (this.#keyStart < 0) return;
      this.#key = String(JSON.parse(Buffer.from(this.#envelope.slice(this.#keyStart)).toString('utf8')));
      this.#keyStart = -1;
      this.#expectsKey = false;
    }
  }

  /** Says whether the items begin after it. */
  #structureByte(byte: number): boolean {
    if (this.#depth === 0 && byte !== openBrace && !isSpace(byte)) throw new SyntaxError('a list is one object');
    if (byte === openBracket && this.#depth === 1 && this.#key === 'items') {
      if (this.#sawItems) throw new SyntaxError('the list has items twice');
      this.#sawItems = true;
      this.#mode = 'between';
      this.#previous = 'bracket';
      return true;
    }
    if (byte === openBrace || byte === openBracket) this.#depth += 1;
    else if (byte === closeBrace || byte === closeBracket) this.#depth -= 1;
    if (this.#depth === 1 && (byte === openBrace || byte === comma)) this.#expectsKey = true;
    return false;
  }

  #note(byte: number): void {
    if (this.#envelope.length >= this.#limits.envelopeBytes) {
      throw new RangeError(`a list's own fields take more than ${this.#limits.envelopeBytes} bytes`);
    }
    this.#envelope.push(byte);
  }

  #keep(piece: Buffer): void {
    this.#check(this.#pieceBytes + piece.length);
    this.#pieces.push(piece);
    this.#pieceBytes += piece.length;
  }

  #check(bytes: number): void {
    if (bytes > this.#limits.itemBytes) throw new RangeError(`an item is longer than ${this.#limits.itemBytes} bytes`);
  }
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
