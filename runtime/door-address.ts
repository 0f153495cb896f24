import { required } from './config.ts';

/** Where the domains of applications are to lead. */
export const doorAddress = required('DOOR_ADDRESS');
