import type { Client, CreateChatCompletionInput } from '../../client/index.ts';
import { type Command, CommandError, type Context, UsageError } from '../command.ts';
import { listing } from '../listing.ts';
import { printable } from '../output.ts';
import { readAll } from '../text.ts';

type Message = CreateChatCompletionInput['messages'][number];

const MODEL = {
  name: 'model',
  short: 'm',
  value: 'model',
  description: 'The model as provider/model. Default: HOSTING_MODEL, or the first model that is available on credits',
} as const;

async function modelOf({ option, env, client, signal }: Context): Promise<string> {
  const chosen = option('model') ?? env.HOSTING_MODEL;
  if (chosen) return chosen;
  const { data } = await client().listModels({}, { signal });
  const first = data.find(({ credits }) => credits);
  if (!first) throw new CommandError('No model is available on credits here. Name one with --model.');
  return first.id;
}

/** Streams a reply. @returns its text */
async function reply({ client, out, signal }: Context, model: string, messages: Message[]): Promise<string> {
  let text = '';
  const chunks = await client().createChatCompletion({ model, messages, stream: true }, { signal });
  for await (const { choices } of chunks) {
    const part = choices[0]?.delta.content ?? '';
    text += part;
    if (!out.json) out.part(part.split('\n').map(printable).join('\n'));
  }
  if (!out.json) out.line();
  return text;
}

const chat: Command = {
  name: 'ai chat',
  summary: 'Ask a model a question, or start a conversation if no question is given',
  arguments: [{ name: 'question', description: 'The question. Default: stdin', many: true, optional: true }],
  options: [MODEL, { name: 'system', value: 'text', description: 'System prompt' }],
  examples: ['hosting ai chat "Why is the sky blue?"', 'hosting ai chat --model openai/gpt-4o-mini < question.txt'],
  async run(context) {
    const { rest, option, out, stdin, ask } = context;
    const system = option('system');
    const messages: Message[] = system === undefined ? [] : [{ role: 'system', content: system }];
    const question = rest.length > 0 ? rest.join(' ') : stdin.isTTY ? undefined : (await readAll(stdin)).trim();
    if (question === '') throw new UsageError('The question is empty.');
    const model = await modelOf(context);
    if (question !== undefined) {
      messages.push({ role: 'user', content: question });
      const text = await reply(context, model, messages);
      if (out.json) out.result({ model, reply: text }, () => undefined);
      return;
    }
    out.note(`${model}. An empty line ends the conversation.`);
    for (;;) {
      const line = (await ask('> '))?.trim() ?? '';
      if (line === '') return;
      messages.push({ role: 'user', content: line });
      messages.push({ role: 'assistant', content: await reply(context, model, messages) });
    }
  },
};

type Model = Awaited<ReturnType<Client['listModels']>>['data'][number];
/** Returns the price of a model. A model that is not available on credits has none: its provider charges the caller's key. */
const priced = ({ credits }: Model, price: string) => (credits ? price : 'own key');

const models = listing({
  name: 'ai models',
  summary: 'List the models with their prices on credits',
  description:
    'A model marked “own key” is not available on credits. Save a key of its provider, which then charges you.',
  read: async ({ client, signal }) => (await client().listModels({}, { signal })).data,
  columns: {
    model: ({ id }) => id,
    'rand per million tokens in': (model) => priced(model, model.pricing_zar_per_million.input),
    out: (model) => priced(model, model.pricing_zar_per_million.output),
  },
  none: 'There are no models here.',
});

export const aiCommands: readonly Command[] = [chat, models];
