import { crc32 } from 'node:zlib';

/**
 * Files of the store are sequences of frames: mark, length, checksum, payload. All that one fsync covers is one frame,
 * so a crash tears at most the last frame of a file, however the disk ordered its blocks: a whole frame behind a
 * damaged one means that something was lost which had been acknowledged.
 *
 * The first byte of the mark never occurs in UTF-8, and so in no payload: frames behind damage can be found again.
 */
const mark = Buffer.from([0xf5, 0x48, 0x46, 0x0a]);
const headBytes = 12;

interface Frame {
  readonly offset: number;
  readonly end: number;
  readonly payload: Buffer;
}

export interface Scan {
  readonly frames: readonly Frame[];
  /** Where the last of them ends. */
  readonly end: number;
  /** Whole frames behind bytes that are none. */
  readonly stranded: readonly Frame[];
}

export function encodeFrame(chunks: readonly Buffer[]): Buffer {
  const frame = Buffer.concat([Buffer.alloc(headBytes), ...chunks]);
  mark.copy(frame);
  frame.writeUInt32LE(frame.length - headBytes, 4);
  frame.writeUInt32LE(checksum(frame), 8);
  return frame;
}

export function scanFrames(file: Buffer): Scan {
  const frames: Frame[] = [];
  let end = 0;
  for (let frame = readFrame(file, 0); frame !== undefined; frame = readFrame(file, end)) {
    frames.push(frame);
    end = frame.end;
  }
  const stranded: Frame[] = [];
  for (let at = file.indexOf(mark, end); at >= 0; ) {
    const frame = readFrame(file, at);
    if (frame !== undefined) stranded.push(frame);
    at = file.indexOf(mark, frame?.end ?? at + 1);
  }
  return { frames, end, stranded };
}

function readFrame(file: Buffer, offset: number): Frame | undefined {
  const start = offset + headBytes;
  if (start > file.length || mark.compare(file, offset, offset + mark.length) !== 0) return undefined;
  const end = start + file.readUInt32LE(offset + 4);
  if (end > file.length) return undefined;
  if (file.readUInt32LE(offset + 8) !== checksum(file.subarray(offset, end))) return undefined;
  return { offset, end, payload: file.subarray(start, end) };
}

/** Of the length as well as of the payload. */
function checksum(frame: Buffer): number {
  return crc32(frame.subarray(headBytes), crc32(frame.subarray(4, 8)));
}
