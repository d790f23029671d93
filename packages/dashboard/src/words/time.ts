const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** A length of time in at most two units, as kubectl shows ages: `45s`, `3m20s`, `2h5m`, `3d4h`. */
export function spanText(ms: number): string {
  const length = Math.max(0, Math.floor(ms / second) * second);
  if (length < minute) return `${length / second}s`;
  if (length < hour) return two(length, minute, 'm', second, 's');
  if (length < day) return two(length, hour, 'h', minute, 'm');
  return two(length, day, 'd', hour, 'h');
}

function two(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)}${largeName}${rest === 0 ? '' : `${rest}${smallName}`}`;
}

/** `just now`, or how long ago. Times a little ahead come from clocks that differ. */
export function agoText(at: number, now: number): string {
  return now - at < second ? 'just now' : `${spanText(now - at)} ago`;
}

/** A moment of a simulation, from its beginning: `t+02:17`, `t+1:02:17`. */
export function momentText(ms: number): string {
  const seconds = Math.floor(ms / second);
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60].map((part) => String(part).padStart(2, '0'));
  const hours = Math.floor(seconds / 3_600);
  return `t+${hours === 0 ? '' : `${hours}:`}${parts.join(':')}`;
}

/** `14:05:09`, in the reader's time zone. */
export function clockText(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}
