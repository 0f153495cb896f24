import { parseRepositoryAddress } from '../../contract/apps/repositories.ts';
import { invalidField } from '../../contract/errors.ts';
import { isIP, isLocalName, isLoopback, isPublic, isPublicName } from '../../providers/webhooks/addresses.ts';

/**
 * Throws 400 for a repository whose host cannot be public: a local name, or a literal address in a private network. The name is
 * not resolved: git uses TLS and SSH only, and connects to no host without a valid certificate or host key.
 *
 * @param allowLocal true on the local run, where the machine itself is allowed
 */
export function assertRepositoryUrl(url: string, allowLocal: boolean): void {
  const host = parseRepositoryAddress(url)?.host ?? '';
  if (allowLocal && (isLoopback(host) || isLocalName(host))) return;
  if (isIP(host) === 0 ? !isPublicName(host) : !isPublic(host)) {
    throw invalidField('repoUrl', 'must be on a public name or address');
  }
}
