import { readable } from '../console.ts';
import { aiVariables } from '../emulators/ai/ai.ts';
import { startCloudFront } from '../emulators/cloudfront/cloudfront.ts';
import { startKeyValueStore } from '../emulators/cloudfront/key-value-store.ts';
import { startCodeBuild } from '../emulators/codebuild/codebuild.ts';
import { buildProjectsOf } from '../emulators/codebuild/projects.ts';
import { startDatabases } from '../emulators/dsql/dsql.ts';
import { leadsTo } from '../engines/dns-answers.ts';
import { createTables } from '../engines/dynamodb.ts';
import { type EngineOptions, type Engines, placeOf } from '../engines/engines.ts';
import { createQueuesAndBuckets } from '../engines/queues.ts';
import { functionsOf } from '../lambda/functions.ts';
import { startLambda } from '../lambda/lambda.ts';
import { startStepFunctions } from '../step-functions/step-functions.ts';

export interface StackOptions extends Pick<EngineOptions, 'addresses' | 'directory' | 'children' | 'life'> {
  /** Variables that the shell gives another value than the template. */
  overrides: Record<string, string>;
}

/** Makes what the template says, and starts what runs it. Nothing is asked of it yet. */
export async function startStacks(engines: Engines, options: StackOptions) {
  const { overrides, addresses, directory, life } = options;
  const { ports, urls, baseUrl, environment } = addresses;
  const { started } = life;
  const { dnsServer, login, payments, zones } = engines;
  const { template } = engines.synthesis;
  const dataDir = directory.path;
  const place = placeOf(options);

  const functions = functionsOf(template, {
    environment,
    overrides: {
      ...aiVariables(urls.ai, overrides),
      ...login.variables,
      ...payments.variables,
      PUBLIC_URL: baseUrl,
      DNS_SERVERS: `${dnsServer.host}:${dnsServer.port}`,
    },
  });
  const variables: Record<string, string> = Object.assign({}, ...functions.map((each) => each.environment));
  const lambda = started(
    startLambda({ functions, dataDir, onComplaint: (name, text) => console.error(readable(name, text)) }),
  );
  const stores = template.resources('AWS::CloudFront::KeyValueStore').map(({ arn }) => arn);
  const projects = buildProjectsOf(template, overrides);
  const [keyValueStore] = await Promise.all([
    startKeyValueStore({ dataDir, port: ports.routes, stores }).then(started),
    createTables(engines.dynamoDbUrl, template),
    createQueuesAndBuckets(engines.queuesUrl, template),
    startCodeBuild({ ...place, port: ports.builds, projects, gitRoot: engines.git.root }).then(started),
    startDatabases({ ...place, port: ports.databases, region: String(variables.DATABASE_REGION) }).then(started),
    startCloudFront({
      ...{ dataDir, port: ports.cloudfront },
      leadsHere: (domain) => leadsTo(zones.zoneOf, domain, String(variables.DOOR_ADDRESS)),
    }).then(started),
  ]);
  // Executions that were under way go on at once: what they call is there by now.
  await startStepFunctions({ template, dataDir, port: ports.states, lambda, codeBuildUrl: urls.builds }).then(started);
  return { template, functions, variables, lambda, keyValueStore };
}

export type Stacks = Awaited<ReturnType<typeof startStacks>>;
