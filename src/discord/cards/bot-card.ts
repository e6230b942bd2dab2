import { escapeLine } from '../markdown.ts';
import { ACCENT } from './accent.ts';
import { type Card, type CardContext, card, gallery, pictured, smallLine } from './parts.ts';

/** How the bot looks in a server. */
export interface BotView {
  /** Foreign text: the name that people see. */
  name: string;
  /** The server's own name and pictures of the bot. */
  has: Readonly<Record<'name' | 'avatar' | 'banner', boolean>>;
  /** The addresses of pictures that were set just now; null for none. */
  avatar: string | null;
  banner: string | null;
}

/** @param lead the confirmation of the last change; '' for none */
export function botCard({ name, has, avatar, banner }: BotView, lead: string, { translator }: CardContext): Card {
  const line = (what: 'name' | 'avatar' | 'banner') =>
    `**${translator.t(`look.bot.${what}`)}** ${translator.t(has[what] ? 'look.bot.own' : 'look.bot.usual')}`;
  const photo = banner && { url: banner, width: null, height: null, caption: null, tags: [] };
  return card(ACCENT.notice, [
    pictured(
      [
        lead === '' ? null : lead,
        `## ${escapeLine(name)}`,
        line('name'),
        line('avatar'),
        line('banner'),
        smallLine([translator.t('look.bot.how')]),
      ],
      avatar,
      name,
    ),
    photo ? gallery([photo], name) : null,
  ]);
}
