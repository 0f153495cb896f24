import {
  CloudFrontKeyValueStoreClient,
  DescribeKeyValueStoreCommand,
  UpdateKeysCommand,
} from '@aws-sdk/client-cloudfront-keyvaluestore';
// CloudFront's store takes SigV4A signatures only; the SDK finds the signer once it is imported.
import '@aws-sdk/signature-v4a';

/** What a host name shows before its application's first release. */
export const PLACEHOLDER = 'placeholder';

/** A route that leads wherever another host name does (lib/edge-functions/route-app.js). */
export const aliasOf = (host: string): string => `@${host}`;

/** Which host name leads where, at the edge. */
export interface HostRoutes {
  /** @param target the host of the application's function URL, {@link PLACEHOLDER}, or an alias ({@link aliasOf}) */
  point(hosts: readonly string[], target: string): Promise<void>;
  remove(hosts: readonly string[]): Promise<void>;
}

const ATTEMPTS = 5;
const pause = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds));

/** CloudFront's KeyValueStore. Its one version tag makes concurrent writers try again. */
export function createHostRoutes(storeArn: string): HostRoutes {
  const client = new CloudFrontKeyValueStoreClient({});

  async function update(Puts: { Key: string; Value: string }[], Deletes: { Key: string }[]): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const { ETag } = await client.send(new DescribeKeyValueStoreCommand({ KvsARN: storeArn }));
        const command = {
          KvsARN: storeArn,
          IfMatch: ETag,
          ...(Puts.length ? { Puts } : {}),
          ...(Deletes.length ? { Deletes } : {}),
        };
        await client.send(new UpdateKeysCommand(command));
        return;
      } catch (error) {
        const lost = error instanceof Error && /ConflictException|ValidationException|Precondition/.test(error.name);
        if (!lost || attempt === ATTEMPTS) throw error;
        await pause(Math.random() * 50 * 2 ** attempt);
      }
    }
  }

  return {
    point: (hosts, target) =>
      update(
        hosts.map((Key) => ({ Key, Value: target })),
        [],
      ),
    remove: (hosts) =>
      update(
        [],
        hosts.map((Key) => ({ Key })),
      ),
  };
}
