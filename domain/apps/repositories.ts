import { repositoryAddress } from '../../contract/apps/repositories.ts';
import { ApiError } from '../../contract/errors.ts';
import { isIP, isLocalName, isLoopback, isPublic, isPublicName } from '../../providers/webhooks/addresses.ts';

/**
 * Refuses a repository whose host could not be a public one: a name or a literal address of a private network. What a
 * name resolves to is of no use to anybody: git speaks TLS and SSH only, and to nobody without the right certificate or
 * host key.
 *
 * @param allowLocal whether this machine itself is allowed: the local run
 */
export function assertRepositoryUrl(url: string, allowLocal: boolean): void {
  const host = repositoryAddress(url)?.host ?? '';
  if (allowLocal && (isLoopback(host) || isLocalName(host))) return;
  if (isIP(host) === 0 ? !isPublicName(host) : !isPublic(host)) {
    throw new ApiError('invalid_request', 'repoUrl: must be on a public name or address');
  }
}
