import { expect, onTestFinished, test } from 'vitest';
import { createPictureRenderer } from '../../../src/discord/pictures/renderer.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';

/** As large as those that the bot draws, with twenty lines of text. */
function picture(text: string): string {
  const line = (index: number) =>
    `<text x="20" y="${20 + index * 22}" font-size="20" fill="#fff">${`${text} and more of it. `.repeat(3)}</text>`;
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" width="840" height="480" viewBox="0 0 840 480">',
    '<rect width="840" height="480" rx="20" fill="#1e1f22"/>',
    ...Array.from({ length: 20 }, (_, index) => line(index)),
    '</svg>',
  ].join('');
}

test('a picture is a PNG of that size, equal ones are made once, and a broken one rejects without harm', async () => {
  const renderer = createPictureRenderer(systemClock);
  onTestFinished(() => renderer.stop());
  const svg = picture('Some');
  const [first, second] = await Promise.all([renderer.render(svg), renderer.render(svg)]);
  expect(second).toBe(first);
  expect(first.subarray(1, 4).toString()).toBe('PNG');
  expect([first.readUInt32BE(16), first.readUInt32BE(20)]).toEqual([840, 480]);
  await expect(renderer.render('<svg')).rejects.toThrow();
  expect((await renderer.render(picture('Anders'))).length).toBeGreaterThan(1_000);
});

test('what it draws has letters: a container has no fonts', async () => {
  const renderer = createPictureRenderer(systemClock);
  onTestFinished(() => renderer.stop());
  const svg = picture('Some');
  const without = svg.replaceAll(/<text[^>]*>[^<]*<\/text>/g, '');
  expect((await renderer.render(svg)).length - (await renderer.render(without)).length).toBeGreaterThan(2_000);
});

test('a picture that is drawn for too long rejects; its time begins with the drawing, and those behind it are made', async () => {
  const waits: (() => void)[] = [];
  const renderer = createPictureRenderer({
    after(ms, action) {
      expect(ms).toBe(5_000);
      waits.push(action);
      return () => undefined;
    },
  });
  onTestFinished(() => renderer.stop());
  const both = Promise.allSettled([renderer.render(picture('Some')), renderer.render(picture('Autre'))]);
  expect(waits).toHaveLength(1);
  waits[0]?.();
  expect((await both).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  expect((await renderer.render(picture('Some'))).length).toBeGreaterThan(1_000);
});

test('a stop rejects what is drawn and what waits', async () => {
  const renderer = createPictureRenderer(new ManualClock());
  const both = Promise.allSettled([renderer.render(picture('Some')), renderer.render(picture('Autre'))]);
  await renderer.stop();
  expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('beyond fifty that wait, none is made, and those that wait cause no warning', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on('warning', note);
  onTestFinished(() => {
    process.off('warning', note);
  });
  // No time passes: a busy machine takes longer for fifty than one may take.
  const renderer = createPictureRenderer(new ManualClock());
  onTestFinished(() => renderer.stop());
  const all = Array.from({ length: 51 }, (_, index) => renderer.render(picture(`No. ${index}`)));
  const outcomes = await Promise.allSettled(all);
  expect(outcomes.map(({ status }) => status)).toEqual([...Array(50).fill('fulfilled'), 'rejected']);
  expect(warnings).toEqual([]);
});
