import { notifications } from '@mantine/notifications';
import { toFailure } from '../api/failure.ts';

const props = { closeButtonProps: { 'aria-label': 'Close' } };

/** Reports a success. */
export function toast(message: string): void {
  notifications.show({ ...props, message, color: 'teal' });
}

/** Reports a failure outside of forms. It stays until the user closes it. */
export function toastError(error: unknown): void {
  const { message, requestId } = toFailure(error);
  const id = requestId ? ` Request id: ${requestId}` : '';
  notifications.show({ ...props, title: message, message: id, color: 'red', autoClose: false });
}
