/**
 * Timeouts in seconds. In a chain of calls, each timeout must be longer than the one it waits for: edge → API → function → callee,
 * state machine → step → build → queue, queue → consumer → attempt, lease → holder. The stacks, the domain and the providers use
 * these numbers, and test/template/timeouts.test.ts checks the chains in the synthesized templates
 * (docs/decisions/0038-timeouts-alarms-costs.md).
 */
export const TIMEOUTS_S = {
  edge: {
    /**
     * The longest time until the first packet, and between two packets, of the API and the AI gateway. 120 is CloudFront's maximum
     * without a quota increase (CustomOriginConfig.OriginReadTimeout).
     */
    platform: 120,
    /** The same for hosted applications. */
    applications: 60,
  },
  api: {
    /** The HTTP API's maximum (AWS::ApiGatewayV2::Integration TimeoutInMillis). */
    integration: 30,
    /** Functions of GET operations. Enough for the first request of a login and one call to another service. */
    read: 25,
    /** Functions of other operations. A write may wait for concurrent writes to the same wallet. */
    write: 29,
    /** The time within which a request repeats a write that lost to a concurrent one. The last attempt begins before its end. */
    conflicts: 20,
  },
  ai: {
    /** Lambda's maximum. It covers a call and the settlement of its cost. */
    function: 900,
    call: 14 * 60,
    connect: 5,
    /**
     * The wait for the provider's status, and then for the first byte of its answer. With `connect` the wait for the status is shorter than
     * the edge's timeout, so that a failure keeps its status.
     */
    firstByte: 112,
    silence: 60,
    /**
     * The silence after which the gateway keeps a response alive, while the provider has answered but is not done. Shorter than the
     * edge's timeout.
     */
    keepAlive: 90,
    /** The lifetime of a hold. The credits of a crashed call return a few minutes later (domain/ai/windows.ts). */
    hold: 16 * 60,
  },
  /**
   * Calls to AWS services: one attempt, one attempt for an object (without a byte), one attempt for a secret, and all attempts of a
   * call together. Even if every attempt hangs, there is time for three, as in AWS's SDKs
   * (https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html). `sdk`: one attempt of a call through an SDK client,
   * such as a change of a CloudFront tenant, which takes longer than most calls.
   */
  aws: { attempt: 4, object: 4, secret: 2, call: 15, sdk: 10 },
  /** All requests to a Git host for one inspection of a repository. */
  repository: 12,
  /** The payment provider, and the panel of hosting servers: reads in requests, changes in a workflow. */
  payments: 8,
  panel: { read: 5, change: 100, function: 240 },
  /** One attempt of a DNS query. The resolvers make two. */
  dnsQuery: 1.5,
  /** Requests for the profile of a new login, and for the issuer's signing keys. */
  login: { profile: 5, keys: 3 },
  /** The wait until the key-value store has a change of routes: several leases of route writers (domain/apps/route-writer.ts). */
  hostRoutes: 40,
  routeLease: 10,
  /** A batch of changes: reads and writes of the table, and messages to queues. */
  stream: 60,
  /**
   * Jobs outside the table, each with sequential calls. Routes: an application's routes, its function's access and its execution.
   * Payments: a charge, with a check before and after it. Workflows: stopping an execution and a build, and starting an execution.
   * Emails: reads, and a call to SES between two writes.
   */
  jobs: {
    routes: { function: 100, visibility: 110 },
    payments: { function: 60, visibility: 70 },
    workflows: { function: 75, visibility: 85 },
    mails: { function: 60, visibility: 70 },
  },
  delivery: { attempt: 10, function: 25, visibility: 30 },
  zoneSync: { function: 50, lease: 60, visibility: 70 },
  /** Scheduled jobs run every minute. No item starts after the budget, and a run ends before the next one starts. */
  schedule: { interval: 60, function: 55, budget: 35, item: 15 },
  /** One request of a synthetic check. A check makes a few requests in sequence. */
  check: 10,
  /** Distribution tenants of custom domains. The lease outlives the function, so that only one execution creates a tenant. */
  tenant: { function: 60, lease: 75, watch: 30 * 60 },
  database: { function: 60, provisioning: 30 * 60 },
  /** `sweep`: each of the two requests for one item of a scheduled job, first for the domain and then for its name servers. */
  registrar: { sweep: 5, read: 10, order: 30, function: 60, task: 14 * 86_400 },
  /**
   * The move of an application to another cell. `function`: one step; the longest creates a release, and reads and writes its code.
   * `drain`: the time until all edge locations have the new route and the last request on the old route has ended.
   */
  move: { function: 720, drain: 90 },
  build: {
    /** The wait for a builder in CodeBuild's queue. The build is then submitted again, with new access. */
    queue: 20 * 60,
    /** The builder's limit for a build. It ends the build before CodeBuild does, so that it can report the timeout. */
    builder: 29 * 60,
    project: 30 * 60,
    /** The time from the submission of a build after which the platform stops it. CodeBuild should have ended it a minute earlier. */
    whole: 51 * 60,
    /** One check of a running build, which returns early when the build ends, and the function that makes the check. */
    watch: 20,
    watcher: 60,
    /** The submission of a build. It is repeated with the same job for at most CodeBuild's five minutes. */
    submit: 60,
    /** The longest interval between two checks of a build that waits for a builder. */
    queuePoll: 30,
    /** The wait for a builder after which operators are alarmed. */
    alarm: 10 * 60,
    /** The validity of a build's signed requests: the longest session that STS allows for role chaining. */
    access: 3600,
    /** The pause before a build is submitted again because there was no builder, or because CodeBuild failed. */
    pause: 45,
    faultPause: 5,
    /** The total wait for a builder. */
    wait: 8 * 3600,
  },
  release: {
    begin: 30,
    /** Each wait for Lambda to apply code or settings. A release has four, one of them for a change that another release started. */
    update: 120,
    /** The longest wait of a release for its admission (domain/deployments/release-queue.ts). */
    wait: 2 * 3600,
    /** The wait of concurrent releases for one another, because Lambda accepts 15 changes a second from an account. */
    throttling: 60,
    /** The time until a new alias is known throughout Lambda. */
    propagation: 15,
    release: 600,
    /** A request to a hosted application, and the start of its process before the first request. */
    request: 30,
    start: 10,
    check: 180,
    switch: 120,
    record: 30,
    prune: 120,
    teardown: 300,
  },
} as const;
