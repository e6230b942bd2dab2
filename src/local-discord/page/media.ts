import { html, nothing, type TemplateResult } from 'lit';
import { safeLink } from './markdown/inline.ts';

/** A picture from outside: without telling where it is shown, and quietly gone when it can't be had. */
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

/** One to ten pictures in Discord's grid; each opens in full in a tab of its own. */
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

/** A file that isn't shown here, to be opened or saved. */
export function fileLink(url: string, name: string): unknown {
  const href = safeLink(url);
  if (href === undefined) return nothing;
  return html`<a class="file" href=${href} target="_blank" rel="noopener noreferrer">${name}</a>`;
}
