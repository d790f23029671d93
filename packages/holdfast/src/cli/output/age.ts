/** As kubectl writes it: the two largest units that matter. */
export function ageText(ms: number): string {
  if (!Number.isFinite(ms)) return 'an unknown time';
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes}m${rest(seconds % 60, 's')}`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h${rest(minutes % 60, 'm')}` : `${Math.floor(hours / 24)}d${rest(hours % 24, 'h')}`;
}

function rest(count: number, unit: string): string {
  return count === 0 ? '' : `${count}${unit}`;
}
