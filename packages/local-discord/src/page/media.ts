import { html, nothing, type TemplateResult } from 'lit';
import type { Context, Picture } from './context.ts';
import { safeLink } from './markdown/inline.ts';
import { ownAddress } from './own-address.ts';

/** A picture, which may be another site's: the request carries no referrer, and one that fails to load is hidden. */
function picture(url: string, className: string): TemplateResult {
  return html`<img
    class=${className}
    src=${url}
    alt=""
    loading="lazy"
    referrerpolicy="no-referrer"
    @error=${markBroken}
    @load=${markLoaded}
  />`;
}

function markBroken(event: Event): void {
  if (event.target instanceof HTMLElement) event.target.classList.add('broken');
}

function markLoaded(event: Event): void {
  if (event.target instanceof HTMLElement) event.target.classList.remove('broken');
}

interface Item {
  url: string;
  description?: string | null;
}

/** One to ten pictures in Discord's grid; each opens in full size. */
export function gallery(items: readonly Item[], context: Context): TemplateResult {
  const shown = safePictures(items, context);
  return html`<div class="gallery" data-count=${shown.length}>
    ${shown.map(
      ({ url, description }, index) => html`<button
        class="gallery-item"
        aria-label=${description || `Picture ${index + 1} of ${shown.length}`}
        @click=${() => context.actions.showPictures(shown, index)}
      >
        ${picture(url, '')}
      </button>`,
    )}
  </div>`;
}

/** A small picture beside a text; it opens in full size. */
export function thumbnail(item: Item, context: Context): unknown {
  const [shown] = safePictures([item], context);
  if (!shown) return nothing;
  return html`<button
    class="thumbnail-button"
    aria-label=${shown.description || 'Picture'}
    @click=${() => context.actions.showPictures([shown], 0)}
  >
    ${picture(shown.url, 'thumbnail')}
  </button>`;
}

function safePictures(items: readonly Item[], { server }: Context): Picture[] {
  return items
    .flatMap(({ url, description }) => {
      const source = safeLink(url);
      if (source === undefined) return [];
      return [{ url: ownAddress(source, server.demo !== null), description: description ?? '' }];
    })
    .slice(0, 10);
}

/** A link to open or save a file that the page cannot show. */
export function fileLink(url: string, name: string): unknown {
  const href = safeLink(url);
  if (href === undefined) return nothing;
  return html`<a class="file" href=${href} target="_blank" rel="noopener noreferrer">${name}</a>`;
}
