import { switchReader } from '../../domain/switches/switches.ts';
import { deps } from '../deps.ts';

/** Functions that return the switches that are off, and the feature flags. Both are cached together in this process. */
export const { switches, flags } = switchReader(deps);
