import { Button, Menu, Text } from '@mantine/core';
import { useSession } from '../api/context.ts';

/** Who is signed in, and the way out. */
export function AccountMenu() {
  const session = useSession();
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          c="inherit"
          size="compact-sm"
          fw={500}
          maw={{ base: 150, sm: 260 }}
          aria-label={`Account ${session.email}`}
        >
          <Text span truncate size="sm">
            {session.email || 'Account'}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href="/docs" target="_blank">
          API reference
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={() => void session.signOut()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
