// What the first screen rarely needs, or not before the server has answered. It is loaded right after the first screen, which
// therefore shows sooner.
import '../browser/print.ts';
import '../browser/stray-files.ts';
import '../form/interaction-form.ts';
import '../session/absence.ts';
import './account-menu.ts';
import '../dialogs/batch-bar.ts';
import '../dialogs/confirm-dialog.ts';
import './login-form.ts';
import './own-agent.ts';
import '../session/queue-list.ts';
import './session-search.ts';
import './start-page.ts';
import '../transcript/tool-block.ts';
import '../ui/opaque-card.ts';
import '../prompt/countdown.ts';
import '../prompt/interaction-card.ts';
import '../prompt/pop-out.ts';
import '../notify/start.ts';
