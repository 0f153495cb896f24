import { required } from '../config.ts';

/** The host name that custom domains must point to. */
export const edgeEndpoint = required('EDGE_ENDPOINT');
