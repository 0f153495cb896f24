import { readDraft, saveDraft } from '../drafts.ts';

/** The screen of a purchase that waits for a top-up. Kept in the tab: the payment provider's page returns without it. */
const NAME = 'purchase';
const NONE = { from: '' };

export const keepPurchase = (from: string): void => saveDraft(NAME, NONE, { from });

/** Returns the path of the screen; undefined if there is none. */
export function purchaseScreen(): string | undefined {
  const from = readDraft(NAME, NONE)?.from ?? '';
  return /^\/[\w/.-]*$/.test(from) ? from : undefined;
}
