import * as z from 'zod/mini';
import { tendSubscriptions } from '../../domain/billing/lifecycle.ts';
import { lookIntoTopUps } from '../../domain/billing/top-ups.ts';
import { voidOverdue } from '../../domain/billing/unpaid-invoices.ts';
import { payments } from '../../runtime/bindings/payments.ts';
import { deps } from '../../runtime/deps.ts';
import { duties } from '../../runtime/duties.ts';
import { plans } from '../../runtime/plans.ts';
import { step } from '../../runtime/triggers/step.ts';

const needs = { ...deps, payments, plans };

/** Every minute: payments whose callbacks were lost, subscriptions and invoices whose time has come. */
export const handler = step(z.unknown(), () =>
  duties({
    topUps: () => lookIntoTopUps(needs),
    subscriptions: () => tendSubscriptions(needs),
    invoices: () => voidOverdue(needs),
  }),
);
