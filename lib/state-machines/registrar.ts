/**
 * What a registrar is asked to do with a domain, in Amazon States Language: submit, wait, look, finish or refuse. The item
 * holds the task; through the state travel ids, and how far the registrar is. JSONPath only, as in lib/state-machines/deployments.ts.
 */

/** Registries may take days, where a person looks at a name. What is not over then an operator looks at. */
const LONGEST_SECONDS = 14 * 86_400;

/** Whatever fails is tried again for some hours: an order may be at the registrar already, and its fate must be found out. */
const retryAll = {
  ErrorEquals: ['States.ALL'],
  IntervalSeconds: 2,
  BackoffRate: 2,
  MaxDelaySeconds: 900,
  MaxAttempts: 30,
};

/** ARNs of the functions behind the steps. */
export interface DomainSteps {
  submitDomainTask: string;
  checkDomainTask: string;
  finishDomainTask: string;
  refuseDomainTask: string;
}

const asking = (functionArn: string) => ({
  Type: 'Task',
  Resource: functionArn,
  ResultPath: '$.progress',
  Retry: [retryAll],
  Next: 'HowFar',
});
const ending = (functionArn: string) => ({
  Type: 'Task',
  Resource: functionArn,
  ResultPath: null,
  Retry: [retryAll],
  Next: 'Over',
});
const when = (state: string, next: string) => ({ Variable: '$.progress.state', StringEquals: state, Next: next });

/** Input: accountId, domainId. */
export function domainMachine(steps: DomainSteps) {
  return {
    Comment: 'Registers or renews a domain; a refusal returns the payment',
    StartAt: 'Submit',
    TimeoutSeconds: LONGEST_SECONDS,
    States: {
      Submit: asking(steps.submitDomainTask),
      HowFar: {
        Type: 'Choice',
        Choices: [when('PENDING', 'Wait'), when('DONE', 'Finish'), when('REFUSED', 'Refuse')],
        Default: 'Over',
      },
      Wait: { Type: 'Wait', SecondsPath: '$.progress.waitSeconds', Next: 'Look' },
      Look: asking(steps.checkDomainTask),
      Finish: ending(steps.finishDomainTask),
      Refuse: ending(steps.refuseDomainTask),
      Over: { Type: 'Succeed' },
    },
  };
}
