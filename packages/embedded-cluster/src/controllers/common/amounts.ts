const percentage = /^([0-9]{1,9})%$/;

/** A count or a percentage of a whole, rounded as the field demands; what cannot be read is none. More than 100 % is possible. */
export function scaled(value: number | string | undefined, whole: number, round: 'up' | 'down'): number {
  if (typeof value === 'number') return Math.max(0, value);
  const digits = percentage.exec(value ?? '')?.[1];
  if (digits === undefined) return 0;
  const hundredths = Number(digits) * whole;
  return round === 'up' ? Math.ceil(hundredths / 100) : Math.floor(hundredths / 100);
}
