import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { config, required } from '../config.ts';

/** Requests of the synthetic checks, sent through the public addresses as a customer's are. */
export const probe = {
  send: (url: string, init: RequestInit = {}): Promise<Response> =>
    fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUTS_S.check * 1000) }),
  login: { issuer: required('LOGIN_ISSUER'), clientId: required('LOGIN_CLIENT_ID') },
  dnsName: required('CHECKS_DNS_NAME'),
  repoUrl: config.CHECKS_REPO_URL ?? '',
};
