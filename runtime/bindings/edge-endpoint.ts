import type { RemoteCell } from '../cells.ts';
import { required } from '../config.ts';

/** The host name that custom domains must point to. */
export const edgeEndpoint = (cell?: RemoteCell) => cell?.edgeEndpoint ?? required('EDGE_ENDPOINT');
