import { ageText } from '../../output/age.ts';

/** When something happened: `t+02:05`, `t+1:02:05`. */
export function momentText(at: number): string {
  const seconds = Math.max(0, Math.round(at / 1_000));
  const two = (value: number) => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / 3_600);
  const rest = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return hours === 0 ? `t+${rest}` : `t+${hours}:${rest}`;
}

/** How long something took. */
export function spanText(ms: number): string {
  return ms > 0 && ms < 1_000 ? `${Math.round(ms)}ms` : ageText(ms);
}
