import { expect, test } from 'vitest';
import { listKeys } from '../../contract/accounts/api-keys.ts';
import { buyAiCredits, getAiCredits, listProviderKeys } from '../../contract/ai/management.ts';
import { hold } from '../../domain/ai/credits.ts';
import { settle } from '../../domain/ai/settlement.ts';
import { newAccount, platformDeps, raw, waitFor } from '../support/harness.ts';
import { openScreen, POLL, signedInContext } from './browser.ts';
import { missingStyles } from './styles.ts';

test('credits are bought from the wallet, and a purchase beyond the balance is rejected', async () => {
  const account = await newAccount({ walletCents: 15_000 });
  const page = await openScreen(await signedInContext(account), 'ai');
  await page.getByLabel('Amount in rand').fill('100');
  await page.getByRole('button', { name: 'Buy credits' }).click();
  await page.getByText('R100.00 in credits added.').waitFor();
  expect(await missingStyles(page)).toEqual([]);
  await page.getByRole('cell', { name: 'Credits bought' }).waitFor();
  await page.getByRole('button', { name: 'Buy credits' }).click();
  await page.getByRole('alert').getByText('Request id').waitFor();
  await page.getByRole('alert').getByRole('link', { name: 'Top up' }).waitFor();
  expect((await account.dashboard.call(getAiCredits)).body.data.balance).toBe('100.00');
});

test('a debt for a call that cost more than the credits is shown until a purchase pays it', async () => {
  const account = await newAccount({ aiCreditsMicroRand: 1_000_000, walletCents: 10_000 });
  const messages = [{ role: 'user', content: 'fault:overcount=5000000' }];
  const called = await raw('/ai/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${account.secretKey}` },
    body: JSON.stringify({ model: 'openai/gpt-4o-mini', messages }),
  });
  expect(called.status).toBe(200);
  await waitFor(async () => (await account.dashboard.call(getAiCredits)).body.data.debtMicroRand > 0);
  const page = await openScreen(await signedInContext(account), 'ai');
  await page.getByRole('alert').getByText('You owe R12.51 for an earlier call').waitFor();
  await page.getByLabel('Amount in rand').fill('20');
  await page.getByRole('button', { name: 'Buy credits' }).click();
  await expect.poll(() => page.getByRole('alert').count(), POLL).toBe(0);
  expect((await account.dashboard.call(getAiCredits)).body.data).toMatchObject({ debt: '0.00', balance: '7.49' });
});

test('an invalid amount is rejected before it is sent', async () => {
  const page = await openScreen(await signedInContext(await newAccount()), 'ai');
  await page.getByLabel('Amount in rand').fill('a lot');
  await page.getByRole('button', { name: 'Buy credits' }).click();
  await page.getByText('must be rand with two decimals', { exact: false }).waitFor();
});

test('a model streams its response in the playground, and the usage history and its chart show the cost', async () => {
  const account = await newAccount({ aiCreditsMicroRand: 50_000_000 });
  const page = await openScreen(await signedInContext(account), 'ai/playground');
  await page.getByText('System prompt, parameters and code').click();
  await page.getByLabel('System prompt').fill('Answer in isiZulu.');
  await page.getByLabel('Temperature').fill('3');
  await page.getByText('Temperature must be from 0 to 2.').waitFor();
  await page.getByLabel('Temperature').fill('0.5');
  await page.getByLabel('Language').selectOption('python');
  await page.getByText('OpenAI(base_url=', { exact: false }).waitFor();
  const sent = page.waitForRequest('**/ai/chat/completions');
  await page.getByLabel('Message').fill('say exactly: <b>Sawubona</b> from the gateway');
  await page.getByLabel('Message').press('Enter');
  expect(JSON.parse((await sent).postData() ?? '')).toMatchObject({
    messages: [{ role: 'system', content: 'Answer in isiZulu.' }, { role: 'user' }],
    temperature: 0.5,
  });
  const conversation = page.getByRole('log', { name: 'Conversation' });
  await conversation.getByText('tokens in', { exact: false }).waitFor();
  await conversation.getByText('first token after', { exact: false }).waitFor();
  await conversation.getByText('about R', { exact: false }).waitFor();
  expect(await conversation.textContent()).toContain('<b>Sawubona</b> from the gateway');
  const model = await page.getByLabel('Model').inputValue();
  await page.getByRole('tab', { name: 'Requests' }).click();
  const log = page.getByRole('region', { name: 'Requests', exact: true }).getByRole('row');
  await expect.poll(() => log.filter({ hasText: model }).count(), POLL).toBe(1);
  await page.getByLabel('Filter by result').selectOption('true');
  await page.getByText('No matching requests').waitFor();
  await page.getByRole('tab', { name: 'Credits' }).click();
  await page.getByText(`${model} — R`, { exact: false }).waitFor();
  await page.getByRole('cell', { name: model }).waitFor();
});

test('two models are compared side by side, each with its speed and cost', async () => {
  const account = await newAccount({ aiCreditsMicroRand: 50_000_000 });
  const page = await openScreen(await signedInContext(account), 'ai/playground?compare=openai%2Fgpt-4o-mini');
  expect(await page.getByLabel('Compare with').inputValue()).toBe('openai/gpt-4o-mini');
  await page.getByLabel('Model', { exact: true }).selectOption('openai/gpt-5-nano');
  await page.getByLabel('Message').fill('say exactly: the same question');
  await page.getByLabel('Message').press('Enter');
  for (const name of ['Conversation with openai/gpt-5-nano', 'Comparison with openai/gpt-4o-mini']) {
    const answer = page.getByRole('log', { name });
    await answer.getByText('first token after', { exact: false }).waitFor();
    await answer.getByText('about R', { exact: false }).waitFor();
    expect(await answer.getByText('the same question', { exact: true }).count()).toBe(1);
  }
  await page.getByRole('tab', { name: 'Credits' }).click();
  await page.getByLabel('Show').selectOption('tokens');
  await page.getByLabel('Group').selectOption('key');
  const today = page.getByRole('list', { name: 'Tokens by day' }).getByRole('listitem').last();
  await expect.poll(() => today.textContent(), POLL).toMatch(/\(Dashboard /);
  expect(new URL(page.url()).search).toBe('?show=tokens&by=key');
});

test('the playground names the fields that a model ignores', async () => {
  const page = await openScreen(await signedInContext(await newAccount()), 'ai/playground');
  const note = page.getByText('Calls to this model ignore temperature, top_p, tools', { exact: false });
  await page.getByLabel('Model').selectOption('openai/gpt-4o-mini');
  expect(await note.count()).toBe(0);
  await page.getByLabel('Model').selectOption('anthropic/claude-sonnet-4-5');
  await note.waitFor();
});

test('spending beyond a page of the history is shown whole, by model and by key', async () => {
  const account = await newAccount({ aiCreditsMicroRand: 50_000_000 });
  const deps = await platformDeps();
  const [key] = (await account.dashboard.call(listKeys)).body.data;
  const tokens = { inputTokens: 1, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 1 };
  const used = { ...tokens, requestId: 'req', model: 'openai/gpt-4o', price: null, estimated: false };
  for (let call = 0; call < 105; call += 1) {
    const held = await hold(deps, { accountId: account.id, keyId: 'key_1' }, 'openai', 20_000);
    await settle(deps, held, 10_000, { ...used, keyId: key?.id ?? '' });
  }
  const page = await openScreen(await signedInContext(account), 'ai');
  await page.getByText('openai/gpt-4o — R1.05 in 105 calls').waitFor();
  await page.getByText('test — R1.05 in 105 calls').waitFor();
});

test('a failing model shows the reason, and the conversation continues', async () => {
  const account = await newAccount({ aiCreditsMicroRand: 50_000_000 });
  const page = await openScreen(await signedInContext(account), 'ai/playground');
  const say = async (text: string) => {
    await page.getByLabel('Message').fill(text);
    // The second click is on Stop, which takes the place of Send.
    await page.getByRole('button', { name: 'Send' }).dblclick();
  };
  await say('fault:error-mid');
  await page.getByRole('alert').waitFor();
  const conversation = page.getByRole('log', { name: 'Conversation' });
  await conversation.getByText('Not answered').waitFor();
  await say('fault:hang-mid');
  await page.getByRole('button', { name: 'Stop' }).click();
  await expect.poll(() => conversation.getByText('Not answered').count(), POLL).toBe(2);
  await say('say exactly: well again');
  await conversation.getByText('well again', { exact: true }).waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  await page.getByRole('tab', { name: 'Credits' }).click();
  await page.getByRole('tab', { name: 'Playground' }).click();
  await conversation.getByText('well again', { exact: true }).waitFor();
});

test("a call without credits shows the gateway's message, and is repeated once there are credits", async () => {
  const account = await newAccount({ walletCents: 10_000 });
  const page = await openScreen(await signedInContext(account), 'ai/playground');
  await page.getByLabel('Message').fill('hello');
  await page.getByRole('button', { name: 'Send' }).click();
  const alert = page.getByRole('alert');
  await alert.getByText('The AI credit balance is below R0.50.').waitFor();
  await account.dashboard.call(buyAiCredits, { body: { amount: '50.00' } });
  await alert.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('log', { name: 'Conversation' }).getByText('tokens in', { exact: false }).waitFor();
  expect(await page.getByText('hello', { exact: true }).count()).toBe(1);
});

test('a provider key is saved, shown by its last four characters only, and removed after confirmation', async () => {
  const account = await newAccount();
  const page = await openScreen(await signedInContext(account), 'ai/providers');
  await page.getByRole('button', { name: 'Save key for OpenAI' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(/^Key/).fill('short');
  await dialog.getByRole('button', { name: 'Save key' }).click();
  await dialog.getByText('At least 8 characters').waitFor();
  await dialog.getByLabel(/^Key/).fill('sk-a-key-of-my-own-9876');
  await dialog.getByRole('button', { name: 'Save key' }).click();
  await page.getByText('your key, ending in 9876').waitFor();
  expect(await page.content()).not.toContain('sk-a-key-of-my-own');
  const row = page.locator('.row', { hasText: 'ending in 9876' });
  await row.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expect.poll(() => page.getByText('ending in 9876').count(), POLL).toBe(0);
  const { data } = (await account.dashboard.call(listProviderKeys)).body;
  expect(data.some(({ saved }) => saved)).toBe(false);
});
