import { html, nothing, type TemplateResult } from 'lit';
import { safeLink } from './markdown/inline.ts';

/** A picture from another site. The request carries no referrer, and a picture that fails to load is hidden. */
export function picture(url: string, description: string | null | undefined, className: string): unknown {
  const source = safeLink(url);
  if (source === undefined) return nothing;
  return html`<img
    class=${className}
    src=${source}
    alt=${description ?? ''}
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

/** One to ten pictures in Discord's grid; each opens in full size in a new tab. */
export function gallery(items: readonly { url: string; description?: string | null }[]): TemplateResult {
  const shown = items.filter(({ url }) => safeLink(url) !== undefined).slice(0, 10);
  return html`<div class="gallery" data-count=${shown.length}>
    ${shown.map(
      ({ url, description }, index) => html`<a
        href=${safeLink(url) ?? ''}
        target="_blank"
        rel="noopener noreferrer"
        aria-label=${description || `Picture ${index + 1} of ${shown.length}`}
        >${picture(url, description, '')}</a
      >`,
    )}
  </div>`;
}

/** A link to open or save a file that the page cannot show. */
export function fileLink(url: string, name: string): unknown {
  const href = safeLink(url);
  if (href === undefined) return nothing;
  return html`<a class="file" href=${href} target="_blank" rel="noopener noreferrer">${name}</a>`;
}
