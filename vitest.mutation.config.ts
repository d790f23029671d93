import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { include: ['test/core/**/*.test.ts'], testTimeout: 60_000 },
});
