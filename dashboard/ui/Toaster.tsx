import '@mantine/core/styles/Notification.layer.css';
import '@mantine/notifications/styles.layer.css';
import { Notifications } from '@mantine/notifications';

/** Container of the toasts. */
const Toaster = () => <Notifications position="bottom-right" autoClose={6000} />;
export default Toaster;
