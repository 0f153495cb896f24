import { switchReader } from '../../domain/switches/switches.ts';
import { deps } from '../deps.ts';

/** Reads the switches that are off, cached in this process. */
export const switches = switchReader(deps);
