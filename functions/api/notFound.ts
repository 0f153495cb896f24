import { notFound } from '../../runtime/not-found.ts';

/** Every path and method that the contract does not name. */
export const handler = notFound;
