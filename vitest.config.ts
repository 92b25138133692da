import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    environment: 'node',
    pool: 'forks',
    testTimeout: 20_000,
    // Expected lines are plain, also where a CI variable would switch colours on.
    env: { NO_COLOR: '1' },
  },
});
