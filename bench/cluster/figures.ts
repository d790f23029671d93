export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

export function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KB`;
}

export function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}

export function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}
