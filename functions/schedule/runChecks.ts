import * as z from 'zod/mini';
import { runChecks } from '../../domain/processes/checks.ts';
import { dnsResolver as resolver } from '../../runtime/bindings/dns-resolver.ts';
import { probe } from '../../runtime/bindings/probe.ts';
import { secrets } from '../../runtime/bindings/secrets.ts';
import { deps } from '../../runtime/deps.ts';
import { reportChecks } from '../../runtime/observability/check-metrics.ts';
import { step } from '../../runtime/triggers/step.ts';

/** Every minute: runs the synthetic checks, which use each product like a customer. */
export const handler = step(z.unknown(), async () =>
  reportChecks(await runChecks({ ...deps, ...probe, resolver, secrets })),
);
