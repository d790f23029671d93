/** Colours by meaning, few enough to tell apart. Each text colour is legible on its back (4.5:1 at least, which a test computes). */
export interface Palette {
  readonly page: string;
  readonly ink: string;
  readonly dim: string;
  /** A node whose drain takes no group down. */
  readonly calm: string;
  readonly onCalm: string;
  /** A node whose drain takes a group down. */
  readonly down: string;
  readonly onDown: string;
  /** A budget at its limit, and its stripes. */
  readonly limit: string;
  readonly limitStripe: string;
  readonly onLimit: string;
  /** A node that cannot be drained. */
  readonly stuck: string;
  readonly onStuck: string;
}

export const lightPalette: Palette = {
  page: '#ffffff',
  ink: '#1b1f24',
  dim: '#555c66',
  calm: '#e3e7ec',
  onCalm: '#1b1f24',
  down: '#2f5f9e',
  onDown: '#ffffff',
  limit: '#ffe3b8',
  limitStripe: '#f6cd8b',
  onLimit: '#3d2800',
  stuck: '#b3261e',
  onStuck: '#ffffff',
};

export const darkPalette: Palette = {
  page: '#14181d',
  ink: '#e6e9ee',
  dim: '#9aa5b4',
  calm: '#2a323c',
  onCalm: '#e6e9ee',
  down: '#8ab4f0',
  onDown: '#0d1b2e',
  limit: '#5a3d0a',
  limitStripe: '#6d4c12',
  onLimit: '#ffe9c7',
  stuck: '#ff8a80',
  onStuck: '#2b0503',
};

/** For every colour a class that fills with it: the same picture in light and in dark. */
export function svgStyle(): string {
  const rules = (palette: Palette) =>
    Object.entries(palette)
      .map(([name, colour]) => `.${name}{fill:${colour}}`)
      .join('');
  return `<style>${rules(lightPalette)}@media (prefers-color-scheme: dark){${rules(darkPalette)}}</style>`;
}
