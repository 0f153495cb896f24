import { Button, Center, Loader, Stack, Text, Title } from '@mantine/core';

/** On the way to the login page or back from it. */
export const Passage = ({ text, why, go }: { text: string; why?: string; go?: (() => void) | undefined }) => (
  <Center component="main" mih="100vh" p="md">
    <Stack align="center" gap="md" role="status">
      {!go && <Loader aria-hidden="true" />}
      <Title order={1} size="h3">
        {text}
      </Title>
      {why && <Text c="dimmed">{why}</Text>}
      {go && <Button onClick={go}>Sign in</Button>}
    </Stack>
  </Center>
);
