import { notifications } from '@mantine/notifications';
import { failureOf } from '../api/failure.ts';

const props = { closeButtonProps: { 'aria-label': 'Close' } };

/** Says in a corner that something was done. */
export function tell(message: string): void {
  notifications.show({ ...props, message, color: 'teal' });
}

/** Says in a corner what went wrong, where there is no form to say it in. It stays until it is read. */
export function tellFailure(error: unknown): void {
  const { message, requestId } = failureOf(error);
  const id = requestId ? ` Request id: ${requestId}` : '';
  notifications.show({ ...props, title: message, message: id, color: 'red', autoClose: false });
}
