// What the first screen rarely needs: loaded right behind it, so that it shows sooner.
import './batch-bar.ts';
import './confirm-dialog.ts';
import './login-form.ts';
import './queue-list.ts';
