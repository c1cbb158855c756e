// Importing this file registers the public elements and everything they show at once.
import '../form/interaction-form.ts';
import '../inbox/inbox-page.ts';
import '../prompt/countdown.ts';
import '../prompt/interaction-card.ts';
import '../prompt/pop-out.ts';
import '../session/absence.ts';
import '../dialogs/batch-bar.ts';
import '../session/queue-list.ts';
import '../session/session-view.ts';
import '../transcript/tool-block.ts';
import '../ui/opaque-card.ts';
import './parley-inbox.ts';
import './parley-interaction.ts';
import './parley-session.ts';
