/**
 * Every timeout of a chain, in seconds. Whatever waits must outlast what it waits for: edge → API → function → callee,
 * state machine → step → build → queue, queue → consumer → attempt, lease → holder. The stacks, the domain and the
 * providers read these numbers, and test/template/timeouts.test.ts walks the chains in the synthesized templates
 * (docs/decisions/0038-timeouts-alarms-costs.md).
 */
export const TIMEOUTS_S = {
  edge: {
    /**
     * Between two packets of the API and of the AI gateway, the first included. 120 is CloudFront's maximum without a
     * quota increase (CustomOriginConfig.OriginReadTimeout).
     */
    platform: 120,
    /** Between two packets of hosted applications. */
    applications: 60,
  },
  api: {
    /** The HTTP API's own maximum (AWS::ApiGatewayV2::Integration TimeoutInMillis). */
    integration: 30,
    /** Functions of GET operations: the first request of a login, and one call of another service. */
    read: 25,
    /** Functions of other operations: a write may wait behind concurrent writes to one wallet. */
    write: 29,
  },
  ai: {
    /** Lambda's maximum: a call and the settlement of its cost. */
    function: 900,
    call: 14 * 60,
    connect: 5,
    /** For the provider's status; with `connect` less than the edge waits, so that a failure keeps its status. */
    firstByte: 112,
    silence: 60,
    /**
     * From this time on without a byte for the caller, the gateway keeps the response of a provider alive that has answered and is not done; less
     * than the edge waits.
     */
    keepAlive: 90,
    /** Life of a hold: a call that crashed returns its credits a few minutes after this (domain/ai/windows.ts). */
    hold: 16 * 60,
  },
  /**
   * Calls of AWS's services: an attempt, one for an object (without a byte), and all attempts of a call together. Even if
   * each attempt hangs there are three, as AWS's SDKs make (https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html).
   */
  aws: { attempt: 4, object: 4, secret: 2, call: 15 },
  /** All requests to a Git host for one look at a repository, before an application exists. */
  repository: 12,
  /** The card payment provider, and the panel of hosting servers: reads in requests, changes in a workflow. */
  payments: 8,
  panel: { read: 5, change: 100, function: 240 },
  /** One try of a DNS query; the resolvers make two. */
  dnsQuery: 1.5,
  /** Public profile of a new login, and the issuer's signing keys. */
  login: { profile: 5, keys: 3 },
  /** Until a change of routes is in the key-value store: several leases of those that write it (domain/apps/route-writer.ts). */
  hostRoutes: 40,
  routeLease: 10,
  /** Of a batch of changes: reads and writes of the table, and sends to queues. */
  stream: 60,
  /**
   * Jobs outside of the table: of an application the routes, its function's access and its execution, one after another; of
   * a payment its charge between two looks at it; of a workflow the end of an execution and of a build, and a start; of an email
   * reads, two writes and a call of SES between them.
   */
  jobs: {
    routes: { function: 100, visibility: 110 },
    payments: { function: 60, visibility: 70 },
    workflows: { function: 75, visibility: 85 },
    mails: { function: 60, visibility: 70 },
  },
  delivery: { attempt: 10, function: 25, visibility: 30 },
  zoneSync: { function: 50, lease: 60, visibility: 70 },
  /** Scheduled jobs run every minute: no item starts after the budget, and a run ends before the next begins. */
  schedule: { interval: 60, function: 55, budget: 35, item: 15 },
  /** One request of a synthetic check; a check makes a few, one after another. */
  check: 10,
  /** Edge tenants of custom domains. The lease outlives the function, so that one execution creates a tenant. */
  tenant: { function: 60, lease: 75, watch: 30 * 60 },
  database: { function: 60, provisioning: 30 * 60 },
  /** `sweep`: the question for a domain and the request for its name servers, one after the other for one item of a scheduled job. */
  registrar: { sweep: 5, read: 10, order: 30, function: 60, task: 14 * 86_400 },
  /**
   * The move of an application to another cell: one step of it, of which the longest makes a release and reads and writes its code; and
   * the time in which routes reach all of the edge and the last request that went the old way ends.
   */
  move: { function: 720, drain: 90 },
  build: {
    /** Wait for a builder in CodeBuild's own queue. After it the build is submitted again, with new access. */
    queue: 20 * 60,
    /** The builder ends a build itself, so that it can report the timeout. */
    builder: 29 * 60,
    project: 30 * 60,
    /** From its submission on; CodeBuild ends a build a minute earlier. One that it has not ended is stopped. */
    whole: 51 * 60,
    /** One look at a running build, which returns early when the build ends; and its function. */
    watch: 20,
    watcher: 60,
    /** The submission of a build, repeated with the same job for at most CodeBuild's five minutes. */
    submit: 60,
    /** Interval of the looks at a build that waits for a builder, at most. */
    queueLook: 30,
    /** Wait for a builder that alarms operators. */
    alarm: 10 * 60,
    /** Validity of a build's signed requests: the longest session of a role that another role assumed. */
    access: 3600,
    /** Pause before a build that found no builder is submitted again, and before one that CodeBuild failed. */
    pause: 45,
    faultPause: 5,
    /** Wait for a builder in all. */
    wait: 8 * 3600,
  },
  release: {
    begin: 30,
    /** Each wait for Lambda to take in code or settings; a release has four, one of them for what another has begun. */
    update: 120,
    /** The longest wait of a release for its admission (domain/deployments/release-queue.ts). */
    wait: 2 * 3600,
    /** The wait of releases at once for one another, because Lambda takes 15 changes a second of an account. */
    throttling: 60,
    /** Until all of Lambda knows a new alias. */
    propagation: 15,
    release: 600,
    /** A request to a hosted application, and the start of its process before the first. */
    request: 30,
    start: 10,
    check: 180,
    switch: 120,
    record: 30,
    prune: 120,
    teardown: 300,
  },
} as const;
