import { notFound } from '../../runtime/http/not-found.ts';

/** Refuses paths and methods outside the contract with 404 `not_found`. */
export const handler = notFound();
