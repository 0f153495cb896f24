import { CloudFrontClient } from '@aws-sdk/client-cloudfront';
import { CloudFrontKeyValueStoreClient } from '@aws-sdk/client-cloudfront-keyvaluestore';
import { DSQLClient } from '@aws-sdk/client-dsql';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { Route53Client } from '@aws-sdk/client-route-53';
import { SFNClient } from '@aws-sdk/client-sfn';
import { readObject, removeObject, storeObject } from '../../builder/job/objects.ts';
import { DAY_MS } from '../../domain/time.ts';
import { createAppAccess } from '../../providers/app-host/app-access.ts';
import { createAppHost } from '../../providers/app-host/app-host.ts';
import { createCapacityMeter } from '../../providers/app-host/cell-capacity.ts';
import { createAppLogs } from '../../providers/app-host/logs.ts';
import { createAppMetrics } from '../../providers/app-host/metrics.ts';
import { createAppRequests } from '../../providers/app-host/requests.ts';
import { createAppStarts } from '../../providers/app-host/starts.ts';
import { createBuildAccess } from '../../providers/builds/access.ts';
import { createBuildRunner } from '../../providers/builds/build-runner.ts';
import { createDatabases } from '../../providers/databases/databases.ts';
import { createDatabaseMetrics } from '../../providers/databases/metrics.ts';
import { createDatabasePasswords } from '../../providers/databases/passwords.ts';
import { createDns } from '../../providers/dns/dns.ts';
import { createZoneSyncQueue } from '../../providers/dns/sync-queue.ts';
import { createEdgeCertificates } from '../../providers/edge/certificates.ts';
import { createRouteStore } from '../../providers/edge/host-routes.ts';
import { createDistributionTenants } from '../../providers/edge/tenants.ts';
import { createSecrets } from '../../providers/encryption/secrets.ts';
import { createMailer } from '../../providers/mail/mailer.ts';
import { createFailureQueue } from '../../providers/queues/failure-queue.ts';
import { accountMeasures, cellMeasures } from '../../providers/quotas/measures.ts';
import { createServiceQuotas } from '../../providers/quotas/service-quotas.ts';
import { createRegistrar } from '../../providers/registrar/registrar.ts';
import { createDeliveryQueue } from '../../providers/webhooks/delivery-queue.ts';
import { createExecutions } from '../../providers/workflows/executions.ts';
import { assumeRole } from '../../runtime/aws/assume-role.ts';
import { callAws } from '../../runtime/aws/client.ts';
import { deleteObject, getObject, putObject } from '../../runtime/aws/objects.ts';
import { presign } from '../../runtime/aws/presign.ts';
import { getJson, postJson } from '../../runtime/aws/rest.ts';
import { readSecret } from '../../runtime/aws/secret-values.ts';
import { batchReads } from '../../table/batch-reads.ts';
import { Database, databasesOf } from '../../table/entities/databases.ts';
import { createTable } from '../../table/table.ts';
import { change, check, create, remove, toStoredItem } from '../../table/writes.ts';

export const STORE_ARN = 'arn:aws:cloudfront::000000000000:key-value-store/routes';
const KEY_ARN = 'arn:aws:kms:af-south-1:000000000000:key/one';
const DATABASE_ROLE = 'arn:aws:iam::000000000000:role/database-access';
const DELIVERIES = [
  { message: { accountId: 'acc_1', webhookId: 'whk_1', eventId: 'evt_1', deliveryId: 'del_1', step: 1 }, delay: 5 },
];
const LAYER_ARN = 'arn:aws:lambda:af-south-1:000000000000:layer:adapter:1';

/** Calls every operation of AWS that the platform's own client and its providers have, in the order of real use. */
const CALLS: Record<string, () => Promise<unknown>> = {
  async 'applications: release, probe, switch, suspend, release again, prune, remove'() {
    const client = new LambdaClient({});
    const settings = { prefix: 'app-', roleArn: 'arn:aws:iam::000000000000:role/apps', adapterLayerArn: LAYER_ARN };
    const [host, access] = [createAppHost(client, settings), createAppAccess(client, 'app-')];
    const app = { applicationId: '1', nodeVersion: '24', concurrency: 20 };
    const artifact = { bucket: 'builds', key: 'a.zip' };
    const first = await host.release(app, artifact);
    await host.probe('1', first, '/');
    await host.switchTo('1', first);
    await access.close('1');
    await access.open('1');
    const second = await host.release({ ...app, nodeVersion: '22', concurrency: 30 }, artifact);
    await host.switchTo('1', second);
    await host.removeRelease('1', first);
    await createCapacityMeter(client).measure();
    await host.remove('1');
  },
  async 'run-time logs and metrics'() {
    const logs = createAppLogs(
      (operation, input, options) => callAws('logs', operation, input, options),
      'app-',
      'arn:aws:lambda:af-south-1:000000000000:function:app-',
    );
    await logs.prepare('1');
    await logs.read('1', { after: undefined, since: new Date(0), limit: 10 });
    await logs.tail('1', '1', new Date(), 5);
    const span = { from: new Date(0), periodS: 60, periods: 60 };
    await createAppStarts((operation, input) => callAws('logs', operation, input), 'app-').read('1', span);
    await createAppRequests((operation, input) => callAws('logs', operation, input), 'app-').read('1', {
      from: new Date(0),
      to: new Date(),
    });
    await createAppMetrics((operation, input) => callAws('monitoring', operation, input), 'app-').read('1', span);
    await logs.remove('1');
  },
  async builds() {
    const runner = createBuildRunner((operation, input) => callAws('codebuild', operation, input), 'build');
    const id = (await runner.start('dep_1', 'https://job')) ?? '';
    await runner.find(id);
    await runner.stop(id);
  },
  async databases() {
    const arnPrefix = 'arn:aws:dsql:eu-west-1:000000000000:cluster/';
    const databases = createDatabases('eu-west-1', arnPrefix);
    const { id } = await databases.create('db_1', 'arn:aws:lambda:af-south-1:000000000000:function:app-1');
    await databases.find(id);
    await databases.setAccess(id, { generation: 1, access: 'ALL' });
    const passwords = createDatabasePasswords(
      (session) => assumeRole({ roleArn: DATABASE_ROLE, ...session }),
      arnPrefix,
    );
    const target = { clusterId: id, host: 'localhost', region: 'eu-west-1', generation: 1 };
    await passwords.create(target, { name: 'db_1', seconds: 3600 });
    const metrics = createDatabaseMetrics((operation, input) => callAws('monitoring', operation, input));
    await metrics.storageBytes(id, new Date());
    await metrics.readUsage([id], new Date());
    await databases.remove(id);
  },
  async 'zones and records'() {
    const zones = createDns(new Route53Client({}));
    const { id } = await zones.ensureZone('example.com', 'dom_1', []);
    await zones.ensureZone('example.com', 'dom_1', []);
    const plain = { name: 'www.example.com', type: 'TXT', ttl: 300, values: ['"a b"'] };
    const alias = { name: 'example.com', type: 'A', ttl: 0, values: [], alias: 'd1.cloudfront.net' };
    await zones.change(
      id,
      [plain, alias].map((set) => ({ action: 'UPSERT', set })),
    );
    for (const set of await zones.recordSets(id, 'example.com')) await zones.change(id, [{ action: 'DELETE', set }]);
    await zones.deleteZone(id);
    await zones.nameservers(id);
  },
  async 'routes of the edge'() {
    const routes = createRouteStore(STORE_ARN);
    const hosts = ['a.apps.localhost'];
    await routes.update(await routes.version(), [{ kind: 'point', hosts, target: 'one.lambda-url.on.aws' }]);
    await routes.update(await routes.version(), [{ kind: 'suspend', hosts }], 'rch_1');
    await routes.update(await routes.version(), [{ kind: 'remove', hosts }]);
  },
  async 'custom domains'() {
    const client = new CloudFrontClient({});
    const tenants = createDistributionTenants(client, { distributionId: 'E1', connectionGroupId: 'cg_1' });
    await tenants.create('door-1', 'www.example.com');
    const latest = async () => {
      const found = await tenants.find('door-1');
      if (!found) throw new Error('the tenant was not created');
      return found;
    };
    await tenants.reissueCertificate(await latest(), 'www.example.com');
    const issued = await tenants.certificate('door-1');
    await tenants.attachCertificate(await latest(), 'www.example.com', issued?.arn ?? '');
    await tenants.disable(await latest(), 'www.example.com');
    await tenants.remove(await latest());
  },
  async 'domain registrations'() {
    const registrar = createRegistrar((operation, input, options) =>
      callAws('route53domains', operation, input, options),
    );
    const owner = {
      name: 'Jo Doe',
      email: 'jo@example.com',
      contactNumber: '+27.111234567',
      address1: '1 Long Street',
    };
    const place = { city: 'Cape Town', province: 'WC', postalCode: '8001', country: 'ZA' };
    await registrar.availability('new.com');
    const id = await registrar.register({ domain: 'new.com', years: 1, owner: { ...owner, ...place }, privacy: true });
    await registrar.operation(id);
    await registrar.find('REGISTER_DOMAIN', 'new.com', new Date(0));
    const registered = await registrar.registered('mine.com');
    await registrar.verification('mine.com');
    await registrar.delegate('mine.com', ['ns1.example.com', 'ns2.example.com']);
    await registrar.renew('mine.com', 1, registered?.expiresAt.getUTCFullYear() ?? 0);
  },
  async 'sealed secrets'() {
    const secrets = createSecrets((operation, input) => callAws('kms', operation, input), KEY_ARN);
    const context = { application: 'app_1' };
    await secrets.unseal(context, await secrets.seal(context, 'text'));
  },
  async queues() {
    const send = <Output>(operation: string, input: object) => callAws<Output>('sqs', operation, input);
    await createDeliveryQueue(send, { main: 'https://sqs/1/deliveries', slow: 'https://sqs/1/slow' }).send(DELIVERIES);
    await createZoneSyncQueue(send, 'https://sqs/1/zones').send([{ accountId: 'acc_1', domainId: 'dom_1' }]);
    const failures = createFailureQueue(send, 'https://sqs/1/failures');
    await failures.count();
    await failures.take(30);
    const message = { id: 'one', body: '{}', sentAt: new Date(0), receipt: 'receipt' };
    await failures.remove(message);
    await failures.release(message);
  },
  async quotas() {
    const quotas = createServiceQuotas((operation, input, options) =>
      callAws('servicequotas', operation, input, options),
    );
    const measures = [
      ...accountMeasures({
        route53: new Route53Client({}),
        dsql: new DSQLClient({}),
        databaseRegion: 'eu-west-1',
        quotas,
        registrar: (operation, input) => callAws('route53domains', operation, input),
        mail: {
          region: 'af-south-1',
          read: (path) => getJson({ service: 'ses', host: 'email', region: 'af-south-1' }, path),
        },
      }),
      ...cellMeasures({
        lambda: new LambdaClient({}),
        region: 'af-south-1',
        storeArn: STORE_ARN,
        isHome: false,
        store: new CloudFrontKeyValueStoreClient({}),
        certificates: (operation, input) => callAws('acm', operation, input, { region: 'us-east-1' }),
        quotas,
      }),
    ];
    for (const { measure } of measures) await measure();
  },
  async 'certificates that nothing uses'() {
    const client = new CloudFrontClient({});
    const tenants = createDistributionTenants(client, { distributionId: 'E1', connectionGroupId: 'cg_1' });
    const certificates = createEdgeCertificates(client, (operation, input) =>
      callAws('acm', operation, input, { region: 'us-east-1' }),
    );
    await tenants.create('door-2', 'shop.example.com');
    for (const each of await certificates.listUnused(new Date(Date.now() + DAY_MS)))
      if (!(await certificates.isAwaited(each))) await certificates.delete(each.arn);
  },
  async 'state machines'() {
    const executions = createExecutions(
      new SFNClient({}),
      'arn:aws:states:af-south-1:000000000000:stateMachine:deployment',
    );
    await executions.start('dep_1', { deploymentId: 'dep_1' });
    await executions.status('dep_1');
    await executions.stop('dep_1', 'deleted');
  },
  async objects() {
    await putObject('builds', 'jobs/a b.json', '{}', 'application/json');
    await getObject('builds', 'jobs/a b.json');
    await deleteObject('builds', 'jobs/a b.json');
  },
  async 'requests of a build, signed by a session'() {
    const session = { roleArn: 'arn:aws:iam::000000000000:role/build-access' };
    const access = createBuildAccess((grants, own) => presign('builds', grants, { ...session, ...own }));
    const { readJob, access: granted } = await access.grant('app_1', 'dep_1');
    await readObject(readJob);
    await storeObject(granted.storeArtifact, 'zip');
    await removeObject(granted.removeJob);
  },
  async emails() {
    const ses = { service: 'ses', host: 'email', region: 'af-south-1' };
    const mailer = createMailer((path, input) => postJson(ses, path, input), 'no-reply@example.com');
    const mail = { to: 'a@example.com', subject: 'subject', text: 'text', html: '<p>text</p>', login: 'login' };
    await mailer.send({ ...mail, unsubscribeUrl: 'https://example.com/hooks/mail/unsubscribe/token' });
  },
  'secrets of the platform': () => readSecret('payments', 'AWSCURRENT'),
  async table() {
    const send = <Output>(operation: string, input: object) => callAws<Output>('dynamodb', operation, input);
    const table = createTable(send, 'table');
    const key = { applicationId: 'app_1', prefix: 'DATABASE_A' };
    const made: Database = {
      ...key,
      id: 'db_1',
      accountId: 'acc_1',
      name: 'a',
      region: 'eu-west-1',
      host: null,
      createdAt: '2026',
      status: 'PROVISIONING',
      dueAt: '2026',
    };
    const failure = () => new Error('the condition failed');
    await table.transact([
      create(Database, made, failure),
      check(Database, { ...key, prefix: 'B' }, { pk: 'absent' }, failure),
    ]);
    await table.write(
      Database,
      change(
        Database,
        key,
        { set: { name: 'b' }, remove: ['host'], add: { dueCount: 1 }, when: { status: { is: 'PROVISIONING' } } },
        failure,
      ),
    );
    await table.write(Database, create(Database, { ...made, prefix: 'C' }, failure));
    await table.write(Database, remove(Database, key, { pk: 'present' }, failure));
    await table.get(Database, key);
    await table.list(Database, 'list', { limit: 5, offset: 3 });
    await table.all(Database, databasesOf('app_1'));
    await table.due('DATABASE', { until: '2027', limit: 5 });
    await table.getByKey({ pk: 'a', sk: 'b' });
    await table.scan({ limit: 10 });
    await table.putAll([toStoredItem(Database, made), toStoredItem(Database, { ...made, prefix: 'D' })]);
    const batched = createTable(batchReads(send), 'table');
    await Promise.all([batched.get(Database, key), batched.get(Database, { ...key, prefix: 'D' })]);
  },
};

/** Makes all calls. What AWS answers is of no interest here; a call that could not be made is an error of the caller's. */
export async function callEverything(): Promise<void> {
  for (const call of Object.values(CALLS)) await call();
}
