// What the first screen rarely needs: loaded right behind it, so that it shows sooner.
import './batch-bar.ts';
import './confirm-dialog.ts';
import './login-form.ts';
import './own-agent.ts';
import './queue-list.ts';
import './session-search.ts';
import '../ui/opaque-card.ts';
import '../prompt/countdown.ts';
import '../prompt/pop-out.ts';
