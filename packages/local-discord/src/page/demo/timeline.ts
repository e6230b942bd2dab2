import { html, nothing, svg, type TemplateResult } from 'lit';
import type { DemoPlan } from '../../server/demo-api.ts';
import { spanText } from './time.ts';

/** The shortest time that the line shows: milliseconds. */
const SHORTEST_MS = 30_000;
/** The width of the panel's content, in CSS pixels. */
const WIDTH = 280;

/** The planner's next polls of each resource on a line from now on. */
export function timeline({ polls }: DemoPlan, nowMs: number): TemplateResult {
  const waits = polls.map(({ nextMs }) => (nextMs === null ? 0 : nextMs - nowMs));
  const spanMs = Math.max(SHORTEST_MS, ...waits, ...polls.map(({ everyMs }) => Math.min(everyMs, 3_600_000)));
  return html`<p class="demo-note">Next polls, over ${spanText(spanMs)} from now:</p>
  <ul class="demo-polls">
    ${polls.map(({ resource, nextMs, everyMs }) => {
      const when = nextMs === null ? 'tomorrow' : nextMs - nowMs < 1_000 ? 'now' : `in ${spanText(nextMs - nowMs)}`;
      return html`<li>
        <span class="demo-poll-name">${nameOf(resource)}</span>
        <span class="demo-poll-next">${when}</span>
        ${marks(nextMs === null ? null : nextMs - nowMs, everyMs, spanMs)}
      </li>`;
    })}
  </ul>`;
}

/** The next poll, and the latest moments of those after it. */
function marks(waitMs: number | null, everyMs: number, spanMs: number): TemplateResult {
  const x = (ms: number) => 4 + (Math.max(0, Math.min(ms, spanMs)) / spanMs) * (WIDTH - 8);
  const later =
    waitMs === null
      ? []
      : Array.from({ length: 40 }, (_, index) => waitMs + (index + 1) * everyMs).filter((ms) => ms <= spanMs);
  return html`<svg class="demo-line" viewBox="0 0 ${WIDTH} 12" preserveAspectRatio="xMinYMid" aria-hidden="true">
    <line x1="4" x2=${WIDTH - 4} y1="6" y2="6" />
    ${later.map((ms) => svg`<circle class="later" cx=${x(ms)} cy="6" r="2.5" />`)}
    ${waitMs === null ? nothing : svg`<circle cx=${x(waitMs)} cy="6" r="4" />`}
  </svg>`;
}

/** `feed:Home` is "Home". */
function nameOf(resource: string): string {
  const name = resource.replace(/^feed:/, '');
  return name.charAt(0).toUpperCase() + name.slice(1);
}
