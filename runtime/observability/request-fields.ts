import type { RequestContext } from '../http/response.ts';

/** Returns the log fields of a request: its id, its caller and the client's address. `login` is the issuer's id of the person. */
export const requestFields = ({ requestId, caller, address }: RequestContext) => ({
  requestId,
  accountId: caller?.accountId,
  keyId: caller?.keyId || undefined,
  login: caller?.session?.subject,
  address,
});
