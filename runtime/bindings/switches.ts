import { switchReader } from '../../domain/switches/switches.ts';
import { deps } from '../deps.ts';

/** Read the switches that are off and the feature flags, cached together in this process. */
export const { switches, flags } = switchReader(deps);
