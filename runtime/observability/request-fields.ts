import type { RequestContext } from '../http/response.ts';

/** Returns a request's id, its caller and the client's address as log fields. A login is the issuer's id of the person. */
export const requestFields = ({ requestId, caller, address }: RequestContext) => ({
  requestId,
  accountId: caller?.accountId,
  keyId: caller?.keyId || undefined,
  login: caller?.session?.subject,
  address,
});
