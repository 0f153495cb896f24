import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the certificates, in PEM, that builds and applications trust in addition to Node's (`NODE_EXTRA_CA_CERTS`): those of the machine and
 * that of the databases, which Node trusts anyway on AWS. Undefined without databases.
 */
export function trustedCertificates(dataDir: string): string | undefined {
  const databases = join(dataDir, 'databases', 'certificate.pem');
  if (!existsSync(databases)) return undefined;
  const { NODE_EXTRA_CA_CERTS: machine } = process.env;
  return [machine, databases]
    .flatMap((file) => (file && existsSync(file) ? [readFileSync(file, 'utf8')] : []))
    .join('\n');
}
