import { BooksInput, keepBooks } from '../../domain/billing/adjustments.ts';
import { deps } from '../../runtime/deps.ts';
import { plans } from '../../runtime/plans.ts';
import { step } from '../../runtime/triggers/step.ts';

/** For operators, by hand: an account's balance adjusted, an invoice issued or made void, a plan granted. */
export const handler = step(BooksInput(), (entry) => keepBooks({ ...deps, plans }, entry));
