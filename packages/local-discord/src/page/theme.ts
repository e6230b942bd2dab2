// It has to come first: the components below read it when they are loaded, and would load avatars from outside without
// it.
import './no-outside-avatars.ts';
import { DiscordAuthorInfo } from '@skyra/discord-components-core/discord-author-info.js';
import { DiscordCommand } from '@skyra/discord-components-core/discord-command.js';
import { DiscordEmbed } from '@skyra/discord-components-core/discord-embed.js';
import { DiscordMention } from '@skyra/discord-components-core/discord-mention.js';
import { DiscordMessage } from '@skyra/discord-components-core/discord-message.js';
import { DiscordReply } from '@skyra/discord-components-core/discord-reply.js';
import { DiscordVerifiedAuthorTag } from '@skyra/discord-components-core/discord-verified-author-tag.js';
import '@skyra/discord-components-core/discord-embed-description.js';
import '@skyra/discord-components-core/discord-embed-footer.js';
import { css } from 'lit';

// Styles inside the components' shadow roots, where Discord's design has changed since the components were made.
DiscordMessage.elementStyles.push(css`
  .discord-message-timestamp { color: var(--muted); margin-left: 0.25rem; }
  .discord-message-edited { color: var(--muted); font-size: 0.625rem; }
  .discord-message-content { padding-top: 0; line-height: 1.375rem; min-width: 0; }
  .discord-message-inner-center { align-items: flex-start; }
  .discord-author-avatar { margin-top: 2px; }
  .discord-author-avatar img { cursor: default; }
  .discord-message-body-only-indent { flex: 0 0 56px; width: 56px; font-size: 11px; line-height: 1.375rem; margin: 0; }
  time { font-variant-numeric: tabular-nums; }
  discord-author-info { line-height: 1.375rem; vertical-align: baseline; }
  @media (max-width: 480px) {
    .discord-author-avatar { margin-right: 8px; }
    .discord-message-body-only-indent { flex-basis: 48px; width: 48px; }
  }
`);
DiscordAuthorInfo.elementStyles.push(css`
  :host .discord-author-username { color: var(--bright); }
  :host .discord-author-username:hover { text-decoration: none; cursor: default; }
`);
DiscordEmbed.elementStyles.push(css`
  :host .discord-embed-wrapper { background: var(--card); border: 1px solid var(--line); border-left: 0; }
  :host .discord-left-border { background-color: var(--line); }
  :host .discord-embed-image { max-width: 100%; }
`);
DiscordMention.elementStyles.push(css`
  :host { background: var(--mention); color: var(--mention-text); border-radius: 3px; padding: 0 2px; }
`);
DiscordReply.elementStyles.push(css`
  :host { color: var(--muted); }
`);
DiscordCommand.elementStyles.push(css`
  :host { color: var(--muted); }
  :host .discord-replied-message-username { color: var(--text); opacity: 1; }
  :host .discord-slash-command-name { background: none; color: var(--link) !important; padding: 0 2px; }
`);
DiscordVerifiedAuthorTag.elementStyles.push(css`
  :host { text-transform: uppercase; letter-spacing: 0.02em; }
`);
