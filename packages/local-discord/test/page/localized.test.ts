import type { APIApplicationCommand } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import { inLanguage, registeredOption, registeredText } from '../../src/page/localized.ts';

const SUBSCRIPTION = {
  name: 'subscription',
  name_localizations: { de: 'abo' },
  description: 'Subscriptions',
  description_localizations: { de: 'Abos' },
  options: [
    {
      type: 1,
      name: 'add',
      name_localizations: { de: 'neu' },
      description: 'Adds one',
      options: [
        {
          type: 3,
          name: 'mode',
          name_localizations: { de: 'modus' },
          description: 'When',
          choices: [{ name: 'Hourly', name_localizations: { de: 'Stündlich' }, value: 'hourly' }],
        },
        { type: 3, name: 'feed', description: 'Which' },
      ],
    },
  ],
} as unknown as APIApplicationCommand;

test.each([
  ['/abo neu modus:hourly feed:"modus: x"', '/subscription add mode:hourly feed:"modus: x"'],
  ['/subscription add mode:hourly', '/subscription add mode:hourly'],
  ['/ABO add modus:', '/subscription add mode:'],
  ['/abo alt modus:1', '/abo alt modus:1'],
  ['/other', '/other'],
])('%j is sent as %j', (typed, sent) => {
  expect(registeredText(typed, [SUBSCRIPTION], 'de')).toBe(sent);
});

test('names of another language are no names', () => {
  expect(registeredText('/abo neu', [SUBSCRIPTION], 'fr')).toBe('/abo neu');
});

test('commands, options and choices are shown in the language, and the rest as it is registered', () => {
  const shown = inLanguage(SUBSCRIPTION, 'de');
  expect(shown).toMatchObject({ name: 'abo', description: 'Abos' });
  const [add] = shown.options ?? [];
  expect(add).toMatchObject({
    name: 'neu',
    description: 'Adds one',
    options: [{ name: 'modus', choices: [{ name: 'Stündlich', value: 'hourly' }] }, { name: 'feed' }],
  });
  expect(inLanguage(SUBSCRIPTION, 'en-US')).toEqual(SUBSCRIPTION);
  expect(registeredOption('/abo neu modus:', 'modus', [SUBSCRIPTION], 'de')).toBe('mode');
});
