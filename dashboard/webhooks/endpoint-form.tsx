import { Checkbox, SimpleGrid } from '@mantine/core';
import { TextField } from '../form/fields.tsx';
import type { Form } from '../form/form.ts';
import { EVENT_TYPES } from './event-types.ts';

export interface EndpointValues {
  url: string;
  description: string;
  /** Empty for all events. */
  events: string[];
}

export const toBody = ({ url, description, events }: EndpointValues) => ({
  url,
  description,
  events: events.length === 0 ? ['*'] : events,
});

/** Fields of a webhook endpoint. */
export const EndpointFields = ({ form }: { form: Form<EndpointValues> }) => (
  <>
    <TextField field={form.field('url')} label="URL" placeholder="https://example.com/hooks" required autoFocus />
    <TextField field={form.field('description')} label="Description" />
    <Checkbox.Group
      label="Events"
      description="Select none to receive all events"
      value={form.values.events}
      onChange={(events) => form.setValues({ events })}
      error={form.errors.events}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing={6} mt="xs">
        {EVENT_TYPES.map((type) => (
          <Checkbox key={type} value={type} label={type} />
        ))}
      </SimpleGrid>
    </Checkbox.Group>
  </>
);
