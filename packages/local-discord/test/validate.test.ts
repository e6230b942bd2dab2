import { MessageCreateRequestSchema } from 'discord-api-spec/zod';
import type { APIMessage } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import { DiscordError } from '../src/server/discord-error.ts';
import { validateModal } from '../src/server/validate/components.ts';
import { Field } from '../src/server/validate/form.ts';
import { validateMessageEdit, validateNewMessage } from '../src/server/validate/message.ts';

const V2 = 1 << 15;
const text = (content: string) => ({ type: 10, content });
const row = (...components: object[]) => ({ type: 1, components });
const button = (custom_id: string, more: object = {}) => ({ type: 2, style: 1, label: 'L', custom_id, ...more });
const link = (url: string) => ({ type: 2, style: 5, label: 'L', url });
const select = (options: number, more: object = {}) => ({
  type: 3,
  custom_id: 's',
  options: Array.from({ length: options }, (_, index) => ({ label: `l${index}`, value: `v${index}` })),
  ...more,
});
const picture = (url = 'https://example.com/a.png') => ({ media: { url } });
const v2 = (...components: object[]) => ({ flags: V2, components });
const embed = (fields: object) => ({ embeds: [fields] });
const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));

const RIGHT: [string, object][] = [
  ['2,000 characters', { content: 'x'.repeat(2000) }],
  ['2,000 characters beyond the basic plane', { content: '😀'.repeat(2000) }],
  ['ten embeds', { embeds: times(10, () => ({ title: 'x' })) }],
  [
    'an embed with everything',
    embed({
      title: 'x',
      description: 'x'.repeat(4096),
      url: 'https://example.com',
      color: 0xffffff,
      timestamp: '2026-01-01T00:00:00Z',
      footer: { text: 'x' },
      author: { name: 'x' },
      fields: [{ name: 'x', value: 'x', inline: true }],
      image: { url: 'https://example.com/a.png' },
    }),
  ],
  [
    'five rows of five buttons',
    { components: times(5, (line) => row(...times(5, (index) => button(`${line}.${index}`)))) },
  ],
  ['a select of 25', { content: 'x', components: [row(select(25))] }],
  [
    'a card',
    v2({
      type: 17,
      accent_color: 1,
      components: [
        { type: 9, components: [text('a'), text('b'), text('c')], accessory: { type: 11, ...picture() } },
        { type: 14, divider: true, spacing: 2 },
        { type: 12, items: times(10, () => picture()) },
        row(link('https://example.com')),
      ],
    }),
  ],
  ['4,000 characters of text', v2(text('x'.repeat(2000)), text('x'.repeat(2000)))],
  ['40 components', v2(...times(40, () => text('x')))],
  ['a nonce', { content: 'x', nonce: 'x'.repeat(25), enforce_nonce: true }],
  ['nobody to ping', { content: 'x', allowed_mentions: { parse: [], roles: ['1'] } }],
];

test.for(RIGHT)('%s: taken, as by the published schema', ([, body]) => {
  expect(() => validateNewMessage(new Field(body), [])).not.toThrow();
  expect(MessageCreateRequestSchema.safeParse(body).error?.issues).toBeUndefined();
});

/** The mistake, the place that Discord names, and whether its published schema refuses it too. */
const WRONG: [string, object, string, boolean][] = [
  ['2,001 characters', { content: 'x'.repeat(2001) }, 'content', false],
  ['eleven embeds', { embeds: times(11, () => ({ title: 'x' })) }, 'embeds', true],
  ['too long a title', embed({ title: 'x'.repeat(257) }), 'embeds.0.title', true],
  ['too long a description', embed({ description: 'x'.repeat(4097) }), 'embeds.0.description', true],
  [
    'too many fields',
    embed({ title: 'x', fields: times(26, () => ({ name: 'x', value: 'x' })) }),
    'embeds.0.fields',
    true,
  ],
  ['an empty field', embed({ fields: [{ name: '', value: 'x' }] }), 'embeds.0.fields.0.name', false],
  ['too long a field', embed({ fields: [{ name: 'x', value: 'x'.repeat(1025) }] }), 'embeds.0.fields.0.value', true],
  ['too long a footer', embed({ footer: { text: 'x'.repeat(2049) } }), 'embeds.0.footer.text', true],
  ['too long an author', embed({ author: { name: 'x'.repeat(257) } }), 'embeds.0.author.name', true],
  [
    'embeds of more than 6,000 characters',
    { embeds: times(2, () => ({ description: 'x'.repeat(3001) })) },
    'embeds',
    false,
  ],
  ['an empty embed', embed({}), 'embeds.0.description', false],
  ['a picture without scheme', embed({ image: { url: 'example.com/a.png' } }), 'embeds.0.image.url', true],
  ['a picture of another scheme', embed({ image: { url: 'ftp://example.com/a.png' } }), 'embeds.0.image.url', false],
  ['a wrong time', embed({ title: 'x', timestamp: 'yesterday' }), 'embeds.0.timestamp', true],
  [
    'six buttons in a row',
    { components: [row(...times(6, (index) => button(`${index}`)))] },
    'components.0.components',
    true,
  ],
  ['six rows', { components: times(6, (index) => row(button(`${index}`))) }, 'components', false],
  ['a select beside a button', { components: [row(select(1), button('b'))] }, 'components.0.components', false],
  ['a select of 26', { components: [row(select(26))] }, 'components.0.components.0.options', true],
  [
    'a repeated choice',
    {
      components: [
        row({
          ...select(0),
          options: [
            { label: 'a', value: 'a' },
            { label: 'b', value: 'a' },
          ],
        }),
      ],
    },
    'components.0.components.0.options.1.value',
    false,
  ],
  [
    'more to choose than there is',
    { components: [row(select(2, { max_values: 3 }))] },
    'components.0.components.0.max_values',
    false,
  ],
  ['a custom_id of 101', { components: [row(button('x'.repeat(101)))] }, 'components.0.components.0.custom_id', true],
  ['an empty custom_id', { components: [row(button(''))] }, 'components.0.components.0.custom_id', true],
  [
    'a repeated custom_id',
    { components: [row(button('a'), button('a'))] },
    'components.0.components.1.custom_id',
    false,
  ],
  [
    'too long a label',
    { components: [row(button('a', { label: 'x'.repeat(81) }))] },
    'components.0.components.0.label',
    true,
  ],
  [
    'a button without label',
    { components: [row({ type: 2, style: 1, custom_id: 'a' })] },
    'components.0.components.0',
    false,
  ],
  [
    'a link of 513 characters',
    { components: [row(link(`https://example.com/${'x'.repeat(493)}`))] },
    'components.0.components.0.url',
    true,
  ],
  [
    'a link of another scheme',
    { components: [row(link('javascript:alert(1)'))] },
    'components.0.components.0.url',
    false,
  ],
  ['components v2 without the flag', { components: [text('x')] }, 'components.0.type', false],
  ['content beside components v2', { ...v2(text('x')), content: 'x' }, 'content', false],
  ['embeds beside components v2', { ...v2(text('x')), embeds: [{ title: 'x' }] }, 'embeds', false],
  ['no components under the flag', { flags: V2 }, 'components', false],
  ['41 components', v2(...times(40, () => text('x')), { type: 17, components: [text('x')] }), 'components', true],
  ['4,001 characters of text', v2(text('x'.repeat(2000)), text('x'.repeat(2001))), 'components', false],
  ['an empty text', v2(text('')), 'components.0.content', true],
  [
    'a section of four texts',
    v2({ type: 9, components: times(4, () => text('x')), accessory: { type: 11, ...picture() } }),
    'components.0.components',
    true,
  ],
  ['a section without accessory', v2({ type: 9, components: [text('x')] }), 'components.0.accessory', true],
  ['a gallery of eleven', v2({ type: 12, items: times(11, () => picture()) }), 'components.0.items', true],
  ['an empty gallery', v2({ type: 12, items: [] }), 'components.0.items', true],
  [
    'a container in a container',
    v2({ type: 17, components: [{ type: 17, components: [text('x')] }] }),
    'components.0.components.0.type',
    true,
  ],
  ['a button outside of a row', v2(button('a')), 'components.0.type', true],
  ['too long a nonce', { content: 'x', nonce: 'x'.repeat(26) }, 'nonce', true],
  [
    'roles both parsed and named',
    { content: 'x', allowed_mentions: { parse: ['roles'], roles: ['1'] } },
    'allowed_mentions',
    false,
  ],
];

function refusal(run: () => unknown): { code: number; errors: Record<string, never> } {
  try {
    run();
  } catch (error) {
    if (error instanceof DiscordError)
      return { code: error.code, errors: (error.errors ?? {}) as Record<string, never> };
    throw error;
  }
  throw new Error('It was not refused.');
}

function complaintsAt(errors: Record<string, never>, place: string): unknown {
  return place.split('.').reduce<Record<string, never> | undefined>((node, key) => node?.[key], errors);
}

test.for(WRONG)('%s: refused where Discord says so', ([, body, place, bySchema]) => {
  const { code, errors } = refusal(() => validateNewMessage(new Field(body), []));
  expect(code).toBe(50035);
  expect(complaintsAt(errors, place), JSON.stringify(errors)).toHaveProperty('_errors');
  expect(MessageCreateRequestSchema.safeParse(body).error !== undefined).toBe(bySchema);
});

test('nothing to show cannot be sent', () => {
  for (const body of [{}, { content: '  ' }, { embeds: [] }, undefined]) {
    expect(refusal(() => validateNewMessage(new Field(body), [])).code).toBe(50006);
  }
});

test('a file has at most 10 MiB, a message ten files', () => {
  const file = (bytes: number) => ({ index: 0, name: 'a', contentType: 'text/plain', bytes: Buffer.alloc(bytes) });
  expect(() => validateNewMessage(new Field({}), [file(10 * 1024 * 1024)])).not.toThrow();
  expect(refusal(() => validateNewMessage(new Field({}), [file(10 * 1024 * 1024 + 1)])).code).toBe(40005);
  expect(
    refusal(() =>
      validateNewMessage(
        new Field({}),
        times(11, () => file(1)),
      ),
    ).code,
  ).toBe(50035);
});

const CARD = { flags: V2, content: '', embeds: [], attachments: [], components: [text('x')] } as unknown as APIMessage;
const PLAIN = { flags: 0, content: 'x', embeds: [], attachments: [], components: [] } as unknown as APIMessage;

test.for([
  ['the flag cannot be taken from a card', CARD, { flags: 0 }, 50035, 'flags'],
  ['a card takes no content', CARD, { content: 'x' }, 50035, 'content'],
  ['a card keeps at least one component', CARD, { components: [] }, 50035, 'components'],
  ['a card beside content needs the content gone', PLAIN, { flags: V2, components: [text('x')] }, 50035, 'content'],
  ['something must be left', PLAIN, { content: '' }, 50006, ''],
] as const)('in an edit, %s', ([, message, edit, code, place]) => {
  const refused = refusal(() => validateMessageEdit(new Field(edit), [], message));
  expect(refused.code).toBe(code);
  if (place) expect(refused.errors).toHaveProperty(place);
});

test('an edit may leave out what stays, or make a card of a message', () => {
  expect(() => validateMessageEdit(new Field({}), [], CARD)).not.toThrow();
  expect(() => validateMessageEdit(new Field({ components: [text('y')] }), [], CARD)).not.toThrow();
  const card = { flags: V2, content: null, components: [text('y')] };
  expect(() => validateMessageEdit(new Field(card), [], PLAIN)).not.toThrow();
});

test.for([
  ['no title', { custom_id: 'a', components: [{ type: 10, content: 'x' }] }, 'title'],
  ['too long a title', { custom_id: 'a', title: 'x'.repeat(46), components: [{ type: 10, content: 'x' }] }, 'title'],
  ['six rows', { custom_id: 'a', title: 'x', components: times(6, () => ({ type: 10, content: 'x' })) }, 'components'],
  ['a button in it', { custom_id: 'a', title: 'x', components: [row(button('a'))] }, 'components.0.components.0.type'],
] as const)('a form with %s is refused', ([, modal, place]) => {
  const form = new Field(modal);
  validateModal(form);
  expect(complaintsAt(refusal(() => form.done()).errors, place)).toHaveProperty('_errors');
});
