import { Button, Group, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { keepDraft, readDraft } from '../form/draft.ts';
import { FailureNote } from '../ui/FailureAlert.tsx';
import { Loaded } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { useModels } from './api.ts';
import { Turns } from './Turns.tsx';
import { useChat } from './use-chat.ts';

/** A place to try models: the same gateway that programs call, billed in the same way. */
export const Playground = () => (
  <Section title="Playground" about="Answers are charged as any call is: to your credits, or to your own key.">
    <Loaded query={useModels()}>{({ data }) => <Chat models={data.map(({ id }) => id)} />}</Loaded>
  </Section>
);

const OTHER = 'another model';
/** A message that was not sent yet outlives the page, as forms do. */
const DRAFT = 'message';
const NOTHING = { text: '' };

function Chat({ models }: { models: readonly string[] }) {
  const [chosen, setChosen] = useState(models[0] ?? OTHER);
  const [named, setNamed] = useState('');
  const [text, setText] = useState(() => readDraft(DRAFT, NOTHING)?.text ?? '');
  const chat = useChat();
  const model = chosen === OTHER ? named.trim() : chosen;
  const ready = !chat.busy && text.trim() !== '' && model !== '';
  const type = (changed: string) => {
    setText(changed);
    keepDraft(DRAFT, NOTHING, { text: changed });
  };
  const send = (event?: FormEvent) => {
    event?.preventDefault();
    if (!ready) return;
    type('');
    void chat.send(model, text);
  };
  return (
    <Stack>
      <Group align="flex-end">
        <NativeSelect
          label="Model"
          data={[...models, OTHER]}
          value={chosen}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
        {chosen === OTHER && (
          <TextInput
            label="Model of a provider you have a key for"
            placeholder="openai/gpt-5"
            value={named}
            onChange={(event) => setNamed(event.currentTarget.value)}
          />
        )}
        <Button variant="default" onClick={chat.clear} disabled={chat.turns.length === 0}>
          Start over
        </Button>
      </Group>
      <Turns turns={chat.turns} busy={chat.busy} />
      {chat.error !== undefined && <FailureNote error={chat.error} />}
      <form onSubmit={send}>
        <Group align="flex-end" gap="xs">
          <Textarea
            label="Message"
            placeholder="Say something"
            value={text}
            onChange={(event) => type(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
                event.preventDefault();
                send();
              }
            }}
            autosize
            minRows={1}
            maxRows={8}
            style={{ flex: 1 }}
          />
          {chat.busy ? (
            <Button variant="default" onClick={chat.stop}>
              Stop
            </Button>
          ) : (
            <Button type="submit" disabled={!ready}>
              Send
            </Button>
          )}
        </Group>
        <Text size="xs" c="dimmed" mt={4}>
          Enter sends, Shift+Enter begins a new line.
        </Text>
      </form>
    </Stack>
  );
}
