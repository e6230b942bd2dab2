import { html, nothing } from 'lit';
import type { DemoHappening, DemoState, DemoStory } from '../../server/demo-api.ts';

const SENTENCES: Readonly<Record<DemoHappening, string>> = {
  'killed-taken': 'Killed in the middle of a post. Discord had taken it.',
  'killed-not-taken': 'Killed in the middle of a post. Discord hadn’t taken it.',
  'killed-between': 'Killed between two posts.',
  'runs-again': 'The bot runs again.',
  'cut-off-taken': 'Discord was cut off in the middle of a post, which it had taken.',
  'catalog-away': 'The catalog answers nothing.',
  'requests-fail': 'Every third request fails.',
  back: 'That is over.',
  'went-on': 'The next post came.',
  'not-repeated': 'The post stands once. The next one came.',
  repeated: 'The post stands twice.',
  edited: 'Its post was updated.',
  news: 'The news got a post of its own.',
};

/** The story of the last lever of a part of the panel, with the seconds since it was pulled; nothing before its first line. */
export function storyOf({ story }: DemoState, part: DemoStory['part']): unknown {
  if (story?.part !== part || story.lines.length === 0) return nothing;
  return html`<div role="log" aria-label="What came of it"><ol class="demo-story">
    ${story.lines.map(({ afterMs, is }) => html`<li><b>${(afterMs / 1000).toFixed(1)} s</b> ${SENTENCES[is]}</li>`)}
  </ol></div>`;
}
