import { type SVGTemplateResult, svg } from 'lit';

/** Line icons drawn for this page, in the size and weight of Discord's. */
function icon(path: string, viewBox = '0 0 24 24') {
  return svg`<svg class="icon" viewBox=${viewBox} fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d=${path} /></svg>`;
}

export const icons = {
  text: icon('M9.5 4 7.5 20M16.5 4l-2 16M4.5 9h16M3.5 15h16'),
  announcement: icon('M4 10v4h3l8 4.5V5.5L7 10H4zM8 14.5 9.5 20h2.5M18.5 9a4 4 0 0 1 0 6'),
  forum: icon('M4 5h13v9H9l-4 3.5V14H4zM20.5 9v11L17 17.5h-6'),
  apps: icon('M4.5 4.5h6v6h-6zM13.5 4.5h6v6h-6zM4.5 13.5h6v6h-6zM16.5 13.5v6M13.5 16.5h6'),
  thread: icon('M5 5h14v10h-8l-4 4v-4H5z'),
  menu: icon('M4 7h16M4 12h16M4 17h16'),
  close: icon('M6 6l12 12M18 6 6 18'),
  launch: icon('M14 5h5v5M19 5l-8 8M17 14v5H5V7h5'),
  down: icon('M6 9l6 6 6-6'),
  eye: icon('M2.5 12S6 6 12 6s9.5 6 9.5 6-3.5 6-9.5 6-9.5-6-9.5-6zM12 10a2 2 0 1 0 0 4 2 2 0 0 0 0-4z'),
  crown: icon('M4 17h16l1-9-5 3.5L12 5 8 11.5 3 8z'),
  pin: icon('M14.5 3.5l6 6-3 .5-3.5 3.5.5 4.5-2 2-8-8 2-2 4.5.5L14 7zM8.5 15.5 4 20'),
  calendar: icon('M4.5 6h15v14h-15zM4.5 10.5h15M8.5 3.5V8M15.5 3.5V8'),
  place: icon('M12 21s7-6.5 7-11.5a7 7 0 1 0-14 0C5 14.5 12 21 12 21zM12 7a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z'),
  members: icon(
    'M9 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20c0-3.5 2.5-5.5 6.5-5.5s6.5 2 6.5 5.5M16 5a3.5 3.5 0 0 1 0 6M18 15c2 .8 3.5 2.5 3.5 5',
  ),
  log: icon('M4 6h16M4 12h10M4 18h13'),
  add: icon('M12 5v14M5 12h14'),
  more: icon('M6 12h.01M12 12h.01M18 12h.01'),
  bell: icon('M6 16V11a6 6 0 1 1 12 0v5l1.5 2h-15zM10 21h4'),
  slash: icon('M15.5 4l-7 16'),
  left: icon('M15 6l-6 6 6 6'),
  right: icon('M9 6l6 6-6 6'),
  tick: icon('M5 12.5l4.5 4.5L19 7.5'),
  appearance: icon('M12 4a8 8 0 1 0 0 16zM12 4a8 8 0 0 1 0 16'),
  enter: icon('M19 6v6H6M10 8l-4 4 4 4'),
  warning: icon('M12 4 2.8 20h18.4zM12 10v4M12 17v.2'),
} satisfies Record<string, SVGTemplateResult>;
