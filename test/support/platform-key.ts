import type { PlatformKey } from '../../providers/platform-keys/platform-key.ts';

/** A key of the platform that operators replace when `replacement` is given, and never otherwise. */
export const keptKey = (key: string | undefined, replacement?: string): PlatformKey => ({
  current: async () => key,
  replacementOf: async (refused) => (replacement === refused ? undefined : replacement),
});
