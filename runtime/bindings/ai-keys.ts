import type { ProviderId } from '../../providers/ai/registry.ts';
import type { PlatformKey } from '../../providers/platform-keys/platform-key.ts';
import { openKeys } from '../aws/secret-values.ts';
import { required } from '../config.ts';

/** Returns the platform's key for a provider. */
export const platformKey: (provider: ProviderId) => PlatformKey = openKeys(required('AI_KEYS_SECRET_NAME'));
