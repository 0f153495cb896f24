import { Group, Text } from '@mantine/core';
import { Section } from '../ui/Section.tsx';
import { TextLink } from '../ui/TextLink.tsx';
import type { AttentionItem } from './attention-items.ts';

/** Tasks for the account's owner; nothing if there are none. */
export const AttentionList = ({ items }: { items: readonly AttentionItem[] }) =>
  items.length === 0 ? null : (
    <Section title="Needs attention">
      <div className="card attention">
        {items.map(({ id, text, action, href }) => (
          <Group key={id} className="row" justify="space-between" gap="sm">
            <Text size="sm" className="break">
              {text}
            </Text>
            <TextLink href={href}>{action}</TextLink>
          </Group>
        ))}
      </div>
    </Section>
  );
