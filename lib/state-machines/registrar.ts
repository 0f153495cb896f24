import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';

/**
 * A domain task at the registrar, in Amazon States Language: submit, wait, check, then finish or refuse. The task is an item of the table; the
 * state contains only ids and the registrar's progress. It uses only JSONPath, as in lib/state-machines/deployments.ts.
 */

/** Retries all failures for some hours, because the registrar may already have the order, and its result must be recorded. */
const retryAll = {
  ErrorEquals: ['States.ALL'],
  IntervalSeconds: 2,
  BackoffRate: 2,
  MaxDelaySeconds: 900,
  MaxAttempts: 30,
};

/** ARNs of the steps' functions. */
export interface DomainSteps {
  submitDomainTask: string;
  checkDomainTask: string;
  finishDomainTask: string;
  refuseDomainTask: string;
}

const requestStep = (functionArn: string) => ({
  Type: 'Task',
  Resource: functionArn,
  ResultPath: '$.progress',
  Retry: [retryAll],
  Next: 'HowFar',
});
const finalStep = (functionArn: string) => ({
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
    // A registry may take days, because some names are reviewed manually. After this time, a task needs an operator.
    TimeoutSeconds: TIMEOUTS_S.registrar.task,
    States: {
      Submit: requestStep(steps.submitDomainTask),
      HowFar: {
        Type: 'Choice',
        Choices: [when('PENDING', 'Wait'), when('DONE', 'Finish'), when('REFUSED', 'Refuse')],
        Default: 'Over',
      },
      Wait: { Type: 'Wait', SecondsPath: '$.progress.waitSeconds', Next: 'Look' },
      Look: requestStep(steps.checkDomainTask),
      Finish: finalStep(steps.finishDomainTask),
      Refuse: finalStep(steps.refuseDomainTask),
      Over: { Type: 'Succeed' },
    },
  };
}
