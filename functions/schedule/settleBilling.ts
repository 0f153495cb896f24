import * as z from 'zod/mini';
import { voidOverdue } from '../../domain/outstanding.ts';
import { lookIntoTopUps } from '../../domain/top-ups.ts';
import { deps } from '../../runtime/deps.ts';
import { duties } from '../../runtime/duties.ts';
import { payments } from '../../runtime/payments.ts';
import { step } from '../../runtime/step.ts';

const needs = { ...deps, payments };

/** Every minute: payments whose callbacks were lost, invoices whose time is over. */
export const handler = step(z.unknown(), () =>
  duties({ topUps: () => lookIntoTopUps(needs), invoices: () => voidOverdue(needs) }),
);
