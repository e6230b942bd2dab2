import { html, nothing, type TemplateResult } from 'lit';
import { avatarOf } from './avatar.ts';
import { avatarOfUser, type Context, displayName } from './context.ts';
import { icons } from './icons.ts';

/** The member list at the far right: the people, and whether the app is connected. */
export function members({ server, view, actions }: Context): TemplateResult {
  const { bot } = server;
  const namesOf = (roles: readonly string[]) =>
    server.guild.roles
      .filter(({ id }) => roles.includes(id))
      .map(({ name }) => `@${name}`)
      .join(' ');
  const botName = bot ? displayName(bot) : 'The bot';
  return html`<aside class="members" aria-label="Members">
    <h2>App — 1</h2>
    <div class="member" ?data-offline=${!bot}>
      <img src=${bot ? avatarOfUser(bot) : avatarOf({ id: '', name: 'Dealbell', bot: true })} alt="" />
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
