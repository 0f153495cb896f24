import { notFound } from '../../runtime/http/not-found.ts';

/** Any path or method outside the contract: 404 `not_found`. */
export const handler = notFound();
