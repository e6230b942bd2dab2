import type { APIUser } from 'discord-api-types/v10';
import { html, nothing, type TemplateResult } from 'lit';
import { COMMAND } from '../server/numbers.ts';
import { avatarOf } from './avatar.ts';
import { avatarOfUser, type Context, displayName, offeredCommands } from './context.ts';
import { under } from './context-menu.ts';
import { icons } from './icons.ts';
import { inLanguage, localeOf } from './localized.ts';
import { wordsOf } from './words.ts';

/** The member list at the far right: the people, and whether the app is connected. */
export function members(context: Context): TemplateResult {
  const { server, view, actions } = context;
  const { bot } = server;
  const namesOf = (roles: readonly string[]) =>
    server.guild.roles
      .filter(({ id }) => roles.includes(id))
      .map(({ name }) => `@${name}`)
      .join(' ');
  const botName = bot ? displayName(bot) : server.botName;
  return html`<aside class="members" aria-label="Members">
    <h2>App — 1</h2>
    <div class="member" ?data-offline=${!bot} @contextmenu=${bot && menuOf(bot, context)}>
      <img src=${bot ? avatarOfUser(bot) : avatarOf({ id: '', name: botName, bot: true })} alt="" />
      <span
        ><span class="member-name">${botName} <span class="app-tag">APP</span></span>
        <span class="member-note">${bot ? 'Online' : 'Not connected yet'}</span></span
      >
    </div>
    <h2>Members — ${server.people.length}</h2>
    ${server.people.map(
      ({ user, roles, canManage }) => html`<button
        class="member"
        aria-pressed=${user.id === view.personId ? 'true' : 'false'}
        title="Act as ${displayName(user)}"
        @click=${() => actions.choosePerson(user.id)}
        @contextmenu=${menuOf(user, context)}
      >
        <img src=${avatarOfUser(user)} alt="" />
        <span
          ><span class="member-name">${displayName(user)} ${canManage ? html`<span class="crown">${icons.crown}</span>` : nothing}</span>
          <span class="member-note"
            >${user.id === view.personId ? 'You · ' : ''}${canManage ? 'Manages the server' : 'Member'}</span
          >
          ${roles.length === 0 ? nothing : html`<span class="member-note">${namesOf(roles)}</span>`}</span
        >
      </button>`,
    )}
  </aside>`;
}

/** Opens the menu of a user: the user commands, which Discord lists under "Apps", and what can be copied. */
function menuOf(user: APIUser, context: Context): (event: MouseEvent) => void {
  return (event) => {
    event.preventDefault();
    const words = wordsOf(context);
    const commands = offeredCommands(context, COMMAND.user).map((command) => ({
      label: inLanguage(command, localeOf(context)).name,
      choose: () => context.actions.runOnUser(user.id, command.name),
    }));
    const copyId = { label: words.copyUserId, choose: () => context.actions.copy(user.id) };
    context.actions.openMenu({ x: event.clientX, y: event.clientY }, displayName(user), [
      ...under(words.apps, commands),
      copyId,
    ]);
  };
}
