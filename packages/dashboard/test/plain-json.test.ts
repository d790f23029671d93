import { describe, expect, it } from 'vitest';
import { plainJson } from '../src/live/plain-json.ts';

describe('what the server sent', () => {
  it('is read with the characters that turn the direction of text made visible', () => {
    const sent = JSON.stringify({ message: 'refused \u202edewolla\u2069' });
    expect(plainJson(sent)).toEqual({ message: 'refused \ufffddewolla\ufffd' });
  });

  it('is otherwise as it was sent', () => {
    const value = { text: 'שלום <b>"\\n', list: [1, null, true] };
    expect(plainJson(JSON.stringify(value))).toEqual(value);
  });
});
