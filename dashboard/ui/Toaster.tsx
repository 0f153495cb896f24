import '@mantine/core/styles/Notification.layer.css';
import '@mantine/notifications/styles.layer.css';
import { Notifications } from '@mantine/notifications';

/** The corner in which it is told what was done. */
const Corner = () => <Notifications position="bottom-right" autoClose={6000} />;
export default Corner;
