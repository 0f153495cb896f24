import { advanceMove } from '../../domain/moves/advance.ts';
import { moveApp } from '../../domain/operator/moves.ts';
import type { HealthCheck } from '../../providers/app-host/app-host.ts';
import type { HostedApp } from '../../providers/app-host/publishing.ts';
import { RuntimeRetired } from '../../providers/app-host/resources.ts';
import { createZip, readPackedFile } from '../../providers/archives/zip.ts';
import { createBuilds } from '../../providers/builds/builds.ts';
import { artifactKey } from '../../providers/builds/keys.ts';
import type { Context, Sealed } from '../../providers/encryption/secrets.ts';
import { App, Host } from '../../table/entities/apps.ts';
import { Cell, Move } from '../../table/entities/cells.ts';
import { Deployment } from '../../table/entities/deployments.ts';
import { change, create } from '../../table/writes.ts';
import { CELL_RESOURCES } from '../support/cells.ts';
import { newSimulatedAccount } from './account.ts';
import { simulatedApp } from './app.ts';
import { type FaultPlan, noFaults, simulation } from './simulation.ts';

/** Hosting cells with an application in one of them, and its move to another, whose processes may crash at every call. */

const OF = { accountId: 'acc_1', id: 'app_1' };
const ARN = (cellId: string) => `arn:aws:lambda:${cellId}:1:function:`;
export const SECRET = '{"TOKEN":"a"}';

/** A function of Lambda: its versions with the code that each runs, the one that serves, and its address. */
interface StoredFunction {
  versions: Map<string, { nodeVersion: string; code: Buffer }>;
  counter: number;
  live?: string;
  isOpen: boolean;
}

const sealedUnder = (context: Context, text: string): Sealed => ({
  wrappedKey: JSON.stringify(context),
  iv: `${Math.random()}`,
  ciphertext: text,
});

/** A KMS that refuses another context than that of the encryption. */
const secrets = {
  seal: async (context: Context, text: string) => sealedUnder(context, text),
  unseal: async (context: Context, { wrappedKey, ciphertext }: Sealed) => {
    if (wrappedKey !== JSON.stringify(context)) throw new Error('InvalidCiphertextException');
    return ciphertext;
  },
};

/** Returns the code of a release with variables that only its function in a cell can decrypt. */
function codeOf(release: string, cellId: string): Buffer {
  const zip = createZip();
  const hostArn = ARN(cellId) + OF.id;
  zip.add('server.js', Buffer.from(release), 0o100644);
  zip.add(
    '.service/env.json',
    Buffer.from(JSON.stringify({ ...sealedUnder({ application: hostArn }, SECRET), hostArn })),
    0o100644,
  );
  return zip.end();
}

export interface MoveOptions {
  app?: Partial<App>;
  health?: Partial<HealthCheck>;
  /** Releases of the application, oldest first; the last one serves. */
  releases?: string[];
  /** True for versions of Node that Lambda makes no functions of any more. */
  isRetired?: boolean;
}

export async function moveSimulation({ app = {}, health = {}, releases = ['1', '2'], isRetired }: MoveOptions = {}) {
  const { memory, clock, steady, startProcess, calls } = simulation({
    settings: { hostArnOf: (id) => ARN('home') + id },
  });
  const { deps } = steady;
  const objects = new Map<string, Buffer>();
  const routes = new Map<string, string>();
  /** By cell. */
  const functions = new Map<string, StoredFunction>();
  const logs = new Set<string>(['home']);
  const history: string[] = [];

  const cellNamed = (cellId: string) => ({
    functionArnPrefix: ARN(cellId),
    hostRoutes: {
      point: async ([host = '']: readonly string[], target: string, applicationId: string) => {
        if ((await deps.table.get(Host, { host }))?.applicationId !== applicationId) return;
        routes.set(`${cellId}:${host}`, target);
        history.push(`route to ${target}`);
      },
    },
    appAccess: {
      open: async () => void Object.assign(functions.get(cellId) ?? {}, { isOpen: true }),
      close: async () => void Object.assign(functions.get(cellId) ?? {}, { isOpen: false }),
    },
    appLogs: {
      prepare: async () => void logs.add(cellId),
      remove: async () => void logs.delete(cellId),
    },
    appHost: {
      release: async ({ nodeVersion }: HostedApp, { key }: { key: string }) => {
        if (isRetired) throw new RuntimeRetired(nodeVersion);
        const code = objects.get(key) ?? Buffer.alloc(0);
        const found = functions.get(cellId) ?? { versions: new Map(), counter: 0, isOpen: true };
        functions.set(cellId, found);
        // Lambda publishes no other version of the same code (PublishVersion).
        const [newest] = [...found.versions].reverse();
        if (newest?.[1].code.equals(code)) return newest[0];
        found.counter += 1;
        found.versions.set(`${found.counter}`, { nodeVersion, code });
        return `${found.counter}`;
      },
      nodeVersionOf: async (_: string, release: string) => functions.get(cellId)?.versions.get(release)?.nodeVersion,
      probe: async () => ({ status: 200, error: undefined, output: '', ...health }),
      switchTo: async (_: string, release: string) => {
        Object.assign(functions.get(cellId) ?? {}, { live: release });
        return `${cellId}.lambda-url`;
      },
      remove: async () => {
        functions.delete(cellId);
        history.push(`removed from ${cellId}`);
      },
    },
  });
  const cells = new Map(['home', 'b'].map((id) => [id, cellNamed(id)]));

  const item = simulatedApp({
    ...OF,
    name: 'Shop',
    slug: 'shop',
    primaryDomain: 'shop',
    hosts: ['shop'],
    ...(releases.length > 0 ? { liveDeploymentId: `dep_${releases.length}` } : {}),
    ...app,
  });
  const resources = { ...CELL_RESOURCES, account: '2', region: 'b', functionArnPrefix: ARN('b') };
  await deps.table.transact([
    create(App, item),
    create(Host, { host: 'shop', accountId: OF.accountId, applicationId: OF.id }),
    newSimulatedAccount(OF.accountId),
    create(Cell, { id: 'b', open: true, resources }),
    ...releases.map((release, index) =>
      create(Deployment, {
        id: `dep_${index + 1}`,
        accountId: OF.accountId,
        applicationId: OF.id,
        status: 'SUCCEEDED',
        trigger: 'API',
        commitSha: '',
        startedAt: '',
        finishedAt: '',
        notes: [],
        release,
      }),
    ),
  ]);
  const versions = releases.map((release, index) => {
    const code = codeOf(release, 'home');
    objects.set(artifactKey(OF.id, `dep_${index + 1}`), code);
    return [release, { nodeVersion: '22', code }] as const;
  });
  const live = releases.at(-1);
  if (live) {
    functions.set('home', { versions: new Map(versions), counter: releases.length, live, isOpen: true });
    routes.set('home:shop', `home.lambda-url ${live}-`);
  }

  /** Makes one step in a process of its own. */
  async function step(faults: FaultPlan = noFaults, error?: { Error: string; Cause: string }) {
    const { deps: own, port } = startProcess({ faults });
    const objectStore = port('s3', {
      getObject: async (_: string, key: string) => objects.get(key),
      putObject: async (_: string, key: string, body: string | Buffer) => void objects.set(key, Buffer.from(body)),
      deleteObject: async (_: string, key: string) => void objects.delete(key),
    });
    const cellOf = async ({ cellId = 'home' }) => {
      const cell = cells.get(cellId);
      if (!cell) throw new Error(`there is no hosting cell ${cellId}`);
      const { functionArnPrefix, ...providers } = cell;
      const ported = Object.entries(providers).map(([name, each]) => [name, port(`${cellId}.${name}`, each)]);
      return { functionArnPrefix, ...Object.fromEntries(ported) };
    };
    const given = { ...own, bucket: 'builds', builds: createBuilds(objectStore, 'builds'), secrets, cellOf };
    const ids = { accountId: OF.accountId, moveId: move().id };
    return await advanceMove(given, error ? { ...ids, error } : ids);
  }

  const move = (): Move => {
    // The newest.
    const moves = memory.items('MOVE').map((each) => Move.parse(each));
    return moves.sort((a, b) => (a.id < b.id ? -1 : 1)).at(-1) ?? Move.parse(undefined);
  };
  const readApp = () => deps.table.get(App, OF);

  return {
    memory,
    clock,
    deps,
    objects,
    routes,
    functions,
    logs,
    history,
    calls,
    step,
    move,
    startProcess,
    app: readApp,
    set: (set: Partial<App>) => deps.table.transact([change(App, OF, { set })]),
    deployments: () => memory.items('DEPLOYMENT').map((each) => Deployment.parse(each)),
    request: (cell: string) =>
      moveApp(deps, { accountId: '', keyId: '' }, { id: OF.accountId, applicationId: OF.id, cell, reason: 'full' }),
    /** Makes steps until the move is over, as the state machine and the reconciler do. */
    async finish(faults: FaultPlan = noFaults) {
      for (let steps = 0; steps < 60; steps += 1) {
        const progress = await step(faults).catch(() => ({ done: false, waitSeconds: 5 }));
        if (progress.done) return;
        clock.now += progress.waitSeconds * 1000;
      }
      throw new Error('the move did not end');
    },
    /** True as long as the route names a release that is there and serves. */
    isServed() {
      const [host = '', release = ''] = (routes.get('home:shop') ?? '').split(' ');
      const found = functions.get(host.split('.')[0] ?? '');
      return found?.live !== undefined && found.live === release.split('-')[0] && found.versions.has(found.live);
    },
    /** Opens the variables in what is stored of each release, as its function in a cell does. */
    openStored: (cellId: string) =>
      Promise.all(
        [...objects.values()].map((code) => {
          const env = JSON.parse(readPackedFile(code, '.service/env.json')?.toString() ?? '{}');
          return secrets.unseal({ application: ARN(cellId) + OF.id }, env);
        }),
      ),
    /** Returns the release that a visitor meets, with the variables that its function can decrypt. */
    async served() {
      const [host = '', release = ''] = (routes.get('home:shop') ?? '').split(' ');
      const cellId = host.split('.')[0] ?? '';
      const version = functions.get(cellId)?.versions.get(release.split('-')[0] ?? '');
      if (!version) return undefined;
      const env = JSON.parse(readPackedFile(version.code, '.service/env.json')?.toString() ?? '{}');
      const variables = await secrets.unseal({ application: ARN(cellId) + OF.id }, env);
      return { cellId, code: readPackedFile(version.code, 'server.js')?.toString(), variables };
    },
  };
}
