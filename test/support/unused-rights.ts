/** A right that no test uses, as a pattern of the report's lines (`role action resource condition`), and why it is granted. */
export interface UnusedRight {
  right: RegExp;
  reason: string;
}

/**
 * Rights that a test run need not use. `test/template/unused-rights.test.ts` fails for one that no role has any more. All
 * others are removed (docs/decisions/0034-local-iam.md).
 */
export const UNUSED_RIGHTS: readonly UnusedRight[] = [
  {
    right: / logs:(CreateLogStream|PutLogEvents) \S*log-group:\/aws\/lambda\//,
    reason: 'Lambda writes the logs of functions; the local run writes files',
  },
  { right: / logs:StopQuery \*/, reason: 'queries of the local run are complete at once' },
  { right: / xray:/, reason: 'Lambda and Step Functions send traces; the local run has none' },
  {
    right: /MachineRole\S* logs:(\w+LogDelivery|ListLogDeliveries|PutResourcePolicy|Describe\w+) \*/,
    reason: 'Step Functions delivers the logs of executions; the local run keeps their history',
  },
  {
    right: / sqs:(GetQueueAttributes|ChangeMessageVisibility) /,
    reason:
      'Lambda’s poller scales by the first; the local one needs the second only when messages wait for their turn',
  },
  {
    right: / ses:SendEmail \S*identity\/\S+@/,
    reason: 'SES authorizes by the identity that is verified: the sender’s address, or its domain as in the local run',
  },
  { right: / dynamodb:ListStreams \*/, reason: 'Lambda requires it of a stream’s consumer' },
  { right: / sqs:SendMessage \S*-failures$/, reason: 'only what failed after all its retries is sent there' },
  {
    right:
      / dynamodb:(BatchGetItem|ConditionCheckItem|DeleteItem|GetItem|PutItem|Query|UpdateItem) \S*(?<!index\/due)(?: \{.*LeadingKeys.*)?$/,
    reason: 'rights on the table come as two sets, to read and to write, by the method of the route (0002)',
  },
  {
    right: /Quarantined\S* dynamodb:Query \S*index\/due$/,
    reason: 'operators invoke these functions manually; tests call the domain functions',
  },
  {
    right: /TeardownApp\S* (dsql:(CreateCluster|TagResource)|iam:CreateServiceLinkedRole) /,
    reason: 'repeats a creation whose answer was lost, to learn the name of the cluster that it removes',
  },
  {
    right: /MoveApp\S* (cloudfront-keyvaluestore|iam|kms|lambda|logs|s3):/,
    reason: 'a move needs a second cell, which the run that reports has not; domain/moves shows the steps',
  },
  {
    right: / dsql:DbConnectAdmin /,
    reason: 'the local run checks it when an application connects, which no test with policies does',
  },
  {
    right: / acm:(AddTagsToCertificate|DescribeCertificate) /,
    reason: 'CloudFront requests and reads the certificates of tenants with its caller’s rights',
  },
  {
    right: / cloudfront:UpdateDistributionTenant \S*(:connection-group\/|:distribution\/)/,
    reason: 'AWS’s list names the tenant alone, and does not say that a change of these two needs no right on them',
  },
  {
    right:
      /ScheduleReconcileRole\S* (route53domains:(GetContactReachabilityStatus|GetDomainDetail|UpdateDomainNameservers)|sqs:SendMessage|states:(DescribeExecution|StartExecution)) /,
    reason: 'the reconciler repeats what was lost; tests of the domain lose it (domain/processes, domain/registrar)',
  },
  {
    right:
      /(BeginDeployment\S* s3:DeleteObject|SwitchRelease\S* lambda:UpdateFunctionUrlConfig|TeardownApp\S* dsql:GetCluster) /,
    reason: 'undoes a step in whose course the application was deleted, suspended or stopped',
  },
  {
    right: /(SubmitBuild|WatchBuild)\S* codebuild:StopBuild /,
    reason:
      'stops the build of a deployment that ended while it was submitted, and one that CodeBuild did not end in time',
  },
  {
    right: /FailDeployment\S* s3:ListBucket /,
    reason: 'tells a log that was never written from one that may not be read; most builds fail after their first line',
  },
  {
    right: / cloudfront-keyvaluestore:GetKey /,
    reason: 'a route is compared before it is written; functions that only remove routes share the provider',
  },
  {
    right:
      /(List|Read|Replay|Discard)Failures\S* (sqs:(ReceiveMessage|DeleteMessage|SendMessage)|dynamodb:(Query|GetRecords|GetShardIterator)|lambda:InvokeFunction) /,
    reason: 'failure queues have one set of rights; only what failed after all its retries would use all of it',
  },
  {
    right: /AdoptCustomerDomain\S* (route53|route53domains):/,
    reason:
      'a domain that came to the registrar in another way; the seeds adopt one with the function that this route shares its rule with',
  },
  {
    right: /(RepairAfterRestore|VerifyLedgers)\S* dynamodb:Scan /,
    reason:
      'operators run it after a restore; domain/processes/restore/restore.test.ts runs both over a restored table',
  },
  {
    right: / (route53:GetHostedZone|route53domains:(GetDomainDetail|RenewDomain)) /,
    reason: 'renewals come years later, and adopted domains from operators; tests call what these functions wire',
  },
  {
    right: /SyncZone\S* route53:(DeleteHostedZone|ListHostedZonesByName) /,
    reason:
      'a zone is deleted weeks after its registration has ended; domain/dns/release.test.ts does it at the emulator',
  },
  {
    right: /GatewayRole\S* lambda:InvokeFunction /,
    reason: 'API Gateway invokes functions with a role; the local gateway is no caller with one',
  },
  {
    right: /DeploymentMachineRole\S* lambda:InvokeFunction \S*moveApp:live$/,
    reason: 'needs two cells: test/release/cells.test.ts moves an application',
  },
  {
    right: /(DeliverWebhook|OnTableChange)\S* sqs:(SendMessage|DeleteMessage) \S*-slow-deliveries$/,
    reason: 'an endpoint is slow after minutes of waiting for it; simulations show the lane',
  },
  {
    right: /ScheduleReconcile\S* lambda:GetAccountSettings /,
    reason: 'the room of cells is measured where there are several: test/release/cells.test.ts',
  },
  { right: /ScheduleMigrate\S* dynamodb:Scan /, reason: 'a data directory of this version has nothing to migrate' },
  {
    right: /ServeAccounts\S* (cognito-idp:AdminDeleteUser|s3:DeleteObject) /,
    reason: 'an account is deleted after a week, and its exports are; simulations show both',
  },
];

/** Refused requests of the platform's own roles that tests provoke. */
export const EXPECTED_DENIALS: readonly UnusedRight[] = [
  {
    right: /-app-\S+ dsql:DbConnectAdmin .*"aws:ResourceTag\/access":"(OWNER|NONE)"/,
    reason:
      'a limit of databases is reached: that the application is refused is what the tag is for (test/api/databases)',
  },
];
